/** Backup and restore beside a service that goes on, in short; backup.faults.ts has the long form. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { runCommand } from '../harness/running-service.ts';
import { expectSameAfterRestore } from './backup.ts';

test('a backup beside imports and deletions, restored elsewhere, answers everything as its moment did, after killed tries', async () => {
  await expectSameAfterRestore({ texts: 12, killedAfterMs: [0] });
}, 300_000);

test('a damaged archive is refused with its reason, and nothing is made of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-damaged-'));
  const archive = await runCommand(inject('dataDirectory'), 'backup', folder);
  const bytes = await readFile(archive);
  const middle = Math.floor(bytes.length / 2);
  await writeFile(archive, bytes.with(middle, (bytes[middle] ?? 0) ^ 1));
  const fresh = join(folder, 'fresh');
  await expect(runCommand(fresh, 'restore', archive)).rejects.toThrow(/ is damaged: [^()]+\.\n$/);
  expect(existsSync(fresh)).toBe(false);
  await rm(folder, { recursive: true });
}, 120_000);
