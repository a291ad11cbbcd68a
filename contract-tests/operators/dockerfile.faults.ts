/** The Dockerfile by its letter, with an installation of its own. */
import { test } from 'vitest';
import { imageMissing } from './docker-image.ts';
import { expectImageWorks } from './dockerfile.ts';

test.skipIf(imageMissing)('with the dependencies that it installs it works, and is small', async () => {
  await expectImageWorks(true);
});
