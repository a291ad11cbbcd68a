/** Analyses a query in the same way as passages, once for each language of the searched passages. */

import { isCommonWord } from '../../analysis/common-words.ts';
import { compoundsAmong } from '../../analysis/compounds.ts';
import { foreignLanguage } from '../../analysis/foreign-language.ts';
import { detectLanguage } from '../../analysis/language.ts';
import { lexemesOf, type Stems, wordsToStem } from '../../analysis/lexemes.ts';
import { foldAccents } from '../../analysis/normalise.ts';
import { mayBeChinese } from '../../analysis/notations/chinese.ts';
import { isHint, isMarked, readableToken } from '../../analysis/notations/marks.ts';
import { createPartTest, otherNotations } from '../../analysis/notations/notations.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { queryFrequencyWeight } from '../bm25.ts';
import { phraseWordsToStem, type QuotedPhrases, readPhrases } from '../phrases/phrases.ts';
import type { Synonym } from '../synonyms/synonym-spans.ts';

/**
 * A term as its query writes it.
 *
 * - `word`: the word or bigram in lower case; of several with the same stem, the first. A date or identifier in its
 *   common form (see notations.ts).
 * - `tokens`: all of them.
 * - `isInformative`: neither a stop word beside other words, nor a part of a number, date or identifier, nor a stacked
 *   token other than a date or identifier.
 */
export type NamedTerm = { word: string; tokens: string[]; isInformative: boolean };

/**
 * A query term.
 *
 * - `lexemes`: its distinct variants as the query writes the word, one for each language.
 * - `unaccented`: further variants: of the word without its accents, the same in other notations, and a compound of
 *   which it is a part.
 * - `frequency`: how often the query has the term.
 * - `weight`: against the weight of an informative word, above 0 and at most 1.
 * - `share`: of all passages, the share that usually has such a word.
 * - `isForeign`: the query is in none of the passages' languages (see foreign-language.ts).
 * - `synonyms`: what passages may have instead of the word, or of several words of the query that it is one of.
 *
 * A passage contains the term if it contains any variant. The variant that adds most to the score counts.
 */
export type QueryTerm = NamedTerm & {
  lexemes: string[];
  unaccented: string[];
  frequency: number;
  isStopWord: boolean;
  weight: number;
  share: number;
  isForeign?: true;
  synonyms?: Synonym[];
};

/**
 * Weight of stop words. They complete names and phrases, but must not outweigh the informative words. Compared with a
 * search without stop words, nDCG@10 rises by .001 to .003 on xquad-en, -de and -ru. At full weight it falls by .001 to
 * .002 there, and by .007 on cranfield and msmarco-sub.
 */
const STOP_WORD_WEIGHT = 0.25;
/**
 * Weight of stacked tokens (see tokens.ts), which are mostly unigrams. nDCG@10 on the collections in Chinese, Japanese
 * and Korean is flat within .0015 from 0.3 to 0.5.
 */
const STACKED_TOKEN_WEIGHT = 0.4;
/**
 * Weight of hints (capitals, a day of any year) in a query of one word; in a longer one this over the number of words.
 * They decide what a word alone means; in a question the other words do. nDCG@10 of financebench-a, whose questions
 * have many abbreviations: .4 always .286, .4 over the words .2967, without hints .2976.
 */
const HINT_WEIGHT = 0.4;
/**
 * Weight of the parts of a date, an identifier or a grouped number: `5`, `3` and `2024` of `5.3.2024`. At full weight,
 * passages with these numbers anywhere come before the passage with the date in another notation.
 */
const PART_WEIGHT = 0.1;

/**
 * Weight of a compound of letters beside its parts, which are words of the query too: with full weight `pre-eclampsia`
 * counts three times, and outweighs the other words of a question. A compound with digits keeps its weight: `PDP-10` is
 * a name, and `10` alone says nothing. nDCG@10, and the mean of the ratios to BM25 over 19 collections, each without
 * `addCompounds`:
 *
 *                        mean     cranfield   scifact   pubmedqa   cacm
 *     1                  1.0712   .4150       .7049     .9866      .5050
 *     .6                 1.0717   .4190       .7060     .9876      .5031
 *     .4                 1.0723   .4208       .7098     .9876      .5027
 *     .15                         .4179       .7067     .9876      .5009
 *     .4, digits too              .4208       .7098     .9872      .4835
 */
const COMPOUND_WEIGHT = 0.4;

/**
 * The share of passages that have a word, before anything is known of a knowledge base: a common word, or another one.
 * Stop words are common, and so are stacked tokens: characters that many words have.
 */
const [COMMON_SHARE, OTHER_SHARE] = [0.3, 0.005];

/** Whether the language of the query has the word among its common ones, so that it is no misspelt one. */
export const isCommon = ({ share }: Pick<QueryTerm, 'share'>): boolean => share === COMMON_SHARE;

