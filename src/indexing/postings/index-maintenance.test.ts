/** Index maintenance finishes the work that imports leave. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { importText, makeKnowledgeBase, type Place } from '../../search/testing/imported-texts.ts';
import { createIndexMaintenance } from './index-maintenance.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let place: Place;

beforeAll(async () => {
  suite = await createTestDatabase();
  place = await makeKnowledgeBase(suite.database);
});
afterAll(() => suite.close());

const importWords = (words: string) =>
  importText(suite.database, place, { title: 'Words', content: `Some ${words} words` });

/** Merges the pending entries and returns the number of pages that they took. */
async function takePendingPages(): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    SELECT gin_clean_pending_list('passage_lexemes_by_lexeme') AS pages`.execute(suite.database);
  return rows[0]?.pages ?? -1;
}

async function countChanges(): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) FROM document_frequency_deltas`.execute(
    suite.database,
  );
  return rows[0]?.count ?? -1;
}

test('new entries are sorted into the index when no more come, after each burst anew', async () => {
  const upkeep = createIndexMaintenance(suite.database);
  for (const burst of ['early', 'late']) {
    await importWords(burst);
    expect(await upkeep()).toBe(false);
    expect(await countChanges()).toBe(0);
    expect(await takePendingPages()).toBe(1);

    await importWords(`other ${burst}`);
    await upkeep();
    await upkeep();
    expect(await takePendingPages()).toBe(0);
  }
});

test('nothing is sorted while somebody imports, and all of it afterwards', async () => {
  const upkeep = createIndexMaintenance(suite.database);
  for (const isRepeated of [false, true]) {
    await importWords('waiting');
    await upkeep();
    await suite.database.transaction().execute(async (importing) => {
      await sql`LOCK TABLE passage_lexemes IN ROW EXCLUSIVE MODE`.execute(importing); // as every INSERT does
      await upkeep();
    });
    if (isRepeated) await upkeep();
    expect(await takePendingPages()).toBe(isRepeated ? 0 : 1);
  }
});

test('what was left before a start is sorted too, by one server', async () => {
  await importWords('forgotten');
  await createIndexMaintenance(suite.database)();
  await Promise.all([createIndexMaintenance(suite.database)(), createIndexMaintenance(suite.database)()]);
  expect(await takePendingPages()).toBe(0);
});

test('an index that cannot be sorted is told of once behind each burst', async () => {
  const rename = (from: string, to: string) =>
    sql`ALTER INDEX ${sql.ref(from)} RENAME TO ${sql.ref(to)}`.execute(suite.database);
  const upkeep = createIndexMaintenance(suite.database);
  await rename('passage_lexemes_by_lexeme', 'away');
  for (const burst of ['first', 'second']) {
    await importWords(burst);
    await upkeep();
    await expect(upkeep()).rejects.toThrow('does not exist');
    expect(await upkeep()).toBe(false);
  }
  await rename('away', 'passage_lexemes_by_lexeme');
});
