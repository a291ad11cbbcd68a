/** The keys by which a query finds the groups of synonyms that may be about its words. */
import { sql } from 'kysely';
import { LANGUAGES } from '../../analysis/language.ts';
import { wordsToStem } from '../../analysis/lexemes.ts';
import { foldAccents, unifyLetters } from '../../analysis/normalise.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { dictionaryOf, stemSql } from '../../indexing/stems.ts';
import type { SynonymGroup } from './synonym-groups.ts';
import { queriedWritings } from './term-notations.ts';

/** The stems of a word in all languages. */
type AllStems = ReadonlyMap<string, string[]>;

const DICTIONARIES = LANGUAGES.map(dictionaryOf).filter((dictionary) => dictionary !== undefined);

/** How many terms have each token. */
type TermCounts = ReadonlyMap<string, number>;

function countTerms(groups: SynonymGroup[]): TermCounts {
  const counts = new Map<string, number>();
  for (const tokens of groups.flatMap(({ terms }) => terms.flatMap(queriedWritings)))
    for (const token of new Set(tokens)) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/**
 * The token of a term that the fewest other terms have, so that a query finds few groups that it is not about: `hr` of
 * `department hr` where there are many departments. Of several the longest, which few other queries have.
 */
function keyTokenOf(tokens: string[], counts: TermCounts): string {
  const countOf = (token: string) => counts.get(token) ?? 0;
  const [rarest = ''] = tokens.toSorted(
    (left, right) => countOf(left) - countOf(right) || right.length - left.length,
  );
  return rarest;
}

/** The tokens by which a query finds a group: of each term that finds others, one of each writing. */
const keyTokensOf = ({ terms }: SynonymGroup, counts: TermCounts): string[] => [
  ...new Set(terms.flatMap((term) => queriedWritings(term).map((tokens) => keyTokenOf(tokens, counts)))),
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
      FROM unnest(${words}::text[]) AS given (word),
        unnest(${DICTIONARIES}::text[]) AS languages (dictionary)) AS stemmed
    WHERE stem <> '' AND stem <> word GROUP BY word`.execute(database);
  return new Map(rows.map(({ word, stems }) => [word, stems]));
}

/**
 * The keys of each group: lexemes in any language, of which a query has one if it has a term of the group. So they stay
 * right when a knowledge base gets texts in another language.
 */
export async function keysOf(database: Queryable, groups: SynonymGroup[]): Promise<string[][]> {
  const counts = countTerms(groups);
  const tokens = groups.map((group) => keyTokensOf(group, counts));
  const stems = await readAllStems(database, wordsToStem(tokens.flat()));
  return tokens.map((ofGroup) => [...new Set(ofGroup.flatMap((token) => lexemesInAll(token, stems)))]);
}