/**
 * Distinct tokens of a query; a longer query keeps its most frequent ones. Measured on queries that are the first 8,192
 * characters of an article: 40 of drcd-dev-articles, with 2,191 bigrams on average, and 9 of financebench-a, with 370
 * words. Of the ten passages found, the first number is the share that an unlimited query finds too, the second the
 * share that belongs to the article:
 *
 *                       512           256           128
 *   drcd-dev-articles   .982   .995   .900   .992   .850   .990
 *   financebench-a     1.000   .710   .872   .697   .850   .660
 */
const QUERY_TOKENS_MAX = 512;

/** Terms of a query that are scored: the weightiest ones. More cost time and do not improve the ranking. */
export const SCORED_TERMS_MAX = 64;

/** The frequency of each distinct token, in the order of first occurrence. */
type TokenCounts = ReadonlyMap<string, number>;

/** The tokens of a query. `words` and `stackedTokens` together have at most QUERY_TOKENS_MAX distinct tokens. */
export type QueryWords = {
  /** All in order, without the stacked ones. */
  tokens: string[];
  words: TokenCounts;
  /** Those stacked tokens that are not among the words. */
  stackedTokens: TokenCounts;
  /** The phrases in quotes. Their words are among `words`, too. */
  phrases: QuotedPhrases;
  /** The words that need stems. */
  toStem: string[];
  language: string;
  isPart(token: string): boolean;
  isChinese: boolean;
};

export function readQuery(query: string): QueryWords {
  const { tokens, stackedTokens } = tokenise(query);
  const words = mostFrequent(count(tokens), QUERY_TOKENS_MAX);
  const further = count(stackedTokens.filter((token) => !words.has(token)));
  const phrases = readPhrases(query);
  return {
    tokens,
    words,
    stackedTokens: mostFrequent(further, QUERY_TOKENS_MAX - words.size),
    phrases,
    toStem: [...new Set([...wordsToStem(words.keys()), ...phraseWordsToStem(phrases.spelt)])],
    language: detectLanguage(query),
    isPart: createPartTest([...words.keys(), ...further.keys()]),
    isChinese: mayBeChinese(query),
  };
}

/** Adds a token that has the lexemes of a term to the term. */
function addToken(
  term: QueryTerm,
  token: string,
  { frequency, unaccented }: Pick<QueryTerm, 'frequency' | 'unaccented'>,
): void {
  term.frequency += frequency;
  term.tokens.push(token);
  term.unaccented = [...new Set([...term.unaccented, ...unaccented])];
}

/**
 * Returns the distinct terms of a query in the order of first occurrence, terms of stacked tokens last.
 * `stemsByLanguage` has the stems of its words in each language of the searched passages; `simple` has none.
 *
 * A term is a stop word if it is one in the query's own language. If that language is uncertain or not searched, a stop
 * word of any searched language counts as one. In a query of stop words alone, they weigh as much as other words. In a
 * question of another language, its common words are stop words: `eine` is no misspelt `line`.
 */
export function analyseQuery(
  { tokens, words, stackedTokens, language, isPart, isChinese }: QueryWords,
  stemsByLanguage: ReadonlyMap<string, Stems>,
): QueryTerm[] {
  const allStems = [...stemsByLanguage.values()];
  const own = stemsByLanguage.get(language);
  const judges = own ? [own] : allStems;
  const foreign = own ? undefined : foreignLanguage([...words.keys()], language, [...stemsByLanguage.keys()]);
  const isStopWord = (token: string) =>
    judges.some((stems) => stems.get(token) === '') ||
    (foreign !== undefined && isCommonWord(token, [foreign]));
  const languages = own ? [language] : [...stemsByLanguage.keys()];
  const isCommon = (token: string) => isStopWord(token) || isCommonWord(token, languages);
  const stopWordWeight = [...words.keys()].every(isStopWord) ? 1 : STOP_WORD_WEIGHT;
  const compounds = compoundsAmong(tokens);
  const weightOf = (token: string) =>
    isPart(token) ? PART_WEIGHT : compounds.has(token) ? COMPOUND_WEIGHT : 1;
  const terms = new Map<string, QueryTerm>();
  for (const [token, frequency] of words) {
    const variants = unite(token, allStems, isChinese);
    const key = variants.lexemes.join(' ');
    const known = terms.get(key);
    if (known) addToken(known, token, { frequency, ...variants });
    else {
      const stop = isStopWord(token);
      const weight = weightOf(token);
      terms.set(key, {
        word: token,
        tokens: [token],
        isInformative: !isPart(token) && (!stop || stopWordWeight === 1),
        ...variants,
        frequency,
        isStopWord: stop,
        weight: stop ? stopWordWeight : weight,
        share: isCommon(token) ? COMMON_SHARE : OTHER_SHARE,
        ...(foreign !== undefined && { isForeign: true }),
      });
    }
  }
  addCompounds([...terms.values()], compounds);
  return [...terms.values(), ...stackedTerms(stackedTokens, [...terms.values()], isChinese)];
}

/**
 * Adds each compound to its parts, as a further variant: `preeclampsia` has both words of `pre-eclampsia`. Without it,
 * texts that write it in one word came after texts with one of the parts. As a variant like the word itself: cranfield
 * .4174 instead of .4212, financebench-a .2990 instead of .3033.
 */
