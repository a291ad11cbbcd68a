/** Adds to found passages what a request asks for besides them: highlights, explanations, surroundings. */
import type { Explanation, PassageContext, Snippet } from '../../../generated/types.gen.ts';
import type { Span } from '../../analysis/token-spans.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { VectorsIn } from '../../meaning/passage-vectors.ts';
import { normPerLetter } from '../bm25.ts';
import type { Phrase } from '../phrases/phrases.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import type { QueryMeaning } from '../query/query-meaning.ts';
import type { FoundPassage } from '../ranking/statement/found-passages.ts';
import { readContexts } from './context-passages.ts';
import { type ExplainedScoring, explain } from './explanation.ts';
import { cutSnippet, freeTokens, highlight } from './highlights.ts';
import { readMatches } from './matches.ts';
import { readMeaningPairs } from './meaning-pairs.ts';

/** What to add to each passage. `contextPassages`: the number of neighbouring passages on each side. */
export type Details = { highlight: boolean; explain: boolean; contextPassages: number };

export type DetailedPassage = FoundPassage & {
  highlights?: Span[];
  snippet?: Snippet;
  explanation?: Explanation;
  context?: PassageContext;
};

/**
 * What a search has found its passages by. `phrases`: the query's phrases that all passages have.
 */
type FoundBy = {
  searched: SearchedKnowledgeBases;
  scoring: Omit<ExplainedScoring, 'perLetter' | 'phrases' | 'pairs'>;
  query: string;
  phrases: Phrase[];
  meaning: QueryMeaning | undefined;
  vectorsIn: VectorsIn | undefined;
  isByMeaning: boolean;
};

/** The details of `found`, in three statements at most. */
export async function addDetails(
  database: Queryable,
  found: FoundPassage[],
  {
    searched,
    scoring,
    query,
    phrases,
    meaning,
    vectorsIn,
    isByMeaning,
    details,
  }: FoundBy & { details: Details },
): Promise<DetailedPassage[]> {
  const needsMatches = details.highlight || details.explain;
  const explainsMeaning = details.explain && meaning !== undefined && vectorsIn !== undefined;
  const [matches, pairs, contexts] = await Promise.all([
    needsMatches ? readMatches(database, found, { terms: scoring.terms, phrases }) : [],
    explainsMeaning ? readMeaningPairs(database, found, { words: meaning.words, vectorsIn }) : [],
    details.contextPassages > 0 ? readContexts(database, found, details.contextPassages) : [],
  ]);
  const explained = { ...scoring, isByMeaning, phrases, perLetter: normPerLetter(searched) };
  const marked = { terms: scoring.terms, phrases, free: freeTokens(query, phrases) };
  return found.map((passage, i) => {
    const detailed: DetailedPassage = { ...passage };
    const matched = matches[i];
    if (details.highlight && matched !== undefined) {
      detailed.highlights = highlight(passage.content, matched, marked);
      detailed.snippet = cutSnippet(passage.content, detailed.highlights);
    }
    if (details.explain && matched !== undefined)
      detailed.explanation = explain(passage, matched, { ...explained, pairs: pairs[i] });
    const context = contexts[i];
    if (context !== undefined) detailed.context = context;
    return detailed;
  });
}
