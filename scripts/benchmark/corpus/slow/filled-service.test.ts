/** A large corpus is imported once. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Figure } from '../../measuring/figures.ts';
import { withFilled } from '../filled-service.ts';

test('a corpus is imported once, kept, and each run gets a copy', async () => {
  const data = await mkdtemp(join(tmpdir(), 'large-'));
  const figures: Figure[] = [];
  const report = {
    progress: () => {},
    note: () => {},
    figure: (figure: Figure) => void figures.push(figure),
  };
  const directories: string[] = [];
  const ids: string[][] = [];
  for (let run = 0; run < 2; run++) {
    await withFilled(report, { passages: 40, count: 2, data }, async (filled) => {
      directories.push(filled.dataDirectory);
      ids.push(filled.ids);
      expect(await readdir(filled.dataDirectory)).toContain('postgres');
    });
  }
  expect(ids[0]).toHaveLength(2);
  expect(ids[1]).toEqual(ids[0]);
  expect(figures.filter(({ name }) => name === 'imported')).toHaveLength(1);
  expect(await readdir(data)).toEqual(['40-in-2']);
  await rm(data, { recursive: true });
});
