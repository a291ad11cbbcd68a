/**
 * Lets requests wait for the end of a document's import. All waits of a server share one statement every
 * tenth of a second, and hold neither connection nor transaction. Why not LISTEN/NOTIFY: each NOTIFY makes the
 * commits of all imports take turns (PostgreSQL source, async.c), the listener is one connection more, and what it
 * misses while it is broken would have to be polled for anyway.
 */
import type { Logger } from 'pino';
import { formatScopedId, type ScopedId } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { findUnfinished } from '../storage/documents.ts';

/** How late an answer comes at most. */
const POLL_INTERVAL_MS = 100;
/** More than this do not wait: each is an open connection, and its document is looked up in every poll. */
const WAITS_MAX = 1_000;

export type DocumentWaits = {
  /**
   * Resolves when the document is not `pending` or `processing` any more, after `seconds`, or when `signal` aborts;
   * and at once when too many wait already, or after `end`. It never rejects: a database that is away may come back.
   */
  untilFinal(document: ScopedId, wait: { seconds: number; signal: AbortSignal }): Promise<void>;
  /** Ends all waits, and lets no further one begin. */
  end(): void;
};

type Wait = { document: ScopedId; resolve(): void };

/** Resolves every wait whose document is not among the unfinished ones. */
async function poll(database: Database, waits: Set<Wait>): Promise<void> {
  const asked = [...waits];
  const unfinished = new Set(
    (
      await findUnfinished(
        database,
        asked.map(({ document }) => document),
      )
    ).map(formatScopedId),
  );
  for (const { document, resolve } of asked) if (!unfinished.has(formatScopedId(document))) resolve();
}

/** Waits on the documents of `database`; it is asked only while somebody waits. */
export function createDocumentWaits(database: Database, log: Logger): DocumentWaits {
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const schedule = () => {
    if (timer !== undefined || waits.size === 0) return;
    timer = setTimeout(async () => {
      await poll(database, waits).catch((error) => log.debug({ err: error }, 'waiting for documents'));
      timer = undefined;
      schedule();
    }, POLL_INTERVAL_MS);
  };

  return {
    async untilFinal(document, { seconds, signal }) {
      if (hasEnded || signal.aborted || seconds === 0 || waits.size >= WAITS_MAX) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wait = { document, resolve };
      const deadline = setTimeout(resolve, seconds * 1000);
      const onAbort = () => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      waits.add(wait);
      schedule();
      await promise;
      waits.delete(wait);
      clearTimeout(deadline);
      signal.removeEventListener('abort', onAbort);
    },
    end() {
      hasEnded = true;
      for (const { resolve } of waits) resolve();
    },
  };
}
