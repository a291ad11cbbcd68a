/**
 * Random damage to valid files: each results in time in text or in an error of the file, never in a bug of ours.
 * This suite makes a few hundred mutations.
 * `MUTATIONS=10000 npx vitest run --config scripts/suites/vitest.config.ts src/extraction/mutations` makes any number.
 * `MUTATION_SEED=1` starts elsewhere.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import {
  readSharedDocument,
  sharedDocuments,
} from '../../../contract-tests/harness/documents/shared-documents.ts';
import { createExtractionPool } from '../sandbox/extraction-pool.ts';
import { madeContainers } from '../testing/containers/made-containers.ts';
import { madeFiles } from '../testing/made-files.ts';
import type { MutationReport, MutationTask } from '../testing/mutation-process.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 300);
const SEED = Number(process.env.MUTATION_SEED ?? 0);
/** Limit of the processor time for one file; the longest measured one is a tenth of it. */
const MAX_MS = 20_000;
/** Only shared documents up to this size are mutated, so that a few hundred mutations take seconds. */
const SHARED_MAX_BYTES = 60_000;

const program = fileURLToPath(new URL('../testing/mutation-process.ts', import.meta.url));
const pool = createExtractionPool({ program, maxMsFor: () => 3_600_000 });
afterAll(() => pool.close());

const made = Object.entries({ ...madeFiles(), ...madeContainers() });
const shared = await Promise.all(
  sharedDocuments
    .filter(({ outcome, tier }) => outcome === 'text' && tier !== 'legacy')
    .map(async ({ file }): Promise<[string, Buffer]> => [file, await readSharedDocument(file)]),
);
const small = shared.filter(([, bytes]) => bytes.length <= SHARED_MAX_BYTES);
// Shared documents pay off only with many mutations, since each file takes a process.
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
