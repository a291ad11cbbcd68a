/** Restores a damaged backup. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/service/command-line.ts';
import { startService, withEmbeddedDirectory } from '../../harness/service/service-process.ts';

/** Backs up a new service. Returns the archive. */
const backUp = (folder: string): Promise<string> =>
  withEmbeddedDirectory(async (dataDirectory) => {
    const service = await startService(dataDirectory);
    return await runCommand(dataDirectory, 'backup', folder).finally(service.stop);
  });

test('restore refuses a damaged archive with the reason, and writes nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-damaged-'));
  const archive = await backUp(folder);
  const bytes = await readFile(archive);
  const middle = Math.floor(bytes.length / 2);
  await writeFile(archive, bytes.with(middle, (bytes[middle] ?? 0) ^ 1));
  const fresh = join(folder, 'fresh');
  await expect(runCommand(fresh, 'restore', archive)).rejects.toThrow(
    / is damaged: [^()]+\. Restore another backup\.\n$/,
  );
  expect(existsSync(fresh)).toBe(false);
  await rm(folder, { recursive: true });
}, 120_000);
