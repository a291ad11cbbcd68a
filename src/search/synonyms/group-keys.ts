/** The keys by which a query finds the groups of synonyms that may be about its words. */
import { sql } from 'kysely';
import { LANGUAGES } from '../../analysis/language.ts';
import { wordsToStem } from '../../analysis/lexemes.ts';
import { foldAccents, unifyLetters } from '../../analysis/normalise.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { dictionaryOf, stemSql } from '../../indexing/stems.ts';
import { type SynonymGroup, writingsOf } from './synonym-groups.ts';

/** The stems of a word in all languages. */
type AllStems = ReadonlyMap<string, string[]>;

const DICTIONARIES = LANGUAGES.map(dictionaryOf).filter((dictionary) => dictionary !== undefined);

/** The token of a term that is probably the rarest one: few other queries have it. */
const longestOf = (tokens: string[]): string =>
  tokens.reduce((longest, token) => (token.length > longest.length ? token : longest), '');

/** The tokens by which a query finds a group: of each term that finds others, one of each writing. */
const keyTokensOf = ({ terms }: SynonymGroup): string[] => [
  ...new Set(terms.flatMap((term) => writingsOf(term).map(longestOf))),
];

/** All lexemes that the token has in any language (see `lexemesOf`). */
function lexemesInAll(token: string, stems: AllStems): string[] {
  const plain = foldAccents(token);
  const asWritten = [token, ...(stems.get(token) ?? [])].map(unifyLetters);
  const unaccented = [plain, ...(stems.get(plain) ?? [])].map(foldAccents);
  return [...new Set([...asWritten, ...unaccented])];
}

async function readAllStems(database: Queryable, words: string[]): Promise<AllStems> {
  const { rows } = await sql<{ word: string; stems: string[] }>`
    SELECT word, array_agg(DISTINCT stem) AS stems FROM (
      SELECT word, ${stemSql(sql.ref('dictionary'), sql.ref('word'))} AS stem
      FROM unnest(${words}::text[]) AS given (word), unnest(${DICTIONARIES}::text[]) AS languages (dictionary)) AS stemmed
    WHERE stem <> '' AND stem <> word GROUP BY word`.execute(database);
  return new Map(rows.map(({ word, stems }) => [word, stems]));
}

/**
 * The keys of each group: lexemes in any language, of which a query has one if it has a term of the group. So they stay
 * right when a knowledge base gets texts in another language.
 */
export async function keysOf(database: Queryable, groups: SynonymGroup[]): Promise<string[][]> {
  const tokens = groups.map(keyTokensOf);
  const stems = await readAllStems(database, wordsToStem(tokens.flat()));
  return tokens.map((ofGroup) => [...new Set(ofGroup.flatMap((token) => lexemesInAll(token, stems)))]);
}
