/**
 * Expands the terms of a query by lexemes that the query does not write: fuzzy matches of terms that no passage
 * contains, and completions of its last word. One round trip looks for all of them; a query without any needs none.
 */
import type { Queryable } from '../../database/connection/database.ts';
import type { StemMemory } from '../../indexing/stems.ts';
import { COMPARED_MAX, lengthOf } from '../../meaning/passage-vectors.ts';
import { endsWithPhrase } from '../phrases/quoted-phrases.ts';
import { readFrequencies } from '../query/lexeme-frequencies.ts';
import type { QueryAnalysis, ScopedQuery } from '../query/query-analysis.ts';
import type { QueryTerm } from '../query/query-terms.ts';
import { completionsOf, incompleteTokens } from './completions.ts';
import { functionWordsAmong } from './function-words.ts';
import { type FuzzyMatches, fuzzyMatchesOf, guessableWords } from './fuzzy-matches.ts';
import { lookUpVisible } from './visible-vocabulary.ts';
import { type Found, type LexemePattern, lookUp } from './vocabulary.ts';

/** `fuzzy`: what counts if no passage contains the term, the nearest first. `completions`: of its last word. */
export type ExpandedTerm = QueryTerm & { fuzzy?: FuzzyMatches[]; completions?: string[] };

/** A query analysis with its terms expanded. */
export type ExpandedAnalysis = Omit<QueryAnalysis, 'terms'> & { terms: ExpandedTerm[] };

/** The analysis without the fuzzy matches that `isFalse` names. */
export const withoutGuesses = (
  analysis: ExpandedAnalysis,
  isFalse: (lexeme: string) => boolean,
): ExpandedAnalysis => ({
  ...analysis,
  terms: analysis.terms.map(({ fuzzy = [], ...term }) => ({
    ...term,
    fuzzy: fuzzy
      .map((kind) => ({ ...kind, lexemes: kind.lexemes.filter((lexeme) => !isFalse(lexeme)) }))
      .filter(({ lexemes }) => lexemes.length > 0),
  })),
});

/** A term to expand: what to look for, and what the lexemes found by each pattern add to the term. */
type Expansion = {
  term: QueryTerm;
  patterns: LexemePattern[];
  expand(found: Found[]): Partial<ExpandedTerm>;
};

/**
 * Spellings that a look-up of fuzzy matches may have, and their stems in all searched languages: as many as five words
 * of ten letters have in six languages. The first word always has them; further ones only within these bounds.
 */
const SPELLINGS_MAX = 3_000;
const STEMS_MAX = 18_000;

/**
 * The vector of a word that is rarer in the table's texts is longer: `garbage` has 201. Misspellings that the texts
 * have are among those: `accomodation` has 217, `guage` 253, `freind` 266.
 */
const SURE_WORD_LENGTH = 210;

/**
 * Whether passages are compared with the term by its meaning. A word that the language has is no misspelt one: `fire`
 * is not `five`, and `garbage` not `garage`. Where vectors count little beside words, the guess counts more: it finds
 * other forms of the word, which Arabic stems keep apart (nDCG@10 of xquad-ar .9243, without guesses .9148).
 */
const isCompared = ({ tokens }: QueryTerm, { meaning, statistics }: QueryAnalysis): boolean =>
  meaning !== undefined &&
  statistics.searched.passageCount <= COMPARED_MAX &&
  meaning.words
    .filter(({ word }) => tokens.includes(word))
    .some(({ vector }) => meaning.isForeign || (meaning.trust === 1 && lengthOf(vector) < SURE_WORD_LENGTH));

/** The terms that no passage contains, and that may be guessed. */
function unknownTerms(query: string, analysis: QueryAnalysis): QueryTerm[] {
  const { terms, statistics } = analysis;
  const { frequencies } = statistics;
  const isKnown = (lexeme: string) => frequencies.has(lexeme);
  const unknown = terms.filter(
    ({ lexemes, unaccented, isStopWord, synonyms = [] }) =>
      !isStopWord &&
      ![...lexemes, ...unaccented].some(isKnown) &&
      !synonyms.some(({ sequence }) => sequence.every(isKnown)),
  );
  if (unknown.length === 0) return [];
  const guessable = guessableWords(query);
  return unknown.filter((term) => guessable.has(term.word) && !isCompared(term, analysis));
}

