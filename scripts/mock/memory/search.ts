/**
 * Ranks passages by BM25 over the words that the service's analysis finds. The service also stems words, looks at
 * neighbouring passages, and learns from the best results. Here, words count as forms of one word if they begin alike.
 */

import type { TermMatch } from '../../../generated/types.gen.ts';
import { editDistance } from '../../../src/analysis/edits/edit-distance.ts';
import { isStemmable } from '../../../src/analysis/tokens.ts';
import {
  inverseDocumentFrequency,
  lengthNorm,
  normPerLetter,
  queryFrequencyWeight,
  saturation,
  scoreUpperBound,
} from '../../../src/search/bm25.ts';
import type { ExplainedScoring } from '../../../src/search/details/explanation.ts';
import { placesOfSequence } from '../../../src/search/details/matches.ts';
import {
  analyseQuery,
  mostImportant,
  type QueryTerm,
  readQuery,
  SCORED_TERMS_MAX,
} from '../../../src/search/query/query-terms.ts';
import { withSynonyms } from '../../../src/search/query/synonyms-of-terms.ts';
import { ofLexeme, type Variant } from '../../../src/search/ranking/variants.ts';
import type { SynonymGroup } from '../../../src/search/synonyms/synonym-groups.ts';
import { findSpans } from '../../../src/search/synonyms/synonym-spans.ts';
import { areForms, FORM_MIN_LENGTH } from './forms.ts';
import { type IndexedPassage, lexemesIn } from './passages.ts';

type Term = ExplainedScoring['terms'][number];

/** The number of passages that have each lexeme. */
type Vocabulary = ReadonlyMap<string, number>;

/** Weights of words against the query's own: its other forms, and those that it may mean if it is misspelt. */
const FORM_WEIGHT = 0.95;
const NEAR_WEIGHT = 0.5;
/** A term is a stop word if more than this share of many passages have it. */
const STOP_WORD_SHARE = 0.2;
const MANY_PASSAGES = 20;

function countVocabulary(passages: IndexedPassage[]): Vocabulary {
  const counts = new Map<string, number>();
  for (const { frequencies } of passages)
    for (const lexeme of frequencies.keys()) counts.set(lexeme, (counts.get(lexeme) ?? 0) + 1);
  return counts;
}

/** The words of the vocabulary that stand for a term, with their weights. */
function wordsFor(
  { word, lexemes, unaccented }: QueryTerm,
  vocabulary: Vocabulary,
  isBeginning: boolean,
): [lexeme: string, weight: number, match: TermMatch][] {
  const own = [...lexemes, ...unaccented].filter((lexeme) => vocabulary.has(lexeme));
  const find = (isWanted: (lexeme: string) => boolean, weight: number, match: TermMatch) =>
    [...vocabulary.keys()]
      .filter((lexeme) => !own.includes(lexeme) && isWanted(lexeme))
      .map((lexeme): [string, number, TermMatch] => [lexeme, weight, match]);
  const found = own.map((lexeme): [string, number, TermMatch] => [lexeme, 1, 'word']);
  const plain = unaccented[0] ?? lexemes[0] ?? word;
  if (isBeginning)
    found.push(...find((lexeme) => lexeme.startsWith(plain), own.length > 0 ? FORM_WEIGHT : 1, 'completion'));
  // Identifiers, numbers and the bigrams of scripts without spaces have neither forms nor misspellings.
  if (!isStemmable(word) || word.length < FORM_MIN_LENGTH) return found;
  if (!isBeginning) found.push(...find((lexeme) => areForms(plain, lexeme), FORM_WEIGHT, 'word'));
  if (found.length > 0) return found;
  const isNear = (lexeme: string) =>
    Math.abs(lexeme.length - plain.length) <= 1 && isStemmable(lexeme) && editDistance(plain, lexeme) === 1;
  return find(isNear, NEAR_WEIGHT, 'guess');
}

/** `groups`: the synonyms that count for the query. */
type MockQuery = { query: string; prefix: boolean; groups: SynonymGroup[] };

/** The service stems words in PostgreSQL. */
const NO_STEMS = new Map([['simple', new Map<string, string>()]]);

/** A synonym counts less than the word of the query. */
const SYNONYM_WEIGHT = 0.9;

