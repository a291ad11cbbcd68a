/** The formulas in SQL have the results of the formulas for numbers. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepare } from '../database/connection/prepared.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import {
  inverseDocumentFrequency,
  inverseDocumentFrequencySql,
  lengthNorm,
  lengthNormSql,
  normPerLetter,
  saturation,
  saturationSql,
} from './bm25.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

type Figures = { idf: number; norm: number; saturated: number };

const readFigures = prepare(
  'formulas_of_bm25',
  ['documentFrequency', 'passageCount', 'length', 'perLetter', 'frequency'],
  ({ documentFrequency, passageCount, length, perLetter, frequency }) => sql<Figures>`
    SELECT ${inverseDocumentFrequencySql(sql`${documentFrequency}::float8`, sql`${passageCount}::float8`)} AS idf,
      norm, ${saturationSql(sql`${frequency}::float8`, sql.ref('norm'))} AS saturated
    FROM (SELECT ${lengthNormSql(sql`${length}::integer`, perLetter)} AS norm) AS passage`,
);

test('each formula has the same result in SQL', async () => {
  const count = fc.integer({ min: 1, max: 1_000_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(count, count).map(([one, other]) => [one, other].toSorted((left, right) => left - right)),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 2_000_000_000 }),
      fc.integer({ min: 0, max: 255 }),
      async ([documentFrequency = 0, passageCount = 0], length, lengthTotal, frequency) => {
        const perLetter = normPerLetter({ passageCount, lengthTotal });
        const norm = lengthNorm(length, perLetter);
        const values = { documentFrequency, passageCount, length, perLetter, frequency };
        const [figures] = await readFigures(suite.database, values);
        const relative = (found: number | undefined, expected: number) =>
          expected === 0 ? found : (found ?? Number.NaN) / expected;
        expect(relative(figures?.idf, inverseDocumentFrequency(documentFrequency, passageCount))).toBeCloseTo(
          1,
          9,
        );
        expect(relative(figures?.norm, norm)).toBeCloseTo(1, 9);
        expect(figures?.saturated).toBeCloseTo(saturation(frequency, norm), 9);
      },
    ),
    { numRuns: 100 },
  );
});
