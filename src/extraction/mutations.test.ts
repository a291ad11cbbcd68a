/**
 * Random damage to good files: each ends in time, as text or with a reason that blames the file, never by our fault.
 * A few hundred here; `MUTATIONS=10000 npx vitest run --config scripts/vitest.config.ts src/extraction/mutations`
 * makes as many as are wanted, `MUTATION_SEED=1` begins elsewhere.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readSharedDocument, sharedDocuments } from '../../contract-tests/harness/shared-documents.ts';
import { madeFiles } from '../testing/made-files.ts';
import type { MutationReport, MutationTask } from '../testing/mutation-reader.ts';
import { createExtractionPool } from './sandbox/extraction-pool.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 300);
const SEED = Number(process.env.MUTATION_SEED ?? 0);
/** What one file may take; the longest seen is a tenth of it. */
const MAX_MS = 20_000;
/** Shared documents that are mutated are not larger, so that a few hundred take seconds. */
const SHARED_MAX_BYTES = 60_000;

const program = fileURLToPath(new URL('../testing/mutation-reader.ts', import.meta.url));
const pool = createExtractionPool({ program, readingMaxMs: () => 3_600_000 });
afterAll(() => pool.close());

const made = Object.entries(madeFiles());
const shared = await Promise.all(
  sharedDocuments
    .filter(({ outcome, tier }) => outcome === 'text' && tier !== 'legacy')
    .map(async ({ file }): Promise<[string, Buffer]> => [file, await readSharedDocument(file)]),
);
const small = shared.filter(([, bytes]) => bytes.length <= SHARED_MAX_BYTES);
// Shared documents are worth it only with many mutations: each file takes a process.
const files = MUTATIONS >= 1_000 ? [...made, ...small] : made;
const count = Math.ceil(MUTATIONS / files.length);

test.each(files)('%s, damaged', { timeout: 3_600_000 }, async (fileName, bytes) => {
  const task: MutationTask = { fileName, seed: SEED, count };
  const extraction = await pool.extract({
    accountId: 'a',
    fileName: JSON.stringify(task),
    readBytes: async () => bytes,
  });
  const message = 'failure' in extraction ? extraction.failure.message : '';
  expect(message).toMatch(/^\{/);
  const { outcomes, slowestMs, thrown } = JSON.parse(message) as MutationReport;
  expect(thrown).toEqual([]);
  expect(Object.values(outcomes).reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(outcomes).not.toHaveProperty('INTERNAL_ERROR');
  expect(slowestMs).toBeLessThan(MAX_MS);
});
