/**
 * Imports short texts on the main thread: the messages to an analysis thread and back take longer than their analysis.
 * Texts of one knowledge base that wait at the same time share a batch, which is one transaction.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Document } from '../../generated/types.gen.ts';
import type { Stem } from '../analysis/lexemes.ts';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import {
  createWaitQueue,
  REQUEST_WAIT_MAX_MS,
  type WaitBudget,
  type WaitQueue,
} from '../concurrency/wait-queue.ts';
import type { Database, Queryable } from '../database/connection/database.ts';
import { type DefaultLimits, expectStorage } from '../database/rows/account-limits.ts';
import type { NewText } from '../database/rows/documents/new-documents.ts';
import {
  commitTogether,
  type KeyedRequest,
  KeyTaken,
  type Transact,
} from '../database/rows/idempotency-keys.ts';
import { analyseTexts, type Text } from '../indexing/analyse-document.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import type { VectorsIn } from '../meaning/passage-vectors.ts';
import { overloaded, ServiceError, serverShuttingDown } from '../terms/errors.ts';
import { publishTexts } from './publish-texts.ts';

/**
 * The request to import a text. `transact` runs the transaction of this request alone. `keyed`: its identity, if it has
 * an Idempotency-Key.
 */
export type ShortText = Text &
  NewText & {
    knowledgeBaseId: string;
    transact: Transact;
    keyed: KeyedRequest | undefined;
  };

/** The account of a text, and the limits of its wait for a batch. */
type ImportOptions = { accountId: string; signal: AbortSignal; budget: WaitBudget | undefined };

export type ShortTexts = {
  /**
   * Analyses and stores a short text that is not blank.
   * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE and IDEMPOTENCY_KEY_REUSED
   */
  importShortText(text: ShortText, options: ImportOptions): Promise<Document>;
  /** Makes an account count as present: see `FairSemaphore`. */
  markAccountPresent(accountId: string): void;
  /** Rejects the texts that wait: the server shuts down. */
  rejectWaiting(): void;
};

/**
 * UTF-16 units of a short text with its title: 300 words. Their analysis takes a millisecond of the event loop. The
 * slowest texts take 7 ms: letters of 14 scripts in turn, and the ligature U+FDFA repeated. The first text of such a
 * kind in a process takes up to 50 ms, before V8 has compiled the code and the table of characters is filled.
 */
const SHORT_MAX_LENGTH = 2_000;
/** Texts of a batch. More would hardly save more, and the first would wait for the analysis of the last. */
const BATCH_MAX_TEXTS = 16;

/** Batches in work at a time, of all accounts together. Each holds a connection. */
const BATCHES = 4;

/** Waiting texts of all accounts together. */
const WAITING_MAX = 1_000;

/** Whether a text is imported by `importShortText`. */
export const isShort = ({ title, content }: Text): boolean =>
  title.length + content.length <= SHORT_MAX_LENGTH;

type WaitingText = ShortText & PromiseWithResolvers<Document>;

/** The waiting texts of an account, and its knowledge bases that have texts in work. */
type AccountTexts = { waiting: WaitQueue<WaitingText>; inWork: Set<string> };

/** Whether one of the texts replaces the other. */
const haveSameExternalId = ({ description }: ShortText, other: ShortText): boolean =>
  description.externalId !== undefined && description.externalId === other.description.externalId;

/** Takes the first waiting texts of a knowledge base, as many as fit into a batch. */
function takeBatch(waiting: WaitQueue<WaitingText>, knowledgeBaseId: string): WaitingText[] {
  const batch: WaitingText[] = [];
  waiting.serveWhere((text) => {
    const fits = text.knowledgeBaseId === knowledgeBaseId && batch.length < BATCH_MAX_TEXTS;
    const isTaken = fits && !batch.some((other) => haveSameExternalId(text, other));
    if (isTaken) batch.push(text);
    return isTaken;
  });
  return batch;
}

/** `discard` removes the objects of replaced files after the commit. */
type Storing = {
  database: Database;
  stem: Stem;
  vectorsIn: VectorsIn;
  defaults: DefaultLimits;
  discard(objectNames: string[]): Promise<void>;
};

const totalBytes = (texts: ShortText[]): number => texts.reduce((sum, { bytes }) => sum + bytes, 0);

