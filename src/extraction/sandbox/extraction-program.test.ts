/** The program that the extraction process runs. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findExtractionProgram } from './extraction-program.ts';

test('the checkout makes JavaScript of the program once, however many servers start', async () => {
  const [program, ...others] = await Promise.all([1, 2, 3].map(findExtractionProgram));
  expect(program).toMatch(/\/extraction\/sandbox\/extraction-process\.mjs$/);
  expect(existsSync(program ?? '')).toBe(true);
  expect(new Set(others)).toEqual(new Set([program]));
});
