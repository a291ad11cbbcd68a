/**
 * Long polls for the end of a document's import. The spec states the longest one (`WaitSeconds`). All long polls of a
 * server share one statement every tenth of a second, and hold neither connection nor transaction. Why not
 * LISTEN/NOTIFY: it serialises the commits of all imports (PostgreSQL source, async.c). It needs one more connection,
 * and polling for what is missed while that is broken.
 */
import type { Logger } from 'pino';
import type { Database } from '../database/connection/database.ts';
import { findUnfinished } from '../database/rows/documents/documents-by-id.ts';
import { formatScopedId, type ScopedId } from '../terms/ids.ts';

/** Interval between polls while a poll takes no more than a ninth of it. */
const POLL_INTERVAL_MS = 100;
/** Polling occupies the database for at most a tenth of the time. */
const PAUSE_FACTOR = 9;
/**
 * For all accounts together. Each long poll is an open connection of a client, and every poll looks up its document.
 */
const WAITS_MAX = 4_000;
/** For one account. */
const ACCOUNT_WAITS_MAX = 1_000;

export type LongPolls = {
  /**
   * Resolves when the document is not `pending` or `processing` any more, after `seconds`, or when `signal` aborts.
   * Resolves at once when the account has too many long polls already, or after `end`. When all accounts together have
   * too many, the oldest long poll of the account with the most ends early. Never rejects: while the database is
   * unavailable, polling continues.
   */
  untilFinal(document: OwnedDocument, wait: { seconds: number; signal: AbortSignal }): Promise<void>;
  /** Ends all long polls, and accepts no further ones. */
  end(): void;
};

type OwnedDocument = ScopedId & { accountId: string };

type Wait = { document: OwnedDocument; resolve(): void };

/** The long polls of all accounts. */
function createAccountWaits() {
  const byAccount = new Map<string, Set<Wait>>();
  let size = 0;
  const endOldestOfMost = () => {
    const most = [...byAccount.values()].reduce((left, right) => (right.size > left.size ? right : left));
    const [oldest] = most;
    oldest?.resolve();
  };
  return {
    size: () => size,
    all: (): Wait[] => [...byAccount.values()].flatMap((waits) => [...waits]),
    isFull: (accountId: string) => (byAccount.get(accountId)?.size ?? 0) >= ACCOUNT_WAITS_MAX,
    add(wait: Wait): void {
      const { accountId } = wait.document;
      const waits = byAccount.get(accountId) ?? new Set();
      byAccount.set(accountId, waits.add(wait));
      if (++size > WAITS_MAX) endOldestOfMost();
    },
    remove(wait: Wait): void {
      const { accountId } = wait.document;
      const waits = byAccount.get(accountId);
      if (!waits?.delete(wait)) return;
      size--;
      if (waits.size === 0) byAccount.delete(accountId);
    },
  };
}

/** Resolves every long poll whose document is finished. */
async function poll(database: Database, waits: Wait[]): Promise<void> {
  const byDocument = Map.groupBy(waits, ({ document }) => formatScopedId(document));
  const documents = byDocument.values().flatMap(([wait]) => (wait === undefined ? [] : [wait.document]));
  const unfinished = new Set((await findUnfinished(database, [...documents])).map(formatScopedId));
  for (const [id, group] of byDocument) if (!unfinished.has(id)) for (const { resolve } of group) resolve();
}

/** Long polls for the documents of `database`, which is queried only while a long poll is open. */
export function createLongPolls(database: Database, log: Logger): LongPolls {
  const waits = createAccountWaits();
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const schedule = (pauseMs = POLL_INTERVAL_MS) => {
    if (timer !== undefined || waits.size() === 0) return;
    timer = setTimeout(async () => {
      const startMs = performance.now();
      await poll(database, waits.all()).catch((error) => log.debug({ err: error }, 'long poll failed'));
      timer = undefined;
      schedule(Math.max(POLL_INTERVAL_MS, (performance.now() - startMs) * PAUSE_FACTOR));
    }, pauseMs);
  };

  return {
    async untilFinal(document, { seconds, signal }) {
      if (hasEnded || signal.aborted || seconds === 0 || waits.isFull(document.accountId)) return;
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const resolve = () => {
        waits.remove(wait);
        end();
      };
      const wait: Wait = { document, resolve };
      const deadline = setTimeout(resolve, seconds * 1000);
      signal.addEventListener('abort', resolve, { once: true });
      waits.add(wait);
      schedule();
      await promise;
      clearTimeout(deadline);
      signal.removeEventListener('abort', resolve);
    },
    end() {
      hasEnded = true;
      for (const { resolve } of waits.all()) resolve();
    },
  };
}