/** Analyses and stores texts of one knowledge base, all or none. */
async function importTogether(
  texts: [ShortText, ...ShortText[]],
  accountId: string,
  { database, stem, vectorsIn, defaults, discard }: Storing,
): Promise<Document[]> {
  const [{ knowledgeBaseId, transact }] = texts;
  const owned = { accountId, knowledgeBaseId };
  const expected = await readExpectedLanguages(database, owned);
  await expectStorage(database, { accountId, defaults }, totalBytes(texts));
  const analysed = await analyseTexts(texts, { expected, stem, vectorsIn });
  let unreferenced: string[] = [];
  const publish = async (transaction: Queryable) => {
    const published = await publishTexts(transaction, { ...owned, defaults }, { texts, analysed });
    unreferenced = published.unreferenced;
    return published.documents;
  };
  const keys = texts.map(({ keyed }) => keyed);
  const documents =
    texts.length > 1
      ? await commitTogether(database, keys, publish)
      : [await transact(async (transaction) => (await publish(transaction))[0] as Document)]; // one for each text
  await discard(unreferenced);
  return documents;
}

/**
 * SQLSTATE classes of errors that one text may cause for all texts of its batch: wrong data, broken constraints,
 * deadlocks, exceeded limits of PostgreSQL.
 */
const OWN_ERRORS = /^(?:22|23|40|54)/;

/** Whether a batch may succeed without one of its texts. */
function isOwnError(error: unknown): boolean {
  if (error instanceof KeyTaken) return true;
  if (error instanceof ServiceError) return error.errorCode === 'STORAGE_LIMIT_EXCEEDED';
  return error instanceof Error && 'code' in error && OWN_ERRORS.test(String(error.code));
}

/** Imports a batch. If one of its texts may have failed the others, imports each alone. Settles all; never throws. */
async function importBatch(batch: WaitingText[], accountId: string, storing: Storing): Promise<void> {
  const [first, ...others] = batch;
  if (first === undefined) return;
  try {
    const documents = await importTogether([first, ...others], accountId, storing);
    for (const [i, text] of batch.entries()) text.resolve(documents[i] as Document); // one for each text
  } catch (error) {
    if (others.length > 0 && isOwnError(error)) {
      for (const text of batch) await importBatch([text], accountId, storing);
      return;
    }
    for (const text of batch) text.reject(error);
  }
}

/**
 * Creates the import of short texts. A knowledge base has one batch in work at a time: with two, batches would be half
 * as long and cost more. `connections`: the size of the database's pool, of which batches take a quarter at most.
 */
export function createShortTexts({ connections, ...storing }: Storing & { connections: number }): ShortTexts {
  const permits = createFairSemaphore(Math.max(1, Math.min(BATCHES, connections >> 2)));
  const accounts = new Map<string, AccountTexts>();

  /** Imports the texts of a knowledge base, batch by batch, until none waits. */
  const importAll = async (accountId: string, knowledgeBaseId: string, { waiting, inWork }: AccountTexts) => {
    inWork.add(knowledgeBaseId);
    // Texts that arrive in the same iteration of the event loop share a batch.
    await nextIteration();
    while (inWork.has(knowledgeBaseId)) {
      await permits.acquire(accountId);
      const batch = takeBatch(waiting, knowledgeBaseId);
      // At once: from now on the next text begins a new loop.
      if (batch.length === 0) inWork.delete(knowledgeBaseId);
      await importBatch(batch, accountId, storing);
      permits.release(accountId);
    }
    if (inWork.size === 0) accounts.delete(accountId);
  };
  return {
    async importShortText(text, { accountId, signal, budget }) {
      const texts = accounts.get(accountId) ?? { waiting: createWaitQueue(), inWork: new Set() };
      if (texts.waiting.length() >= WAITING_MAX / permits.ownerCount()) throw overloaded();
      accounts.set(accountId, texts);
      const result = Promise.withResolvers<Document>();
      const limits = { signal, budget, waitMaxMs: REQUEST_WAIT_MAX_MS };
      const wait = texts.waiting.wait({ ...text, ...result }, limits);
      const { knowledgeBaseId } = text;
      if (!texts.inWork.has(knowledgeBaseId)) void importAll(accountId, knowledgeBaseId, texts);
      await wait;
      return await result.promise;
    },
    markAccountPresent: permits.markPresent,
    rejectWaiting() {
      for (const { waiting } of accounts.values()) waiting.rejectAll(serverShuttingDown);
    },
  };
}
