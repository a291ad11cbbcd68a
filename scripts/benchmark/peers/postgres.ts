/** The usual search on PostgreSQL: any of the words by `@@`, sorted by `ts_rank`, one column, one index. */
import type pg from 'pg';
import { type Language, type Peer, RESULTS, timed } from './peer.ts';

export const TS_RANK = 'OR + ts_rank';

/** Rows per INSERT. */
const ROWS_PER_INSERT = 5_000;

/** Text search configurations. PostgreSQL has none for Chinese: it takes a run of characters for one word. */
const CONFIGURATIONS: Record<Language, string> = { english: 'english', chinese: 'simple' };

/** Stores and indexes the texts in their own table, in the service's database. */
async function prepare(client: pg.Client, texts: string[], configuration: string): Promise<void> {
  await client.query(
    'CREATE TABLE benchmark_texts (position int NOT NULL, content text NOT NULL, terms tsvector NOT NULL)',
  );
  for (let i = 0; i < texts.length; i += ROWS_PER_INSERT) {
    await client.query(
      `INSERT INTO benchmark_texts SELECT $1 + ordinality - 1, text, to_tsvector('${configuration}', text)
        FROM unnest($2::text[]) WITH ORDINALITY AS inserted (text, ordinality)`,
      [i, texts.slice(i, i + ROWS_PER_INSERT)],
    );
  }
  await client.query('CREATE INDEX ON benchmark_texts USING gin (terms)');
  await client.query('VACUUM (ANALYZE) benchmark_texts');
}

/** The best texts for the query `$1`. */
function writeSearch(configuration: string): string {
  // The words joined by OR instead of plainto_tsquery's AND.
  const anyWord = `replace(plainto_tsquery('${configuration}', $1)::text, ' & ', ' | ')::tsquery`;
  return `SELECT position, content, ts_rank(terms, ${anyWord}) AS score FROM benchmark_texts
    WHERE terms @@ ${anyWord} ORDER BY score DESC LIMIT ${RESULTS}`;
}

/** PostgreSQL's own search, in the database that `client` is connected to. */
export const createPostgresPeer = (client: pg.Client): Peer => ({
  name: TS_RANK,
  async withIndex({ texts, language }, use) {
    const configuration = CONFIGURATIONS[language];
    await prepare(client, texts, configuration);
    const statement = writeSearch(configuration);
    const search = async (query: string) =>
      (await client.query<{ position: number; content: string; score: number }>(statement, [query])).rows;
    return await use((query) => timed(() => search(query))).finally(() =>
      client.query('DROP TABLE benchmark_texts'),
    );
  },
});

/** Returns the words that are stop words in PostgreSQL's English dictionary. */
export async function findStopWords(client: pg.Client, words: string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS word WHERE ts_lexize('english_stem', word) = '{}'`,
    [words],
  );
  return new Set(rows.map(({ word }) => word));
}
