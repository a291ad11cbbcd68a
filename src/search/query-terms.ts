/** Analyses a query: the same path as for passages, once for every language that the searched passages are in. */

import { detectLanguage } from '../analysis/language.ts';
import { lexemesOf, type Stems, wordsToStem } from '../analysis/lexemes.ts';
import { tokenise } from '../analysis/tokens.ts';
import { queryFrequencyWeight } from './bm25.ts';

/**
 * A word of the query. `lexemes` are its variants as the query writes it, one per language, distinct; `unaccented` are
 * further variants, of the word without its accents. A passage holds the term if it holds any of them, and counts it
 * by the one that adds most. `frequency` is how often the query has it, `weight` what it counts beside a word that
 * says something, above 0 and at most 1.
 */
export type QueryTerm = {
  lexemes: string[];
  unaccented: string[];
  frequency: number;
  isStopWord: boolean;
  weight: number;
};

/**
 * Stop words complete names and phrases, yet must not outvote the words that say something. Against leaving them
 * out, nDCG@10 rises by .001 to .003 on xquad-en, -de and -ru; at full weight it falls by .001 to .002 there, by
 * .007 on cranfield and msmarco-sub.
 */
const STOP_WORD_WEIGHT = 0.25;
/** nDCG@10 on the collections in Chinese, Japanese and Korean is flat within .0015 from 0.3 to 0.5. */
const FRAGMENT_WEIGHT = 0.4;

/**
 * Distinct tokens of a query; the most frequent ones of a longer one. Of the ten passages found for the first 8,192
 * characters of an article (40 of drcd-dev-articles, with 2,191 bigrams on average; 9 of financebench-a, 370 words) so
 * many are the same as without a bound, and so many are of the article:
 *
 *                       512           256           128
 *   drcd-dev-articles   .982   .995   .900   .992   .850   .990
 *   financebench-a     1.000   .710   .872   .697   .850   .660
 */
const QUERY_TOKENS_MAX = 512;

/** More terms than this sharpen no ranking any more, they only cost time: the weightiest of a long query are scored. */
export const SCORED_TERMS_MAX = 64;

/** How often each of some distinct tokens occurs, in the order in which they first do. */
type TokenCounts = ReadonlyMap<string, number>;

/** A query as it is written; `words` and `fragments` together have at most QUERY_TOKENS_MAX distinct tokens. */
export type QueryWords = {
  words: TokenCounts;
  /** None of them is one of the words. */
  fragments: TokenCounts;
  /** Its words whose stems have to be known. */
  toStem: string[];
  language: string;
};

export function readQuery(query: string): QueryWords {
  const { tokens, fragments } = tokenise(query);
  const words = mostFrequent(count(tokens), QUERY_TOKENS_MAX);
  const further = count(fragments.filter((token) => !words.has(token)));
  return {
    words,
    fragments: mostFrequent(further, QUERY_TOKENS_MAX - words.size),
    toStem: wordsToStem(words.keys()),
    language: detectLanguage(query),
  };
}

/**
 * The distinct terms of a query, in the order in which they first occur, fragments last. `stemsByLanguage` has the
 * stems of its words in each language that the searched passages are in, none in `simple`. A term is a stop word if
 * it is one in the query's own language; where that is unsure, or not searched, if it is one in any of them. In a
 * query of nothing else, stop words weigh as much as any word.
 */
export function analyseQuery(
  { words, fragments, language }: QueryWords,
  stemsByLanguage: ReadonlyMap<string, Stems>,
): QueryTerm[] {
  const allStems = [...stemsByLanguage.values()];
  const own = stemsByLanguage.get(language);
  const judges = own ? [own] : allStems;
  const isStopWord = (token: string) => judges.some((stems) => stems.get(token) === '');
  const stopWordWeight = [...words.keys()].every(isStopWord) ? 1 : STOP_WORD_WEIGHT;
  const terms = new Map<string, QueryTerm>();
  for (const [token, frequency] of words) {
    const variants = unite(token, allStems);
    const key = variants.lexemes.join(' ');
    const known = terms.get(key);
    if (known) {
      known.frequency += frequency;
      known.unaccented = [...new Set([...known.unaccented, ...variants.unaccented])];
    } else {
      const stop = isStopWord(token);
      terms.set(key, {
        ...variants,
        frequency,
        isStopWord: stop,
        weight: stop ? stopWordWeight : 1,
      });
    }
  }
  return [...terms.values(), ...fragmentTerms(fragments, terms)];
}

/** The fragments that are no term of their own already. */
function fragmentTerms(fragments: TokenCounts, terms: ReadonlyMap<string, QueryTerm>): QueryTerm[] {
  const further = [...fragments].filter(([token]) => !terms.has(token));
  return further.map(([token, frequency]) => ({
    ...unite(token, [NO_STEMS]),
    frequency,
    isStopWord: false,
    weight: FRAGMENT_WEIGHT,
  }));
}

/** What a term counts, before it is known how rare it is. */
const importanceOf = ({ weight, frequency }: QueryTerm): number => weight * queryFrequencyWeight(frequency);

/**
 * The most important terms, in their order: as many as have `lexemesMax` lexemes together, but `termsMin` in any case.
 */
export function mostImportant(
  terms: QueryTerm[],
  { lexemesMax, termsMin }: { lexemesMax: number; termsMin: number },
): QueryTerm[] {
  if (terms.length <= termsMin) return terms;
  let lexemeCount = 0;
  const fits = ({ lexemes, unaccented }: QueryTerm, place: number): boolean => {
    lexemeCount += lexemes.length + unaccented.length;
    return place < termsMin || lexemeCount <= lexemesMax;
  };
  const chosen = new Set(bestFirst(terms, importanceOf).filter(fits));
  return terms.filter((term) => chosen.has(term));
}

const NO_STEMS: Stems = new Map();

/** The variants of a token in all languages, in one order. */
function unite(token: string, stemsOfLanguages: Stems[]): Pick<QueryTerm, 'lexemes' | 'unaccented'> {
  const variants = stemsOfLanguages.map((stems) => lexemesOf(token, stems));
  const lexemes = new Set(variants.flatMap(({ asWritten }) => asWritten));
  const unaccented = new Set(variants.flatMap((variant) => variant.unaccented)).difference(lexemes);
  return { lexemes: [...lexemes].sort(), unaccented: [...unaccented].sort() };
}

function count(tokens: string[]): TokenCounts {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** The `max` tokens that occur most often; their order stays. */
function mostFrequent(counts: TokenCounts, max: number): TokenCounts {
  if (counts.size <= max) return counts;
  const byFrequency = bestFirst([...counts], ([, frequency]) => frequency);
  const chosen = new Set(byFrequency.slice(0, max).map(([token]) => token));
  return new Map([...counts].filter(([token]) => chosen.has(token)));
}

/**
 * The elements of a row by what they are worth, the most first. Equal ones come from both ends of the row by turns: what
 * is asked about a long text stands before or after it.
 */
function bestFirst<Element>(row: Element[], worthOf: (element: Element) => number): Element[] {
  const byWorth = [...Map.groupBy(row, worthOf)].sort(([left], [right]) => right - left);
  return byWorth.flatMap(
    ([, equals]) =>
      equals.map((_, turn) => equals.at(turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2) as Element), // within the row
  );
}
