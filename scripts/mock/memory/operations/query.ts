/** The query operation. */
import type {
  Explanation,
  PassageContext,
  QueryRequest,
  SynonymGroup,
} from '../../../../generated/types.gen.ts';
import { toDocumentFilter } from '../../../../src/database/rows/documents/document-filter.ts';
import { selectFields, toSearchResult } from '../../../../src/handlers/search.ts';
import { shareContexts } from '../../../../src/search/details/context-passages.ts';
import type { DetailedPassage } from '../../../../src/search/details/details.ts';
import { type ExplainedScoring, explain } from '../../../../src/search/details/explanation.ts';
import { cutSnippet, freeTokens, highlight } from '../../../../src/search/details/highlights.ts';
import type { Matches } from '../../../../src/search/details/matches.ts';
import type { FoundPassage } from '../../../../src/search/ranking/statement/found-passages.ts';
import { insufficientCredits } from '../../../../src/terms/errors.ts';
import { fitsFilter } from '../document-filter.ts';
import { type FoundByBoth, findByMode } from '../meaning.ts';
import { type IndexedPassage, lexemesIn } from '../passages.ts';
import { keepPhrases } from '../phrases.ts';
import { scorePassages } from '../search.ts';
import {
  documentsOf,
  requireDocuments,
  requireKnowledgeBases,
  SETTINGS,
  type State,
  type StoredDocument,
} from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { keepQuery } from './query-history.ts';

type Located = IndexedPassage & { document: StoredDocument };
type Found = FoundByBoth<Located>;

/** The documents of the searched knowledge bases. */
function searchedDocuments(state: State, { knowledgeBaseIds }: QueryRequest): StoredDocument[] {
  if (knowledgeBaseIds === undefined) return [...state.documents.values()];
  return requireKnowledgeBases(state, knowledgeBaseIds).flatMap((id) => documentsOf(state, id));
}

/** Best first, then the newer document, then the position in the document, then the id. */
function inOrder(left: Found, right: Found): number {
  const [a, b] = [left.passage, right.passage];
  return (
    right.score - left.score ||
    b.document.row.created_at.getTime() - a.document.row.created_at.getTime() ||
    a.position - b.position ||
    (a.document.row.id < b.document.row.id ? -1 : 1)
  );
}

/** Keeps the first passages of each document. */
function limitPerDocument(found: Found[], max: number): Found[] {
  const counts = new Map<StoredDocument, number>();
  return found.filter(({ passage: { document } }) => {
    const count = (counts.get(document) ?? 0) + 1;
    counts.set(document, count);
    return count <= max;
  });
}

/** Keeps the first of the passages with the same text, and says how many others there are. */
function keepDistinct(found: Found[]): (Found & { duplicates: number })[] {
  const texts = Map.groupBy(found, ({ passage }) => passage.content);
  return [...texts.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, duplicates: others.length }],
  );
}

/** The passage with the fields of its document. */
function toFound(found: Found): FoundPassage & Pick<Found, 'passage' | 'byWords' | 'meaning'> {
  const { passage, bm25 } = found;
  const { title, source, type, attributes, source_url, external_id } = passage.document.row;
  const described = { title, source, type, attributes, source_url, external_id };
  return { ...passage, ...described, ...found, combined: bm25, relevant: bm25, unlifted: bm25, cosine: null };
}

type Detailing = { request: QueryRequest; scoring: ExplainedScoring; context: PassageContext | undefined };

/** The parts of the score by words, unless only meaning counts, and the part of meaning. */
function explainBoth(
  { byWords, meaning, ...found }: ReturnType<typeof toFound>,
  matches: Matches,
  { request: { mode }, scoring }: Detailing,
): Explanation {
  const counting = mode === 'meaning' ? { ...scoring, terms: [], unknown: [] } : scoring;
  return { ...explain({ ...found, score: byWords }, matches, counting), ...(meaning && { meaning }) };
}

/** Adds what the request asks for besides the passage. */
function addDetails(found: ReturnType<typeof toFound>, detailing: Detailing): DetailedPassage {
  const { request, scoring, context } = detailing;
  const detailed: DetailedPassage = { ...found, ...(context && { context }) };
  if (!request.highlight && !request.explain) return detailed;
  const { length, frequencies } = found.passage;
  const tokens = lexemesIn(found.content);
  const matches = { length, frequencies, positions: tokens, tokens };
  if (request.highlight) {
    const free = freeTokens(request.query, scoring.phrases);
    detailed.highlights = highlight(found.content, matches, { ...scoring, free });
    detailed.snippet = cutSnippet(found.content, detailed.highlights);
  }
  if (request.explain) detailed.explanation = explainBoth(found, matches, detailing);
  return detailed;
}

/** The groups of the account, and of the searched knowledge bases. */
const groupsFor = ({ synonyms }: State, { knowledgeBaseIds }: QueryRequest): SynonymGroup[] =>
  [...synonyms].flatMap(([owner, groups]) =>
    owner === '' || knowledgeBaseIds === undefined || knowledgeBaseIds.includes(owner) ? groups : [],
  );

export const queryAnswers = {
  query(request, { state }) {
    const { query, prefix = false, limit = 10, documentIds, filter, contextPassages = 0, fields } = request;
    const { minScore = 0, maxPerDocument = Number.POSITIVE_INFINITY, mode = 'both', distinct } = request;
    if (filter !== undefined) toDocumentFilter(filter); // refuses wrong times
    const searched = searchedDocuments(state, request);
    const named = documentIds && new Set(requireDocuments(state, documentIds));
    if (state.balance < SETTINGS.creditsPerQuery) throw insufficientCredits();
    state.balance -= SETTINGS.creditsPerQuery;

    const isInScope = (document: StoredDocument) =>
      (named === undefined || named.has(document)) && fitsFilter(document, filter);
    const inScope = new Set(searched.filter(isInScope));
    const passages = searched.flatMap((document) =>
      document.passages.map((passage): Located => ({ ...passage, document })),
    );
    const scored = scorePassages(passages, { query, prefix, groups: groupsFor(state, request) });
    const own = passages.filter(({ document }) => inScope.has(document));
    const { kept, held, phrasesAsWords } = keepPhrases(own, query, (passage) => ({
      ...passage,
      title: passage.document.row.title,
    }));
    const results = new Set(kept);
    const good = findByMode(passages, scored, mode).filter(
      ({ passage, score }) => results.has(passage) && score >= minScore,
    );
    const ordered = good.sort(inOrder);
    const best = limitPerDocument(distinct ? keepDistinct(ordered) : ordered, maxPerDocument)
      .slice(0, limit)
      .map(toFound);
    const contexts = contextPassages > 0 ? shareContexts(best, passages, contextPassages) : [];
    const explained = { ...scored.scoring, phrases: held };
    const answers = best.map((each, i) =>
      toSearchResult(addDetails(each, { request, scoring: explained, context: contexts[i] })),
    );
    keepQuery(state, request, answers.length);
    return {
      data: fields ? answers.map((result) => selectFields(result, fields)) : answers,
      ...(phrasesAsWords.length > 0 && { phrasesAsWords }),
    };
  },
} satisfies Partial<MemoryAnswers>;
