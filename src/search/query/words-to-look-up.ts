/** The words that a query looks up before it looks for passages: their stems, and the frequencies of their lexemes. */
import { type RawBuilder, sql } from 'kysely';
import { stemSql } from '../../indexing/stems.ts';

/** Words of one language; `dictionary` is PostgreSQL's name for its stemmer. */
type WordsToStem = { dictionary: string; words: string[] };

/**
 * The words and lexemes to look up.
 *
 * - `toStem`: words whose stems are looked up.
 * - `lexemes`: lexemes whose document frequencies are looked up, each with each of `prefixes`.
 * - `isCountingStems`: whether the document frequencies of the stems are looked up as well.
 * - `isFindingSynonyms`: whether the groups of synonyms about all of these are looked up as well.
 */
export type WordsToLookUp = {
  lexemes: string[];
  prefixes: string[];
  toStem: WordsToStem[];
  isCountingStems: boolean;
  isFindingSynonyms?: boolean;
};

type LookedUpValue = 'lexemes' | 'prefixes' | 'dictionaries' | 'words' | 'isCountingStems';

/** The tables of the words to look up, `stemmed` with their stems and `query_lexemes`. */
export const lookedUp = ({
  lexemes,
  prefixes,
  dictionaries,
  words,
  isCountingStems,
}: Record<LookedUpValue, RawBuilder<unknown>>) => sql`stemmed AS MATERIALIZED (
      SELECT word, ordinal, ${stemSql(sql.ref('dictionary'), sql.ref('word'))} AS stem
      FROM unnest(${dictionaries}::text[], ${words}::text[]) WITH ORDINALITY AS given (dictionary, word, ordinal)),
    query_lexemes AS MATERIALIZED (
      SELECT DISTINCT prefix || lexeme AS lexeme FROM (
        SELECT unnest(${lexemes}::text[])
        UNION ALL SELECT coalesce(nullif(stem, ''), word) FROM stemmed WHERE ${isCountingStems}::boolean
      ) AS given (lexeme), unnest(${prefixes}::text[]) AS prefix)`;

/** The values for `lookedUp`, but for the prefixes. */
export const wordValues = ({ lexemes, toStem, isCountingStems }: WordsToLookUp) => ({
  lexemes,
  dictionaries: toStem.flatMap(({ dictionary, words }) => words.map(() => dictionary)),
  words: toStem.flatMap(({ words }) => words),
  isCountingStems,
});
