/** Builds the image's files with the Dockerfile's script, from the files that .dockerignore admits, and runs them. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/service/service-process.ts';
import { expectImageWorks, imageMissing, instructions, sizeOf } from '../slow/operators/docker-image.ts';
import { createFolder } from '../slow/operators/installed-package.ts';

/** The limit for application and dependencies, in MiB. They measured 158. Find out why before you raise the limit. */
const MAX_MIB = 200;

test.skipIf(imageMissing)('the image works with its own dependencies, and is small', async () => {
  const { folder, remove } = await createFolder();
  try {
    const [source, application] = [join(folder, 'source'), join(folder, 'app')];
    await mkdir(source);
    const [, ...admitted] = (await readFile(join(root, '.dockerignore'), 'utf8')).matchAll(/^[*!](.*)$/gm);
    for (const [, path = ''] of admitted) await cp(join(root, path), join(source, path), { recursive: true });
    expect(instructions('RUN')[0]).toBe('sh scripts/image.sh /app');
    execFileSync('sh', ['scripts/image.sh', application], { cwd: source, stdio: ['ignore', 2, 2] });
    await expectImageWorks(folder, application);
    expect(await sizeOf(application)).toBeLessThan(MAX_MIB);
  } finally {
    await remove();
  }
});
