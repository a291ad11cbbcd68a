/** The documents of a knowledge base, as many as were asked for, kept up to date while imports go on. */
import { type Signal, signal } from '@preact/signals';
import type { Document, DocumentStatus, KnowledgeBase, KnowledgeRetrieval } from '../../client/index.ts';
import { isUnsettled } from './status.tsx';
import { isUploading } from './uploads/uploads.ts';

export type DocumentQuery = { knowledgeBaseId: string; status?: DocumentStatus; titleContains?: string };

type State = {
  /** With the present numbers of its documents; undefined: not loaded yet. */
  knowledgeBase: KnowledgeBase | undefined;
  /** The newest first. */
  documents: Document[];
  /** Where the next documents begin; null: all are loaded. */
  nextCursor: string | null;
  isLoading: boolean;
  error: unknown;
};

export type DocumentList = {
  state: Signal<State>;
  loadMore(): Promise<void>;
  /** Loads again what may have changed. */
  refresh(): Promise<void>;
  /** Shows a change that the page knows without a request. */
  replace(changed: Document): void;
  remove(ids: ReadonlySet<string>): void;
  /** Ends all requests. */
  end(): void;
};

/** Documents of one request: three screens. */
const PAGE_LIMIT = 100;
/** The most documents that a list returns at once. */
const LIMIT_MAX = 1_000;
/** While documents are being read. A small file takes less than a second. */
const BUSY_INTERVAL_MS = 1_000;
/** While nothing goes on here: other people and programs may add documents. */
const IDLE_INTERVAL_MS = 15_000;

const isBusy = ({ documents, knowledgeBase }: State): boolean => {
  const { pending = 0, processing = 0 } = knowledgeBase?.documentsByStatus ?? {};
  return isUploading.peek() || pending + processing > 0 || documents.some(isUnsettled);
};

/**
 * Loads the first documents, and refreshes them until `end`. A page in the background sends no requests.
 * @param knowledgeBase as it is known so far
 */
export function createDocumentList(
  service: KnowledgeRetrieval,
  query: DocumentQuery,
  knowledgeBase: KnowledgeBase | undefined,
): DocumentList {
  const state = signal<State>({
    knowledgeBase,
    documents: [],
    nextCursor: null,
    isLoading: true,
    error: undefined,
  });
  const ending = new AbortController();
  const change = (changes: Partial<State>) => {
    if (!ending.signal.aborted) state.value = { ...state.value, ...changes };
  };
  const list = (limit: number, cursor: string | null) =>
    service.listDocuments({ ...query, limit, ...(cursor !== null && { cursor }) }, { signal: ending.signal });

  /** The first `count` documents or more, and where the next ones begin. */
  const listNewest = async (count: number) => {
    const documents: Document[] = [];
    let nextCursor: string | null = null;
    do {
      const limit = Math.min(LIMIT_MAX, Math.max(PAGE_LIMIT, count - documents.length));
      const page: Awaited<ReturnType<typeof list>> = await list(limit, nextCursor);
      documents.push(...page.data);
      nextCursor = page.pagination.nextCursor;
    } while (nextCursor !== null && documents.length < count);
    return { documents, nextCursor };
  };

  /** Older documents stay as they are: imports that go on are among the newest. */
  const refresh = async () => {
    try {
      const lastUnsettled = state.value.documents.findLastIndex(isUnsettled);
      const [knowledgeBase, newest] = await Promise.all([
        service.getKnowledgeBase(query.knowledgeBaseId, { signal: ending.signal }),
        listNewest(lastUnsettled + 1),
      ]);
      const { documents, nextCursor } = state.value;
      const last = newest.documents.at(-1);
      const lastIndex = documents.findIndex(({ id }) => id === last?.id);
      const older = newest.nextCursor === null || lastIndex < 0 ? [] : documents.slice(lastIndex + 1);
      change({
        knowledgeBase,
        documents: [...newest.documents, ...older],
        nextCursor: older.length > 0 ? nextCursor : newest.nextCursor,
        isLoading: false,
        error: undefined,
      });
    } catch (error) {
      change({ error, isLoading: false });
    }
  };

  const loadMore = async () => {
    const { isLoading, nextCursor } = state.value;
    if (isLoading || nextCursor === null) return;
    change({ isLoading: true });
    try {
      const page = await list(PAGE_LIMIT * 2, nextCursor);
      const known = new Set(state.value.documents.map(({ id }) => id));
      const added = page.data.filter(({ id }) => !known.has(id));
      change({
        documents: [...state.value.documents, ...added],
        nextCursor: page.pagination.nextCursor,
        isLoading: false,
      });
    } catch (error) {
      change({ error, isLoading: false });
    }
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = async () => {
    if (!document.hidden) await refresh();
    if (ending.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(watch, isBusy(state.value) ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS);
  };
  void watch();

  return {
    state,
    loadMore,
    refresh: watch,
    replace: (changed) =>
      change({
        documents: state.value.documents.map((document) =>
          document.id === changed.id ? { ...document, ...changed } : document,
        ),
      }),
    remove: (ids) => change({ documents: state.value.documents.filter(({ id }) => !ids.has(id)) }),
    end() {
      ending.abort();
      clearTimeout(timer);
    },
  };
}
