/** The operations on the history of queries. */
import { v7 as uuidv7 } from 'uuid';
import type { QueryRequest } from '../../../../generated/types.gen.ts';
import type { State } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';

/** The queries that are kept, and the characters that their requests may have together. */
const KEPT_MAX = 1_000;
const KEPT_CHARACTERS_MAX = 1_000_000;
/** How long every search of the mock takes. */
const DURATION_MS = 12;

/** Keeps an answered query, if that is wanted. */
export function keepQuery({ history, now }: State, request: QueryRequest, resultCount: number): void {
  if (history === undefined) return;
  const query = { id: uuidv7(), sentAt: now().toISOString(), request, resultCount, durationMs: DURATION_MS };
  let characters = 0;
  history.queries = [query, ...history.queries].slice(0, KEPT_MAX).filter((kept) => {
    characters += JSON.stringify(kept.request).length;
    return characters <= KEPT_CHARACTERS_MAX;
  });
}

/** Removes the queries that name a knowledge base, also by its documents. */
export function forgetKnowledgeBase({ history }: State, knowledgeBaseId: string): void {
  if (history === undefined) return;
  const names = ({ knowledgeBaseIds = [], documentIds = [] }: QueryRequest) =>
    [...knowledgeBaseIds, ...documentIds].some((id) => id.startsWith(knowledgeBaseId));
  history.queries = history.queries.filter(({ request }) => !names(request));
}

export const queryHistoryAnswers = {
  listQueries({ limit = KEPT_MAX }, { state: { history } }) {
    const keptSince = history?.keptSince.toISOString() ?? null;
    return { data: { keptSince, queries: history?.queries.slice(0, limit) ?? [] } };
  },

  setQueryHistory({ enabled }, { state }) {
    state.history = enabled ? (state.history ?? { keptSince: state.now(), queries: [] }) : undefined;
    return { data: { keptSince: state.history?.keptSince.toISOString() ?? null } };
  },
} satisfies Partial<MemoryAnswers>;