/** The terms of a query with their variants in these passages. `unknown`: those that no passage has. */
function weighTerms(
  passages: IndexedPassage[],
  { query, prefix, groups }: MockQuery,
): Pick<ExplainedScoring, 'terms' | 'unknown' | 'upperBound'> {
  const vocabulary = countVocabulary(passages);
  const analysed = analyseQuery(readQuery(query), NO_STEMS);
  const chosen = mostImportant(analysed, { lexemesMax: SCORED_TERMS_MAX, termsMin: SCORED_TERMS_MAX });
  // While its user types, the last word may be the beginning of one.
  const typed =
    prefix && /[\p{L}\p{M}\p{N}]$/u.test(query) ? chosen.findLast((term) => term.isInformative) : undefined;
  const { terms } = withSynonyms(query, chosen, findSpans(query, groups, NO_STEMS));
  const weighed = terms.map((term) => {
    const words = wordsFor(term, vocabulary, term === typed);
    const synonyms = (term.synonyms ?? []).filter(({ sequence }) =>
      sequence.every((lexeme) => vocabulary.has(lexeme)),
    );
    const count = Math.max(0, ...words.map(([lexeme]) => vocabulary.get(lexeme) ?? 0));
    const rarity = inverseDocumentFrequency(count, passages.length);
    const upperBound = scoreUpperBound(term.weight * queryFrequencyWeight(term.frequency) * rarity);
    const isFrequent = passages.length >= MANY_PASSAGES && count > STOP_WORD_SHARE * passages.length;
    const variants: Variant[] = [
      ...words.map(([lexeme, weight, match]) => ofLexeme(lexeme, upperBound * weight, match)),
      ...synonyms.map(({ sequence }) => ({
        sequence,
        upperBound: upperBound * SYNONYM_WEIGHT,
        match: 'synonym' as const,
      })),
    ];
    return {
      word: term.word,
      tokens: term.tokens,
      isInformative: term.isInformative && !isFrequent,
      variants,
      upperBound,
    };
  });
  const isKnown = ({ variants }: Term) => variants.length > 0;
  return {
    terms: weighed.filter(isKnown),
    unknown: weighed.filter((term) => !isKnown(term)),
    upperBound: weighed.reduce((sum, { upperBound }) => sum + upperBound, 0),
  };
}

/** The sum of what the terms add. Of a term's variants, the variant that adds most counts. */
function scoreOf({ frequencies, length, content }: IndexedPassage, terms: Term[], perLetter: number): number {
  const norm = lengthNorm(length, perLetter);
  const frequencyOf = (sequence: string[]): number =>
    sequence.length === 1
      ? (frequencies.get(sequence[0] ?? '') ?? 0)
      : placesOfSequence(sequence, lexemesIn(content)).length;
  const scoreOfVariant = ({ sequence, upperBound }: Variant) =>
    upperBound * saturation(frequencyOf(sequence), norm);
  return terms.reduce((sum, { variants }) => sum + Math.max(0, ...variants.map(scoreOfVariant)), 0);
}

/** Scores have 6 decimals. */
const UNITS = 1_000_000;

/** A passage that has a word of the query. `bm25`: its score before the division by the upper bound. */
export type ScoredPassage<Passage> = { passage: Passage; score: number; bm25: number };

/**
 * Scores passages. Those without any word of the query are left out.
 * @returns `found`, in the order of `passages`, and how the scores came about, for explanations and highlights
 */
export function scorePassages<Passage extends IndexedPassage>(
  passages: Passage[],
  query: MockQuery,
): { found: ScoredPassage<Passage>[]; scoring: Omit<ExplainedScoring, 'phrases'> } {
  const weighed = weighTerms(passages, query);
  const lengthTotal = passages.reduce((sum, { length }) => sum + length, 0);
  const perLetter = normPerLetter({ passageCount: passages.length, lengthTotal });
  const found = passages.flatMap((passage) => {
    const bm25 = scoreOf(passage, weighed.terms, perLetter);
    const score = Math.min(1, Math.round((bm25 / weighed.upperBound) * UNITS) / UNITS);
    return score > 0 ? [{ passage, score, bm25 }] : [];
  });
  return { found, scoring: { ...weighed, perLetter } };
}
