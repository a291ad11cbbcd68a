/** Compares the statements that a search prepares with the files in `statements/`, which are there to be read. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { distributedForm } from '../../database/connection/prepared.ts';
import { toDocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { rankAcrossServers } from '../rank-across-servers.ts';
import { createRanking } from '../ranking/ranking.ts';
import { createSearch, createSearchIn, type SearchRequest } from '../search.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** The statements of usual searches, and of searches in a scope. */
const NAMES = [
  'ranked_by_few_terms',
  'ranked_passages',
  'statistics_of_few',
  'vocabulary_of_few',
  'ranked_in_scope',
  'ranked_per_document',
  'ranked_distinct',
  'ranked_in_scope_restricted',
  'visible_statistics',
  'visible_vocabulary',
];

/** What a search of several knowledge bases runs on Citus instead of `ranked_passages` and `ranked_by_few_terms`. */
const NAMES_OF_STEPS = ['best_passages', 'ranked_best'];

const HEADER = '-- Compiled by statements.test.ts (vitest --update), never edited by hand.\n';

/** The statements that a search prepares on its connection, by name. */
async function readPrepared(): Promise<Map<string, string>> {
  const owned = await makeKnowledgeBase(suite.database);
  await importText(suite.database, owned, { title: 'Bridges', content: 'A bridge crosses a river.' });
  return await suite.database.connection().execute(async (connection) => {
    const answer = createSearch(connection, createStemMemory());
    const search = async (request: SearchRequest) => (await answer(request)).passages;
    const { accountId, knowledgeBaseId } = owned;
    const request = { accountId, knowledgeBaseIds: [knowledgeBaseId], limit: 10 };
    const isText = toDocumentFilter({ type: 'eq', key: '$type', value: 'text' });
    const scopes = [{ filter: isText }, { maxPerDocument: 1 }, { isDistinct: true }];
    for (const query of ['bridge', 'brigde', '"a bridge"'])
      for (const restriction of [undefined, isText])
        expect(await search({ ...request, query, restriction })).toHaveLength(1);
    for (const scope of scopes) expect(await search({ ...request, query: 'bridge', scope })).toHaveLength(1);
    const inSteps = createSearchIn(createStemMemory(), {}, createRanking(rankAcrossServers));
    const other = await makeKnowledgeBase(suite.database);
    const both = [knowledgeBaseId, other.knowledgeBaseId];
    await sql`
      UPDATE knowledge_bases SET account_id = ${accountId} WHERE knowledge_base_id = ANY(${both}::uuid[])`.execute(
      connection,
    );
    await inSteps(connection, { ...request, query: 'bridge', knowledgeBaseIds: both });
    const { rows } = await sql<{ name: string; statement: string }>`
      SELECT name, statement FROM pg_prepared_statements`.execute(connection);
    return new Map(rows.map(({ name, statement }) => [name, statement]));
  });
}

const toFile = (statement: string): string => `${HEADER}${statement.trim()}\n`;

/** A session at distributed tables sends the text in `distributed/` instead, which needs no Citus to be compiled. */
test.skipIf(isCitus)(
  'statements/ has the text of the prepared statements, for one server and for Citus',
  async () => {
    const prepared = await readPrepared();
    const ofCitus = new Set<string>();
    const compareOfCitus = async (name: string, text: string) => {
      ofCitus.add(`${name}.sql`);
      await expect(toFile(text)).toMatchFileSnapshot(`./distributed/${name}.sql`);
    };
    for (const name of NAMES_OF_STEPS) await compareOfCitus(name, prepared.get(name) ?? '');
    for (const name of NAMES) {
      const statement = prepared.get(name) ?? expect.fail(`the search has not prepared ${name}`);
      await expect(toFile(statement)).toMatchFileSnapshot(`./${name}.sql`);
      const distributed = distributedForm(statement) ?? expect.fail(`${name} has no text for Citus`);
      if (distributed.text !== statement) await compareOfCitus(name, distributed.text);
    }
    expect(readdirSync(join(import.meta.dirname, 'distributed')).toSorted()).toEqual([...ofCitus].toSorted());
  },
);
