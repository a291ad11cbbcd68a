/** SQLite's full-text search in this process: FTS5 with its bm25() and the Porter stemmer, any of the words. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** As much as the embedded PostgreSQL has for its pages. Negative: in KiB (SQLite manual, PRAGMA cache_size). */
const CACHE_SIZE_KIB = -262_144;

/** The words of a query, split as FTS5 does. */
export const wordsOf = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The words quoted, so that none is an operator (FTS5 manual, 3.1). Drops stop words, unless all words are stop words.
 */
function toMatch(query: string, stopWords: ReadonlySet<string>): string {
  const words = [...new Set(wordsOf(query))];
  const searched = words.filter((word) => !stopWords.has(word));
  return (searched.length > 0 ? searched : words).map((word) => `"${word}"`).join(' OR ');
}

/** Indexes the texts in a file and runs `use` with the search in it. FTS5 itself has no stop words. */
export async function withSqlite<T>(
  texts: string[],
  stopWords: ReadonlySet<string>,
  use: (search: (query: string) => void) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-sqlite-'));
  const database = new DatabaseSync(join(directory, 'texts.db'));
  try {
    database.exec(`PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = ${CACHE_SIZE_KIB};
      CREATE VIRTUAL TABLE texts USING fts5(content, tokenize = 'porter unicode61'); BEGIN`);
    const insert = database.prepare('INSERT INTO texts (content) VALUES (?)');
    for (const text of texts) insert.run(text);
    database.exec(`COMMIT; INSERT INTO texts (texts) VALUES ('optimize')`);
    const statement = database.prepare(
      'SELECT content, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10',
    );
    return await use((query) => void statement.all(toMatch(query, stopWords)));
  } finally {
    database.close();
    await rm(directory, { recursive: true, force: true });
  }
}
