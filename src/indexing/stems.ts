/**
 * Stems the words of passages and queries with PostgreSQL's Snowball dictionaries, and remembers the stems. `LANGUAGES`
 * in analysis/language.ts lists the languages. The dictionaries decide which words are stop words: no list of them is
 * kept here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { LANGUAGES } from '../analysis/language.ts';
import type { Stem } from '../analysis/lexemes.ts';
import { createBoundedCache } from '../concurrency/bounded-cache.ts';
import type { Queryable } from '../database/connection/database.ts';

/** Stems that this process remembers, in all languages together: about 20 MB. */
const REMEMBERED_STEMS = 100_000;

/** The remembered stems; '' for a stop word. */
export type StemMemory = {
  recall(language: string, word: string): string | undefined;
  remember(language: string, word: string, stem: string): void;
};

export function createStemMemory(): StemMemory {
  const stems = createBoundedCache<string>(REMEMBERED_STEMS);
  return {
    recall: (language, word) => stems.get(`${language}:${word}`),
    remember: (language, word, stem) => void stems.set(`${language}:${word}`, stem),
  };
}

const DICTIONARIES: ReadonlyMap<string, string> = new Map(
  LANGUAGES.map((language) => [language, `${language}_stem`]),
);

/**
 * Language → PostgreSQL's dictionary: `english` → `english_stem`; undefined for `simple`, which has no stemmer.
 * @throws for a language that the language detection does not know: a bug
 */
export function dictionaryOf(language: string): string | undefined {
  if (language === 'simple') return undefined;
  const dictionary = DICTIONARIES.get(language);
  if (dictionary === undefined) throw new Error(`no stemmer for ${language}`);
  return dictionary;
}

/** The languages whose dictionaries have a list of stop words (PostgreSQL's src/backend/snowball/stopwords). */
const WITH_STOP_WORDS: ReadonlySet<string> = new Set([
  ...['danish', 'dutch', 'english', 'finnish', 'french', 'german', 'hungarian', 'italian', 'nepali'],
  ...['norwegian', 'portuguese', 'russian', 'spanish', 'swedish', 'turkish'],
]);
export const hasStopWords = (language: string): boolean => WITH_STOP_WORDS.has(language);

/** SQL for a word's stem; `ts_lexize` returns an empty array for a stop word (PostgreSQL manual, 9.13). */
export const stemSql = (dictionary: unknown, word: RawBuilder<unknown>) =>
  sql<string>`coalesce((ts_lexize(${dictionary}::regdictionary, ${word}))[1], '')`;

async function lexize(database: Queryable, dictionary: string, words: string[]): Promise<string[]> {
  const { rows } = await sql<{ stem: string }>`
    SELECT ${stemSql(dictionary, sql.ref('word'))} AS stem
    FROM unnest(${words}::text[]) WITH ORDINALITY AS given (word, ordinal) ORDER BY ordinal`.execute(
    database,
  );
  return rows.map(({ stem }) => stem);
}

/** Stems as `Stem` does. `over`: the transaction whose connection it uses; by default, any connection. */
export type StemOver = (language: string, words: string[], over?: Queryable) => Promise<string[]>;

/**
 * Creates the stemmer over `database`. One statement stems the words of a language that `memory` lacks.
 * @returns a function that throws when the database is not available, or for a language without a stemmer
 */
export function createStem(database: Queryable, memory: StemMemory = createStemMemory()): StemOver {
  return async (language, words, over = database) => {
    const dictionary = dictionaryOf(language);
    if (dictionary === undefined) throw new Error(`no stemmer for ${language}`);
    const stems = words.map((word) => memory.recall(language, word));
    const unknown = words.filter((_, i) => stems[i] === undefined);
    const found = unknown.length === 0 ? [] : await lexize(over, dictionary, unknown);
    unknown.forEach((word, i) => {
      memory.remember(language, word, found[i] ?? word);
    });
    let next = 0;
    return words.map((word, i) => stems[i] ?? found[next++] ?? word);
  };
}

/**
 * How long a document whose transaction has begun waits for stems over another connection. They take a few milliseconds
 * if one is free. Over the transaction's own connection they would always wait for the insertion of a batch: a large
 * text took an eighth longer.
 */
const OTHER_CONNECTION_WAIT_MS = 100;

/**
 * The stems of one document, over any connection. After `stemOver`, they come over the connection of that transaction
 * if the pool is empty: else transactions that hold all connections would wait for each other.
 */
export function createDocumentStem(stem: StemOver): { stem: Stem; stemOver(transaction: Queryable): void } {
  let transaction: Queryable | undefined;
  let areOthersTaken = false;
  const begun = Promise.withResolvers<void>();
  return {
    async stem(language, words) {
      if (areOthersTaken) return await stem(language, words, transaction);
      const elsewhere = stem(language, words).catch((error: unknown) => {
        if (transaction === undefined) throw error;
      });
      const late = begun.promise.then(() => delay(OTHER_CONNECTION_WAIT_MS, undefined, { ref: false }));
      const stems = await Promise.race([elsewhere, late]);
      if (stems !== undefined) return stems;
      areOthersTaken = true;
      return await stem(language, words, transaction);
    },
    stemOver(given) {
      transaction = given;
      begun.resolve();
    },
  };
}
