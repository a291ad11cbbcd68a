/** A start that cannot succeed ends soon, with exit code 1 and a sentence that names the setting to change. */
import { expect, test } from 'vitest';
import { environmentOf } from '../scripts/service-process.ts';
import { spawnCommand } from './running-service.ts';

const serve = (settings: Record<string, string>) =>
  spawnCommand(environmentOf('/nowhere/at/all', settings), 'serve');

test('a name that looks like a setting is told of before anything else', async () => {
  const { complaints, code } = await serve({
    STORAGE_LIMIT: '5',
    DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
  });
  expect(complaints).toContain(
    'STORAGE_LIMIT is no setting and changes nothing: did you mean STORAGE_LIMIT_BYTES?',
  );
  expect(code).toBe(1);
});
