/** Index maintenance does the work that imports leave. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';
import { sumOverLexemeIndexes } from '../testing/lexeme-indexes.ts';
import { createIndexMaintenance } from './index-maintenance.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;

beforeAll(async () => {
  suite = await createTestDatabase();
  owned = await makeKnowledgeBase(suite.database);
});
afterAll(() => suite.close());

const importWords = (words: string) =>
  importText(suite.database, owned, { title: 'Words', content: `Some ${words} words` });

/** Merges the pending entries and returns the number of pages that they took. */
const mergePendingPages = () =>
  sumOverLexemeIndexes(suite.database, (index) => `gin_clean_pending_list(${index}::regclass)`);

async function countDeltas(): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) FROM document_frequency_deltas`.execute(
    suite.database,
  );
  return rows[0]?.count ?? -1;
}

test('pending entries are moved into the index after each burst of imports', async () => {
  const maintain = createIndexMaintenance(suite.database);
  for (const burst of ['early', 'late']) {
    await importWords(burst);
    expect(await maintain()).toBe(0);
    expect(await countDeltas()).toBe(0);
    expect(await mergePendingPages()).toBe(1);

    await importWords(`other ${burst}`);
    await maintain();
    await maintain();
    expect(await mergePendingPages()).toBe(0);
  }
});

test('no entries are moved during an import, and all of them after it', async () => {
  const maintain = createIndexMaintenance(suite.database);
  for (const isRepeated of [false, true]) {
    await importWords('waiting');
    await maintain();
    await suite.database.transaction().execute(async (importing) => {
      await sql`LOCK TABLE passage_lexemes IN ROW EXCLUSIVE MODE`.execute(importing); // as every INSERT does
      await maintain();
    });
    if (isRepeated) await maintain();
    expect(await mergePendingPages()).toBe(isRepeated ? 0 : 1);
  }
});

test('entries from before a start are moved too, by one server', async () => {
  await importWords('forgotten');
  await createIndexMaintenance(suite.database)();
  await Promise.all([createIndexMaintenance(suite.database)(), createIndexMaintenance(suite.database)()]);
  expect(await mergePendingPages()).toBe(0);
});

test('an index that cannot be maintained throws once after each burst', async () => {
  const rename = (from: string, to: string) =>
    sql`ALTER INDEX ${sql.ref(from)} RENAME TO ${sql.ref(to)}`.execute(suite.database);
  const maintain = createIndexMaintenance(suite.database);
  await rename('passage_lexemes_by_lexeme', 'away');
  for (const burst of ['first', 'second']) {
    await importWords(burst);
    await maintain();
    await expect(maintain()).rejects.toThrow('does not exist');
    expect(await maintain()).toBe(0);
  }
  await rename('away', 'passage_lexemes_by_lexeme');
});
