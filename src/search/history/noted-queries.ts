/**
 * Notes the queries of accounts that keep them (rows/history/kept-queries.ts). A query never waits for that: it is
 * noted in memory after its answer, and stored with others. What a killed server has noted is lost.
 */
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { QueryRequest } from '../../../generated/types.gen.ts';
import { type BoundedCache, createBoundedCache } from '../../concurrency/bounded-cache.ts';
import { withStatementBound } from '../../database/connection/bounded-statements.ts';
import type { Database } from '../../database/connection/database.ts';
import { findKeepingAccounts, keepQueries } from '../../database/rows/history/kept-queries.ts';

/** What was asked and answered. `knowledgeBaseIds`: those that the request names, also by its documents. */
export type NotedQuery = {
  accountId: string;
  keyId: string;
  request: QueryRequest;
  knowledgeBaseIds: string[];
  resultCount: number;
  durationMs: number;
};

export type QueryHistory = {
  /** Notes a query, if its account may want that. Does not wait. */
  note(query: NotedQuery): void;
  /** Stores what is noted. Never throws: what cannot be stored is lost, and logged. */
  store(): Promise<void>;
  /** To be called when the account has begun to keep its queries: the next one is noted, and none from before. */
  noteFromNow(accountId: string): void;
};

/**
 * Queries are stored this long after the first of them was noted. As long, other servers may take an account that has
 * just begun to keep its queries for one that does not.
 */
export const STORED_AFTER_MS = 5_000;
/** With so much, of all accounts, the next ones begin anew; what comes while the last ones are stored may be lost. */
const NOTED_MAX = 1_000;
const NOTED_MAX_CHARACTERS = 2 ** 20;
const STORE_MAX_MS = 5_000;
const ACCOUNTS_MAX = 10_000;

type Waiting = Omit<NotedQuery, 'request'> & {
  text: string;
  isPrefix: boolean;
  request: string;
  notedAtMs: number;
};

/** Whether two queries of a key are steps of one search that somebody types: only its end is kept. */
const isTypedOn = (before: Waiting | undefined, { query }: QueryRequest): boolean =>
  before?.isPrefix === true && (query.startsWith(before.text) || before.text.startsWith(query));

/** What tells whether the next query is a step of the same search. */
const toTyped = ({ query, prefix }: QueryRequest): Pick<Waiting, 'text' | 'isPrefix'> => ({
  text: query,
  isPrefix: prefix === true,
});

/** The queries that wait for being stored. */
function createWaiting() {
  let waiting: Waiting[] = [];
  let characters = 0;
  return {
    /** Whether a request of this length has room. */
    hasRoom: (length: number): boolean =>
      waiting.length < NOTED_MAX && characters + length <= NOTED_MAX_CHARACTERS,
    /** Drops the key's last query, if the next query is a step of the same search. */
    dropTypedOn(keyId: string, following: QueryRequest): void {
      const last = waiting.findLastIndex((query) => query.keyId === keyId);
      if (!isTypedOn(waiting[last], following)) return;
      characters -= waiting[last]?.request.length ?? 0;
      waiting.splice(last, 1);
    },
    add(query: Waiting): void {
      characters += query.request.length;
      waiting.push(query);
    },
    dropAccount(accountId: string): void {
      waiting = waiting.filter((query) => query.accountId !== accountId);
    },
    takeAll(): Waiting[] {
      const all = waiting;
      [waiting, characters] = [[], 0];
      return all;
    },
  };
}

const toKept = (
  { text: _, isPrefix: __, keyId: ___, notedAtMs, durationMs, ...query }: Waiting,
  nowMs: number,
) => ({
  ...query,
  id: uuidv7(),
  durationMs: Math.round(durationMs),
  ageMs: nowMs - notedAtMs + durationMs,
});

/**
 * Stores queries in `database`, one batch after the other.
 * @param others gets the accounts that keep none, and until when that is taken for granted
 */
function createStoring(database: Database, log: Logger, others: BoundedCache<number>) {
  let storing: Promise<void> | undefined;
  const storeNow = async (noted: Waiting[]) => {
    const accountIds = new Set(noted.map(({ accountId }) => accountId));
    const keeping = await findKeepingAccounts(database, [...accountIds]);
    const nowMs = performance.now();
    for (const accountId of accountIds.difference(keeping)) others.set(accountId, nowMs + STORED_AFTER_MS);
    const kept = noted.filter(({ accountId }) => keeping.has(accountId)).map((query) => toKept(query, nowMs));
    if (kept.length > 0) await keepQueries(database, kept);
  };
  return {
    isBusy: (): boolean => storing !== undefined,
    async store(noted: Waiting[]): Promise<void> {
      const before = storing;
      const mine = (async () => {
        await before;
        if (noted.length === 0) return;
        await withStatementBound(STORE_MAX_MS, () => storeNow(noted)).catch((error) =>
          log.warn({ err: error, queries: noted.length }, 'queries could not be kept'),
        );
      })();
      storing = mine;
      await mine;
      if (storing === mine) storing = undefined;
    },
  };
}

/** Creates the history in `database`. */
export function createQueryHistory(database: Database, log: Logger): QueryHistory {
  /** Accounts that do not keep their queries, and until when that is taken for granted (`performance.now()`). */
  const others = createBoundedCache<number>(ACCOUNTS_MAX);
  const waiting = createWaiting();
  const storing = createStoring(database, log, others);
  let timer: NodeJS.Timeout | undefined;

  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await storing.store(waiting.takeAll());
  };
  /** Makes room for a request of this length. Returns whether there is any. */
  const makeRoom = (length: number): boolean => {
    if (waiting.hasRoom(length)) return true;
    if (storing.isBusy()) return false;
    void store();
    return true;
  };
  return {
    note({ request, ...query }) {
      if ((others.get(query.accountId) ?? 0) > performance.now()) return;
      waiting.dropTypedOn(query.keyId, request);
      const json = JSON.stringify(request);
      if (!makeRoom(json.length)) return;
      waiting.add({ ...query, ...toTyped(request), request: json, notedAtMs: performance.now() });
      timer ??= setTimeout(() => void store(), STORED_AFTER_MS).unref();
    },
    store,
    noteFromNow(accountId) {
      others.delete(accountId);
      waiting.dropAccount(accountId);
    },
  };
}
