/**
 * Keeps the queries of accounts that want it. A query never waits for that: it is noted in memory after its answer, and
 * stored with others. What a killed server has noted is lost.
 */
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { QueryRequest } from '../../../generated/types.gen.ts';
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
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

/** Creates the history in `database`. */
export function createQueryHistory(database: Database, log: Logger): QueryHistory {
  let waiting: Waiting[] = [];
  let characters = 0;
  let storing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Accounts that do not keep their queries, and until when that is taken for granted (`performance.now()`). */
  const others = createBoundedCache<number>(ACCOUNTS_MAX);

  const storeNow = async (noted: Waiting[]) => {
    const keeping = await findKeepingAccounts(database, [
      ...new Set(noted.map(({ accountId }) => accountId)),
    ]);
    const nowMs = performance.now();
    for (const { accountId } of noted)
      if (!keeping.has(accountId)) others.set(accountId, nowMs + STORED_AFTER_MS);
    const kept = noted
      .filter(({ accountId }) => keeping.has(accountId))
      .map(({ text: _, isPrefix: __, keyId: ___, notedAtMs, durationMs, ...query }) => ({
        ...query,
        id: uuidv7(),
        durationMs: Math.round(durationMs),
        ageMs: nowMs - notedAtMs + durationMs,
      }));
    if (kept.length > 0) await keepQueries(database, kept);
  };
  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const noted = waiting;
    [waiting, characters] = [[], 0];
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
  };
  /** Makes room for a request of this length. Returns whether there is any. */
  const hasRoom = (length: number): boolean => {
    if (waiting.length < NOTED_MAX && characters + length <= NOTED_MAX_CHARACTERS) return true;
    if (storing !== undefined) return false;
    void store();
    return true;
  };
  return {
    note({ request, ...query }) {
      if ((others.get(query.accountId) ?? 0) > performance.now()) return;
      const before = waiting.findLastIndex(({ keyId }) => keyId === query.keyId);
      if (isTypedOn(waiting[before], request)) {
        characters -= waiting[before]?.request.length ?? 0;
        waiting.splice(before, 1);
      }
      const json = JSON.stringify(request);
      if (!hasRoom(json.length)) return;
      characters += json.length;
      waiting.push({
        ...query,
        text: request.query,
        isPrefix: request.prefix === true,
        request: json,
        notedAtMs: performance.now(),
      });
      timer ??= setTimeout(() => void store(), STORED_AFTER_MS).unref();
    },
    store,
    noteFromNow(accountId) {
      others.delete(accountId);
      waiting = waiting.filter((query) => query.accountId !== accountId);
    },
  };
}