function addCompounds(terms: QueryTerm[], compounds: ReadonlyMap<string, string[]>): void {
  if (compounds.size === 0) return;
  const byToken = new Map(terms.flatMap((term) => term.tokens.map((token) => [token, term])));
  for (const [compound, parts] of compounds)
    for (const part of parts.map((token) => byToken.get(token)))
      part?.unaccented.push(...(byToken.get(compound)?.lexemes ?? []));
}

/** The terms of those stacked tokens that are not variants of other terms already. */
function stackedTerms(stackedTokens: TokenCounts, terms: QueryTerm[], isChinese: boolean): QueryTerm[] {
  const known = new Set(
    terms.flatMap(({ tokens, unaccented }) => [...tokens, ...unaccented.filter(isMarked)]),
  );
  const further = [...stackedTokens].filter(([token]) => !known.has(token));
  const words = terms.filter(({ isInformative, isStopWord }) => isInformative || isStopWord).length;
  return further.map(([token, frequency]) => {
    const isInformative = isMarked(token) && !isHint(token);
    const weight = isHint(token) ? HINT_WEIGHT / Math.max(1, words) : STACKED_TOKEN_WEIGHT;
    return {
      word: readableToken(token),
      tokens: [token],
      isInformative,
      // A single character in the other script costs as much as a word, and says little.
      ...unite(token, [NO_STEMS], isChinese && isMarked(token)),
      frequency,
      isStopWord: false,
      weight: isInformative ? 1 : weight,
      share: isMarked(token) ? OTHER_SHARE : COMMON_SHARE,
    };
  });
}

/** A term's importance before its rarity is known. */
const importanceOf = ({ weight, frequency }: QueryTerm): number => weight * queryFrequencyWeight(frequency);

/**
 * Returns the most important terms in their original order: as many as together have `lexemesMax` lexemes, but at least
 * `termsMin` terms.
 */
export function mostImportant(
  terms: QueryTerm[],
  { lexemesMax, termsMin }: { lexemesMax: number; termsMin: number },
): QueryTerm[] {
  if (terms.length <= termsMin) return terms;
  let lexemeCount = 0;
  const fits = ({ lexemes, unaccented }: QueryTerm, index: number): boolean => {
    lexemeCount += lexemes.length + unaccented.length;
    return index < termsMin || lexemeCount <= lexemesMax;
  };
  const chosen = new Set(bestFirst(terms, importanceOf).filter(fits));
  return terms.filter((term) => chosen.has(term));
}

const NO_STEMS: Stems = new Map();

/** The lexemes of tokens as they are written, in all languages. */
export const lexemesAsWritten = (
  tokens: string[],
  stemsByLanguage: ReadonlyMap<string, Stems>,
): Map<string, string[]> => {
  const allStems = [...stemsByLanguage.values()];
  return new Map(tokens.map((token) => [token, unite(token, allStems, false).lexemes]));
};

/**
 * The variants of a token in all languages, in a fixed order. Languages with the same stems of the token have the same
 * variants. To compute them once takes a quarter of the time for accented words in 20 languages.
 */
function unite(
  token: string,
  stemsOfLanguages: Stems[],
  isChinese: boolean,
): Pick<QueryTerm, 'lexemes' | 'unaccented'> {
  const plain = foldAccents(token);
  const known = new Set<string>();
  const lexemes = new Set<string>();
  const others = new Set(otherNotations(token, isChinese));
  for (const stems of stemsOfLanguages) {
    const key = `${stems.get(token) ?? ''} ${stems.get(plain) ?? ''}`;
    if (known.has(key)) continue;
    known.add(key);
    const { asWritten, unaccented } = lexemesOf(token, stems);
    for (const lexeme of asWritten) lexemes.add(lexeme);
    for (const lexeme of unaccented) others.add(lexeme);
  }
  return { lexemes: [...lexemes].sort(), unaccented: [...others.difference(lexemes)].sort() };
}

function count(tokens: string[]): TokenCounts {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** The `max` tokens that occur most often, in their original order. */
function mostFrequent(counts: TokenCounts, max: number): TokenCounts {
  if (counts.size <= max) return counts;
  const byFrequency = bestFirst([...counts], ([, frequency]) => frequency);
  const chosen = new Set(byFrequency.slice(0, max).map(([token]) => token));
  return new Map([...counts].filter(([token]) => chosen.has(token)));
}

/**
 * Sorts elements by score, the highest first. Elements of equal score are taken from the beginning and the end in
 * turn, because a question about a long text stands before or after the text.
 */
function bestFirst<Element>(elements: Element[], scoreOf: (element: Element) => number): Element[] {
  const byScore = [...Map.groupBy(elements, scoreOf)].sort(([left], [right]) => right - left);
  return byScore.flatMap(
    ([, equals]) =>
      equals.map((_, turn) => equals.at(turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2) as Element), // within the array
  );
}
