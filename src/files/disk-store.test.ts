import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openDiskStore } from './disk-store.ts';

const DAY_MS = 86_400_000;

test('servers that start together on one directory remove what killed ones left, and nothing younger', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const incoming = join(directory, '.incoming');
  await mkdir(incoming);
  const yesterday = new Date(Date.now() - DAY_MS);
  for (let number = 0; number < 1_000; number++) {
    const file = join(incoming, `${number}`);
    await writeFile(file, 'half');
    await utimes(file, yesterday, yesterday);
  }
  await writeFile(join(incoming, 'young'), 'half');
  // Each removal begins during the removal before.
  const openLater = async (number: number) => {
    await delay(number * 20);
    return await openDiskStore(directory);
  };
  await Promise.all([0, 1, 2, 3].map(openLater));
  expect(await readdir(incoming)).toEqual(['young']);
});
