/** The usual search on PostgreSQL: any of the words by `@@`, sorted by `ts_rank`, one column, one index. */
import type pg from 'pg';

/** Rows per INSERT. */
const ROWS_PER_INSERT = 5_000;

/** The words joined by OR instead of plainto_tsquery's AND. */
const ANY_WORD = `replace(plainto_tsquery('english', $1)::text, ' & ', ' | ')::tsquery`;

const search = `
  SELECT content, ts_rank(english, ${ANY_WORD}) AS score FROM benchmark_texts
  WHERE english @@ ${ANY_WORD} ORDER BY score DESC LIMIT 10`;

/** Stores and indexes the texts in their own table, in the service's database. */
export async function prepareTsRank(client: pg.Client, texts: string[]): Promise<void> {
  await client.query('CREATE TABLE benchmark_texts (content text NOT NULL, english tsvector NOT NULL)');
  for (let i = 0; i < texts.length; i += ROWS_PER_INSERT) {
    await client.query(
      `INSERT INTO benchmark_texts SELECT text, to_tsvector('english', text) FROM unnest($1::text[]) AS text`,
      [texts.slice(i, i + ROWS_PER_INSERT)],
    );
  }
  await client.query('CREATE INDEX ON benchmark_texts USING gin (english)');
  await client.query('VACUUM (ANALYZE) benchmark_texts');
}

/** The best ten texts for a query, by `ts_rank`. */
export async function searchByTsRank(client: pg.Client, query: string): Promise<void> {
  await client.query(search, [query]);
}

/** Returns the words that are stop words in PostgreSQL's English dictionary. */
export async function findStopWords(client: pg.Client, words: string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ word: string }>(
    `SELECT word FROM unnest($1::text[]) AS word WHERE ts_lexize('english_stem', word) = '{}'`,
    [words],
  );
  return new Set(rows.map(({ word }) => word));
}
