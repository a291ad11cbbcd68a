/** The documents of a knowledge base, as many as were asked for, kept up to date while imports go on. */
import { type Signal, signal } from '@preact/signals';
import type {
  Document,
  DocumentStatus,
  KnowledgeBase,
  KnowledgeRetrieval,
  Page,
} from '../../client/index.ts';
import { isUnsettled } from './status.tsx';
import { isUploading } from './uploads/uploads.ts';

/** `filter`: as text. */
export type DocumentQuery = {
  knowledgeBaseId: string;
  status?: DocumentStatus;
  titleContains?: string;
  filter?: string;
};

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
  /** Loads `count` further documents. */
  loadMore(count?: number): Promise<void>;
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
export const LIMIT_MAX = 1_000;
/** While documents are being read. A small file takes less than a second. */
const BUSY_INTERVAL_MS = 1_000;
/** While nothing goes on here: other people and programs may add documents. */
const IDLE_INTERVAL_MS = 15_000;

const isBusy = ({ documents, knowledgeBase }: State): boolean => {
  const { pending = 0, processing = 0 } = knowledgeBase?.documentsByStatus ?? {};
  return isUploading.peek() || pending + processing > 0 || documents.some(isUnsettled);
};

/** Lists one page of the documents. */
type ListPage = (limit: number, cursor: string | null) => Promise<Page<Document>>;
type Loaded = Pick<State, 'documents' | 'nextCursor'>;

/** The first `count` documents or more, and where the next documents begin. */
async function listNewest(list: ListPage, count: number): Promise<Loaded> {
  const documents: Document[] = [];
  let nextCursor: string | null = null;
  do {
    const limit = Math.min(LIMIT_MAX, Math.max(PAGE_LIMIT, count - documents.length));
    const page: Page<Document> = await list(limit, nextCursor);
    documents.push(...page.data);
    nextCursor = page.pagination.nextCursor;
  } while (nextCursor !== null && documents.length < count);
  return { documents, nextCursor };
}

/** The newest documents in place of those that are shown. Older ones stay: imports that go on are among the newest. */
function withNewest(shown: Loaded, newest: Loaded): Loaded {
  const last = newest.documents.at(-1);
  const lastIndex = shown.documents.findIndex(({ id }) => id === last?.id);
  const older = newest.nextCursor === null || lastIndex < 0 ? [] : shown.documents.slice(lastIndex + 1);
  return {
    documents: [...newest.documents, ...older],
    nextCursor: older.length > 0 ? shown.nextCursor : newest.nextCursor,
  };
}

function withMore(shown: Loaded, { data, pagination }: Page<Document>): Loaded {
  const known = new Set(shown.documents.map(({ id }) => id));
  const added = data.filter(({ id }) => !known.has(id));
  return { documents: [...shown.documents, ...added], nextCursor: pagination.nextCursor };
}

type Source = { service: KnowledgeRetrieval; query: DocumentQuery; signal: AbortSignal };

/** Loads documents into `state` until `signal` aborts. */
function createLoading(state: Signal<State>, { service, query, signal }: Source) {
  const change = (changes: Partial<State>) => {
    if (!signal.aborted) state.value = { ...state.value, ...changes };
  };
  const list: ListPage = (limit, cursor) =>
    service.listDocuments({ ...query, limit, ...(cursor !== null && { cursor }) }, { signal });

  /** Changes the state by what `read` has loaded, or by its error. */
  const load = async (read: () => Promise<Partial<State>>) => {
    try {
      change({ ...(await read()), isLoading: false });
    } catch (error) {
      change({ error, isLoading: false });
    }
  };

  const refresh = () =>
    load(async () => {
      const lastUnsettled = state.value.documents.findLastIndex(isUnsettled);
      const [knowledgeBase, newest] = await Promise.all([
        service.getKnowledgeBase(query.knowledgeBaseId, { signal }),
        listNewest(list, lastUnsettled + 1),
      ]);
      return { knowledgeBase, ...withNewest(state.value, newest), error: undefined };
    });

  const loadMore = async (count = PAGE_LIMIT * 2) => {
    const { isLoading, nextCursor } = state.value;
    if (isLoading || nextCursor === null) return;
    change({ isLoading: true });
    await load(async () => {
      const page = await list(count, nextCursor);
      return withMore(state.value, page);
    });
  };

  return { change, refresh, loadMore };
}

/**
 * Loads the first documents, and refreshes them until `end`. A page in the background sends no requests.
 * @param knowledgeBase as it is known so far
 */
export function createDocumentList(
  service: KnowledgeRetrieval,
  query: DocumentQuery,
  knowledgeBase: KnowledgeBase | undefined,
): DocumentList {
  const empty = { documents: [], nextCursor: null, isLoading: true, error: undefined };
  const state = signal<State>({ knowledgeBase, ...empty });
  const ending = new AbortController();
  const { change, refresh, loadMore } = createLoading(state, { service, query, signal: ending.signal });

  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = async () => {
    if (!document.hidden) await refresh();
    if (ending.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(watch, isBusy(state.value) ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS);
  };
  void watch();

  const changeDocuments = (toChanged: (documents: Document[]) => Document[]) =>
    change({ documents: toChanged(state.value.documents) });
  return {
    state,
    loadMore,
    refresh: watch,
    replace: (changed) =>
      changeDocuments((all) => all.map((one) => (one.id === changed.id ? { ...one, ...changed } : one))),
    remove: (ids) => changeDocuments((all) => all.filter(({ id }) => !ids.has(id))),
    end() {
      ending.abort();
      clearTimeout(timer);
    },
  };
}
