/** The operations that import a file: request an upload address, import the uploaded file, or both in one request. */
import { v7 as uuidv7 } from 'uuid';
import type { Document, UploadTicket } from '../../generated/types.gen.ts';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { REQUEST_WAIT_MAX_MS } from '../concurrency/wait-queue.ts';
import { readDatabaseTime } from '../database/connection/clock.ts';
import { lockKnowledgeBase, requireKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { expectStorage, requireStorage } from '../database/rows/limits/storage-limit.ts';
import { discardObjects, findFile, hashOf, insertTicket, takeDirectUpload } from '../files/files.ts';
import { storeUpload } from '../files/store-upload.ts';
import { formatUploadPath } from '../files/upload-address.ts';
import { findAddressProblem } from '../outbound/address-rules.ts';
import { nameByAddress } from '../outbound/fetching/file-name.ts';
import { validationFailed } from '../terms/errors.ts';
import {
  formatScopedId,
  type OwnedId,
  parseFileId,
  parseKnowledgeBaseId,
  type ScopedId,
} from '../terms/ids.ts';
import { requirePlainAddress } from '../terms/plain-address.ts';
import { acceptAddress } from '../versions/accept-address.ts';
import { type Accepted, type ArrivedFile, acceptFile, type UploadedFile } from '../versions/accept-file.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';

/** Uploads in memory at the same time while they are hashed, each of up to 50 MiB. */
const HASHED_MAX = 2;
/** So few bytes are read sooner than the sums of the account's storage: the transaction alone checks its limit. */
const UNCHECKED_MAX_BYTES = 65_536;

const hashingPermits = createFairSemaphore(HASHED_MAX);

/**
 * The hash of a file that was uploaded directly to the store and not hashed since; undefined for any other file. Reads
 * the file from the store.
 */
async function hashDirectUpload(
  { database, files, accountId, withoutPermit, signal, remainingWait }: HandlerContext,
  file: ScopedId,
  taken: string | undefined,
): Promise<Buffer | undefined> {
  const found = await findFile(database, file);
  if (found?.account_id !== accountId || found.document_id !== null || found.sha256 !== null)
    return undefined;
  const objectName = taken ?? found.object_name;
  if (objectName === null) return undefined;
  const ended = signal();
  return await withoutPermit(async () => {
    await hashingPermits.acquire(accountId, { signal: ended, remainingWait, waitMaxMs: REQUEST_WAIT_MAX_MS });
    const reading = files.read(objectName, { sizeBytes: found.size_bytes, signal: ended });
    return await reading.then(hashOf).finally(() => hashingPermits.release(accountId));
  });
}

/**
 * Imports a file: `store` makes sure of its object, and `accept` inserts its document. `unreferenced` are the objects
 * to which no row refers. `store` adds to them what it makes, and all that are left at the end are removed. `accept`
 * calls `keep` before its commit: from then on a row may refer to the object, even if the answer to the commit is lost.
 */
async function importStored<Stored>(
  context: HandlerContext,
  {
    store,
    accept,
  }: {
    store: (unreferenced: string[]) => Promise<Stored>;
    accept: (stored: Stored, keep: () => void) => Promise<Accepted>;
  },
): Promise<Document> {
  let unreferenced: string[] = [];
  try {
    const stored = await store(unreferenced);
    const accepted = await accept(stored, () => {
      unreferenced = [];
    });
    if (accepted.isNew) context.jobs.wakeImporters();
    unreferenced = accepted.unreferenced;
    return accepted.data;
  } finally {
    await discardObjects(context, unreferenced);
  }
}

/** Imports a file whose upload has ended. */
const importUploaded = (context: HandlerContext, file: OwnedId, given: Omit<UploadedFile, 'sha256'>) =>
  importStored(context, {
    async store(unreferenced) {
      if (given.taken !== undefined) unreferenced.push(given.taken);
      const sha256 = given.skips ? await hashDirectUpload(context, file, given.taken) : undefined;
      return sha256;
    },
    async accept(sha256, keep) {
      const { database, config: defaults, jobs } = context;
      return await database.transaction().execute(async (transaction) => {
        const accepting = { defaults, enqueue: jobs.enqueueImport };
        const accepted = await acceptFile(transaction, file, { ...given, sha256 }, accepting);
        keep();
        return accepted;
      });
    },
  });

/** Imports the file in the body of the request. Without its document nothing stays: there is no ticket. */
function importBody(
  context: HandlerContext,
  file: OwnedId,
  given: Omit<ArrivedFile, 'stored' | 'sizeBytes'>,
) {
  const body = context.byteBody();
  const { sizeBytes } = body;
  const { knowledgeBaseId, id: fileId } = file;
  return importStored(context, {
    store: (unreferenced) =>
      context.withoutPermit(async () => {
        const stored = await storeUpload(context, file, body);
        unreferenced.push(stored.objectName);
        return stored;
      }),
    accept: (stored, keep) =>
      context.acceptArrived({ ...given, knowledgeBaseId, fileId, sizeBytes, stored, keep }, context),
  });
}

/**
 * The ticket for an upload: directly to the store where the store supports that, else to this service.
 */
async function makeTicket(
  context: HandlerContext,
  file: ScopedId,
  bounds: { sizeBytes: number; createdAt: Date; expiresAt: Date },
): Promise<UploadTicket> {
  const fileId = formatScopedId(file);
  const { accountId, keyId } = context;
  const own = () =>
    (context.config.baseUrl ?? context.origin()) +
    formatUploadPath(context.uploadSecret, { fileId, accountId, keyId, ...bounds });
  const uploadUrl = (await context.files.directUploads?.presign(file, bounds)) ?? own();
  return { fileId, uploadUrl, expiresAt: bounds.expiresAt.toISOString(), method: 'PUT', headers: {} };
}

/** The longest `externalId`: an address that is longer needs one of its own. */
const EXTERNAL_ID_MAX = 256;

/** @throws INPUT_VALIDATION_FAILED naming `url` or `externalId` */
function requireImportable(url: string, externalId: string, { fetchRules }: HandlerContext): void {
  requirePlainAddress('url', url);
  const problem = findAddressProblem(url, fetchRules);
  if (problem !== undefined) throw validationFailed([], { url: [problem] });
  if ([...externalId].length > EXTERNAL_ID_MAX) {
    const needed = `is required for an address of more than ${EXTERNAL_ID_MAX} characters`;
    throw validationFailed([], { externalId: [needed] });
  }
}

export const uploadHandlers = {
  async importFile({ attributes, sourceUrl, externalId, ifUnchanged, ...input }, context) {
    requirePlainAddress('sourceUrl', sourceUrl);
    const file = {
      ...parseFileId(input.fileId, context.allowedKnowledgeBases),
      accountId: context.accountId,
    };
    await context.diskWatermark.require(0);
    // Before the transaction: it must not wait for the store.
    const taken = await takeDirectUpload(context, file);
    const description = { attributes, sourceUrl, externalId };
    const skips = ifUnchanged === 'skip';
    return { data: await importUploaded(context, file, { taken, description, skips }) };
  },

  async uploadFile({ fileName, attributes, sourceUrl, externalId, ifUnchanged, ...input }, context) {
    requirePlainAddress('sourceUrl', sourceUrl);
    const { database, accountId, allowedKnowledgeBases, config, diskWatermark } = context;
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    const { sizeBytes } = context.byteBody();
    // What refuses the file is checked before its bytes are read, and again in the transaction.
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    await diskWatermark.require(0);
    if (sizeBytes > UNCHECKED_MAX_BYTES)
      await expectStorage(database, { accountId, defaults: config }, sizeBytes);
    const file = { accountId, knowledgeBaseId, id: uuidv7() };
    const description = { attributes, sourceUrl, externalId };
    const skips = ifUnchanged === 'skip';
    return { data: await importBody(context, file, { fileName, description, skips }) };
  },

  async importUrl({ url, title, attributes, externalId = url, ifUnchanged, ...input }, context) {
    const { accountId, allowedKnowledgeBases, config, diskWatermark, jobs, transact } = context;
    requireImportable(url, externalId, context);
    const owned = {
      accountId,
      knowledgeBaseId: parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases),
    };
    await diskWatermark.require(0);
    const description = { attributes, sourceUrl: url, externalId };
    const readsAnew = ifUnchanged === 'replace';
    const address = { url, fileName: nameByAddress(url), title, readsAnew, description };
    const data = await transact((transaction) =>
      acceptAddress(transaction, owned, address, { defaults: config, enqueue: jobs.enqueueFetch }),
    );
    jobs.wakeFetchers();
    return { data };
  },

  async presignUploadUrl({ fileName, size, ...input }, context) {
    const { database, accountId, allowedKnowledgeBases, config, files, diskWatermark, transact } = context;
    await diskWatermark.require(config.s3 === undefined ? size : 0);
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    const createdAt = await readDatabaseTime(database);
    const expiresAt = new Date(createdAt.getTime() + config.uploadTicketTtlSeconds * 1000);
    const file = { knowledgeBaseId, id: uuidv7() };
    const ticket = await makeTicket(context, file, { sizeBytes: size, createdAt, expiresAt });
    const data = await transact(async (transaction) => {
      await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      await insertTicket(transaction, {
        ...file,
        accountId,
        fileName,
        sizeBytes: size,
        createdAt,
        expiresAt,
        reservedUntil: files.directUploads ? undefined : expiresAt,
      });
      await requireStorage(transaction, { accountId, knowledgeBaseId, defaults: config }, size);
      return ticket;
    });
    return { data };
  },
} satisfies Partial<Handlers>;