function fuzzyExpansions(query: string, analysis: QueryAnalysis): Expansion[] {
  const { languages } = analysis.statistics.searched;
  const spellingsMax = Math.min(SPELLINGS_MAX, STEMS_MAX / Math.max(1, languages.length));
  const expansions: Expansion[] = [];
  let spellings = 0;
  for (const term of unknownTerms(query, analysis)) {
    const { patterns, choose } = fuzzyMatchesOf(term);
    if (patterns.length === 0) continue;
    spellings += patterns.reduce((sum, { words = [] }) => sum + words.length, 0);
    if (spellings > spellingsMax && expansions.length > 0) break;
    expansions.push({ term, patterns, expand: (found) => ({ fuzzy: choose(found) }) });
  }
  return expansions;
}

function completionExpansions(query: string, { terms, statistics }: QueryAnalysis): Expansion[] {
  return incompleteTokens(query).flatMap((token) => {
    const term = terms.find(({ word }) => word === token);
    if (term === undefined) return [];
    const { patterns, choose } = completionsOf(
      { word: token, stems: term.lexemes },
      statistics.searched.passageCount,
    );
    return [{ term, patterns, expand: (found: Found[]) => ({ completions: choose(found) }) }];
  });
}

/**
 * The document frequencies that the analysis has read, and the frequencies of the lexemes that the look-up has found. A
 * term's own lexemes are not added, even if an import has just stored them: a query finds a new document by all of its
 * words or by none.
 */
function joinFrequencies({ terms, statistics }: QueryAnalysis, found: Found[]): Map<string, number> {
  const { frequencies } = statistics;
  const own = terms.flatMap(({ lexemes, unaccented }) => [...lexemes, ...unaccented]);
  const added = new Map(found.flatMap((lexemes) => [...lexemes]));
  for (const lexeme of own) added.delete(lexeme);
  return new Map([...added, ...frequencies]);
}

/** What the look-up has found for each term. `found`: by the look-ups of all expansions, in their order. */
function addFound(expansions: Expansion[], found: Found[]): Map<QueryTerm, Partial<ExpandedTerm>> {
  const added = new Map<QueryTerm, Partial<ExpandedTerm>>();
  let next = 0;
  for (const { term, patterns, expand } of expansions) {
    const own = found.slice(next, next + patterns.length);
    next += patterns.length;
    added.set(term, { ...added.get(term), ...expand(own) });
  }
  return added;
}

/**
 * Expands the terms of an analysed query. `prefix`: the last word of the query may be the beginning of one. `memory`
 * has the stems of earlier words.
 */
export async function expandTerms(
  database: Queryable,
  { accountId, restriction, query, prefix = false }: ScopedQuery & { prefix?: boolean },
  analysis: QueryAnalysis,
  memory: StemMemory,
): Promise<ExpandedAnalysis> {
  const { searched } = analysis.statistics;
  if (searched.passageCount === 0) return analysis;
  const expansions = [
    ...fuzzyExpansions(query, analysis),
    ...(prefix && !endsWithPhrase(query) ? completionExpansions(query, analysis) : []),
  ];
  if (expansions.length === 0) return analysis;
  const scope = { accountId, restriction, ids: searched.ids };
  const vocabularies = { ...scope, languages: searched.languages };
  const patterns = expansions.flatMap((expansion) => expansion.patterns);
  const found = restriction
    ? await lookUpVisible(database, { ...vocabularies, restriction }, patterns)
    : await lookUp(database, vocabularies, patterns);
  const added = addFound(expansions, found);
  const known = joinFrequencies(analysis, found);
  const terms = analysis.terms.map((term) => ({ ...term, ...added.get(term) }));
  const guesses = terms.flatMap(({ fuzzy = [] }) => fuzzy.flatMap(({ lexemes }) => lexemes));
  const functionWords = await functionWordsAmong(guesses, searched.languages, { database, memory });
  const missing = terms.flatMap(({ completions = [] }) => completions).filter((lexeme) => !known.has(lexeme));
  const read = missing.length > 0 ? await readFrequencies(database, scope, missing) : [];
  const expanded = {
    ...analysis,
    terms,
    statistics: { ...analysis.statistics, frequencies: new Map([...known, ...read]) },
  };
  return functionWords.size === 0
    ? expanded
    : withoutGuesses(expanded, (lexeme) => functionWords.has(lexeme));
}
