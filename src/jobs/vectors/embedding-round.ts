/**
 * One round of the worker that makes vectors by a model: it takes documents of several accounts from the queue, an
 * equal number of passages of each account, and asks the model for all of them together.
 */
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import type { Database } from '../../database/connection/database.ts';
import {
  postponeDocuments,
  recordProgress,
  type TakenDocument,
  takeDocuments,
} from '../../database/rows/documents-without-vectors.ts';
import { createBinaryArray, elementTypes } from '../../database/values/postgres-binary-insides.ts';
import { addMissingVectors, readPassagesWithoutVectors } from '../../indexing/missing-vectors.ts';
import type { ModelSpace } from '../../meaning/model/model-space.ts';
import type { PassageEmbeddings, PassageVector } from '../../meaning/model/passage-embeddings.ts';
import { passageText } from '../../meaning/model/passage-text.ts';
import { packVector } from '../../meaning/passage-vectors.ts';

/** Accounts that share a round, and documents of each at most. */
const ACCOUNTS_PER_ROUND = 8;
const DOCUMENTS_PER_ACCOUNT = 64;

/** A document that was changed or locked meanwhile is tried again after this time. */
const CHANGED_AGAIN_SECONDS = 5;

/** What makes vectors of one generation. */
export type Embedding = {
  database: Database;
  generation: number;
  embeddings: Pick<PassageEmbeddings, 'embedAll'>;
  space: ModelSpace;
  log: Logger;
};

/** The next passages of a document. `isLast`: these are all that have no vectors. None may be left. */
type Slice = TakenDocument & {
  title: string;
  passages: { position: number; text: string }[];
  isLast: boolean;
};

/** Reads the next passages of an account's documents, `limit` at most. */
async function readSlices(
  { database, generation }: Embedding,
  documents: TakenDocument[],
  limit: number,
): Promise<Slice[]> {
  const slices = new Map<string, Slice>();
  const byId = new Map(documents.map((document) => [document.id, document]));
  // One more: whether there are any further ones.
  const rows = await readPassagesWithoutVectors(database, documents, { generation, limit: limit + 1 });
  for (const { id, title, ...row } of rows.slice(0, limit)) {
    const document = byId.get(id);
    if (document === undefined) continue;
    const slice = slices.get(id) ?? { ...document, title, passages: [], isLast: true };
    slices.set(id, slice);
    if (row.position !== null)
      slice.passages.push({ position: row.position, text: passageText(title, row.headings, row.content) });
  }
  const cut = slices.get(rows[limit]?.id ?? '');
  if (cut !== undefined) cut.isLast = false;
  return [...slices.values()];
}

/** Takes documents of the accounts after `after`; where these have none, of the accounts before it. */
async function takeRound({ database, generation }: Embedding, after: string): Promise<TakenDocument[]> {
  const bounds = { accounts: ACCOUNTS_PER_ROUND, documents: DOCUMENTS_PER_ACCOUNT };
  const taken = await takeDocuments(database, generation, { ...bounds, after });
  return taken.length > 0 || after === NIL
    ? taken
    : await takeDocuments(database, generation, { ...bounds, after: NIL });
}

/** Stores the vectors of a slice, unless its document has been changed since it was read. */
async function storeSlice(
  { database, generation, space }: Embedding,
  slice: Slice,
  vectors: PassageVector[],
) {
  const position = createBinaryArray(elementTypes.integer);
  const vector = createBinaryArray(elementTypes.varbit);
  for (const [i, { vector: made }] of vectors.entries()) {
    if (made === undefined) continue;
    const numbers = space.toSpace(made);
    position.addInteger(slice.passages[i]?.position ?? 0);
    vector.addBits(numbers && packVector(numbers));
  }
  const made = { generation, position: position.toBuffer(), vector: vector.toBuffer() };
  const last = slice.passages.at(-1)?.position ?? slice.afterPosition;
  const isStored = await addMissingVectors(database, slice, made, (transaction) =>
    recordProgress(transaction, slice, { generation, position: last, isLast: slice.isLast }),
  );
  if (!isStored) await postponeDocuments(database, [slice], CHANGED_AGAIN_SECONDS);
}

/** Tells of the passages that the model takes in no length. */
function tellRefused({ log }: Embedding, { knowledgeBaseId, id }: Slice, vectors: PassageVector[]): void {
  const refused = vectors.flatMap(({ problem }) => problem ?? []);
  const [reason] = refused;
  if (reason !== undefined)
    log.warn(
      { knowledgeBaseId, documentId: id, passages: refused.length, reason },
      'the model has refused passages: they are found by their words alone',
    );
}

/** Asks for the vectors of all slices, and stores each slice as soon as it has its own. */
async function embedSlices(embedding: Embedding, slices: Slice[], signal: AbortSignal): Promise<void> {
  const store = async (slice: Slice, vectors: PassageVector[]) => {
    tellRefused(embedding, slice, vectors);
    await storeSlice(embedding, slice, vectors);
  };
  for (const slice of slices) if (slice.passages.length === 0) await store(slice, []);
  const waiting = slices.filter(({ passages }) => passages.length > 0);
  const texts = waiting.flatMap(({ passages }) => passages.map(({ text }) => text));
  let vectors: PassageVector[] = [];
  for await (const vector of embedding.embeddings.embedAll(texts, signal)) {
    signal.throwIfAborted();
    vectors.push(vector);
    const [slice] = waiting;
    if (slice === undefined || vectors.length < slice.passages.length) continue;
    waiting.shift();
    await store(slice, vectors);
    vectors = [];
  }
}

/**
 * Runs a round of `size` passages, and returns how many passages it had, and the account that was served last. The
 * next round is of those `after` it. undefined: no document is due.
 */
export async function runRound(
  embedding: Embedding,
  { after, size, signal }: { after: string; size: number; signal: AbortSignal },
): Promise<{ passages: number; after: string } | undefined> {
  const taken = await takeRound(embedding, after);
  const accounts = [...Map.groupBy(taken, ({ accountId }) => accountId).values()];
  const share = Math.max(1, Math.floor(size / accounts.length));
  const slices: Slice[] = [];
  for (const documents of accounts) slices.push(...(await readSlices(embedding, documents, share)));
  if (slices.length === 0) return undefined;
  await embedSlices(embedding, slices, signal);
  const passages = slices.reduce((sum, slice) => sum + slice.passages.length, 0);
  return { passages, after: taken.at(-1)?.accountId ?? NIL };
}
