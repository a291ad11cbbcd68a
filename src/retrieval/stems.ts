/** Stems words with PostgreSQL's own Snowball dictionaries, remembering what it has asked. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '../storage/database.ts';
import { LANGUAGES } from './language.ts';
import type { Stem } from './lexemes.ts';

/** Words remembered in this process, of all languages: about 20 MB. */
const REMEMBERED_STEMS = 100_000;

/** The dictionaries are PostgreSQL's, named by language; a name never comes from outside this list. */
const DICTIONARIES: ReadonlyMap<string, string> = new Map(
  LANGUAGES.map((language) => [language, `${language}_stem`]),
);

/** `ts_lexize` gives an empty array for a stop word; as everywhere, '' stands for that (PostgreSQL manual, 9.13). */
async function lexize(database: Database, dictionary: string, words: string[]): Promise<string[]> {
  const { rows } = await sql<{ stem: string }>`
    SELECT coalesce((ts_lexize(${dictionary}::regdictionary, word))[1], '') AS stem
    FROM unnest(${words}::text[]) WITH ORDINALITY AS asked (word, place) ORDER BY place`.execute(database);
  return rows.map(({ stem }) => stem);
}

/**
 * The stemmer over `database`: one query for the words of a language that it has not met lately.
 * @returns a function that throws when the database is away, or for a language that is not stemmed.
 */
export function createStem(database: Database): Stem {
  const remembered = new LRUCache<string, string>({ max: REMEMBERED_STEMS });
  return async (language, words) => {
    const dictionary = DICTIONARIES.get(language);
    if (dictionary === undefined || language === 'simple') throw new Error(`no stemmer for ${language}`);
    const keyOf = (word: string) => `${language}:${word}`;
    const stems = words.map((word) => remembered.get(keyOf(word)));
    const unknown = words.filter((_, i) => stems[i] === undefined);
    const asked = unknown.length === 0 ? [] : await lexize(database, dictionary, unknown);
    unknown.forEach((word, i) => {
      remembered.set(keyOf(word), asked[i] ?? word);
    });
    let next = 0;
    return words.map((word, i) => stems[i] ?? asked[next++] ?? word);
  };
}
