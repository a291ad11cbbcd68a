/** SQLite's full-text search in this process: FTS5 with its bm25(), any of the words. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Peer, type PeerCorpus, type Ranked, RESULTS, timed, withTemporaryDirectory } from './peer.ts';
import { joinByOr, ngramsOf, searchedWords, wordsOf } from './words.ts';

/** As much as the embedded PostgreSQL has for its pages. Negative: in KiB (SQLite manual, PRAGMA cache_size). */
const CACHE_SIZE_KIB = -262_144;

/** Its trigrams are FTS5's only way to find a part of a run of Chinese characters (FTS5 manual, 4.3). */
const TOKENIZERS = { english: 'porter unicode61', chinese: 'trigram' };
const TRIGRAM = 3;

/** The query in FTS5's syntax (FTS5 manual, 3). */
const toMatch = (query: string, { language, stopWords }: PeerCorpus): string =>
  language === 'chinese'
    ? joinByOr(wordsOf(query).flatMap((word) => ngramsOf(word, TRIGRAM)))
    : joinByOr(searchedWords(query, stopWords));

/** Makes the index of the texts in a file, each under its position. */
function fill(database: DatabaseSync, { texts, language }: PeerCorpus): void {
  database.exec(`PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = ${CACHE_SIZE_KIB};
    CREATE VIRTUAL TABLE texts USING fts5(content, tokenize = '${TOKENIZERS[language]}'); BEGIN`);
  const insert = database.prepare('INSERT INTO texts (rowid, content) VALUES (?, ?)');
  for (const [position, text] of texts.entries()) insert.run(position, text);
  database.exec(`COMMIT; INSERT INTO texts (texts) VALUES ('optimize')`);
}

/** SQLite FTS5, as Node brings it along. It has no stop words of its own. */
export const sqlitePeer: Peer = {
  name: 'SQLite FTS5',
  withIndex: (corpus, use) =>
    withTemporaryDirectory('sqlite', async (directory) => {
      const database = new DatabaseSync(join(directory, 'texts.db'));
      try {
        fill(database, corpus);
        // A better text has a lower bm25() (FTS5 manual, 5.1.1).
        const statement = database.prepare(
          `SELECT rowid AS position, content, -rank AS score FROM texts WHERE texts MATCH ? ORDER BY rank
            LIMIT ${RESULTS}`,
        );
        const search = (query: string) => {
          const match = toMatch(query, corpus);
          // FTS5 refuses an empty query.
          return match === '' ? [] : (statement.all(match) as Ranked[]); // its columns
        };
        return await use((query) => timed(() => search(query)));
      } finally {
        database.close();
      }
    }),
};
