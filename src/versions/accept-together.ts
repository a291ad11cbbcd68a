/**
 * Accepts files that have arrived: those of one folder, each with an external id, together with others that come at the
 * same time in requests of their own.
 */
import { v7 as uuidv7 } from 'uuid';
import type { Database, Queryable } from '../database/connection/database.ts';
import { countDocument } from '../database/rows/counters.ts';
import { toDocument } from '../database/rows/documents/documents.ts';
import { insertFileDocuments } from '../database/rows/documents/new-documents.ts';
import type { NewJobs } from '../database/rows/jobs.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { requireStorage } from '../database/rows/limits/storage-limit.ts';
import { typeByName } from '../extraction/detect-type.ts';
import { insertArrivedFiles } from '../files/files.ts';
import { type Accepted, type Accepting, type ArrivedFile, acceptArrivedFile } from './accept-file.ts';
import { lockContents } from './locks.ts';
import { becomeLatest } from './replace-earlier.ts';
import { createSharedBatches, type ImportOptions, type SharedBatches } from './shared-batches.ts';
import { isSmallFile } from './small-files.ts';
import { findUnchangedFiles } from './unchanged.ts';

/** `keep`: called before the commit, after which a row may refer to the file's object. */
type ArrivingFile = ArrivedFile & { knowledgeBaseId: string; fileId: string; keep(): void };

/** A file of a request that skips unchanged content. */
type FolderFile = ArrivingFile & { skips: true; description: { externalId: string } };

/** `withoutPermit` releases the request's permit while the file waits for others. */
type AcceptOptions = Omit<ImportOptions, 'signal'> & {
  signal(): AbortSignal;
  withoutPermit(act: () => Promise<Accepted>): Promise<Accepted>;
};

export type Arrivals = Omit<SharedBatches<never, never>, 'add'> & {
  /** @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE */
  acceptArrived(file: ArrivingFile, options: AcceptOptions): Promise<Accepted>;
};

const isOfFolder = (file: ArrivingFile): file is FolderFile =>
  file.skips && file.description.externalId !== undefined;

/** `enqueueNew` enqueues the jobs that publish new documents. */
type AcceptingMany = Accepting & { enqueueNew(transaction: Queryable, jobs: NewJobs): Promise<void> };

const contentOf = ({
  knowledgeBaseId,
  fileName,
  stored: { sha256 },
  description: { externalId },
}: FolderFile) => ({
  knowledgeBaseId,
  fileName,
  sha256,
  externalId,
});

/** Inserts the pending documents of new files, each the latest with its external id. */
async function insertAll(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { files, defaults, enqueueNew }: { files: FolderFile[] } & AcceptingMany,
): Promise<Map<string, Accepted>> {
  const { knowledgeBaseId, accountId } = owned;
  const withIds = files.map((file) => ({ ...file, id: uuidv7() }));
  const inserted = await insertFileDocuments(
    transaction,
    owned,
    withIds.map(({ stored: { sha256 }, ...file }) => ({
      ...file,
      sha256,
      type: typeByName(file.fileName) ?? 'unknown',
    })),
  );
  const rows = await becomeLatest(transaction, owned, inserted);
  const bytes = rows.reduce((sum, { storage_bytes }) => sum + storage_bytes, 0);
  await countDocument(transaction, knowledgeBaseId, bytes, rows.length);
  await insertArrivedFiles(
    transaction,
    owned,
    withIds.map(({ id, fileId, ...file }) => ({ ...file, id: fileId, documentId: id })),
  );
  await enqueueNew(transaction, {
    ...owned,
    ids: withIds.map(({ id }) => id),
    areSmall: withIds.map(isSmallFile),
  });
  await requireStorage(transaction, { accountId, knowledgeBaseId, defaults }, bytes);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const accepted = withIds.map(({ id, fileId }): [string, Accepted] => {
    const row = byId.get(id);
    if (row === undefined) throw new Error('a document was inserted without its row');
    return [fileId, { data: toDocument(row), isNew: true, unreferenced: [] }];
  });
  return new Map(accepted);
}

/**
 * Accepts several files. Returns the answers by the files' ids; those that are missing have no new content, and are to
 * be accepted alone.
 */
async function acceptArrivedFiles(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { files, ...accepting }: { files: FolderFile[] } & AcceptingMany,
): Promise<Map<string, Accepted>> {
  await lockKnowledgeBase(transaction, owned);
  const contents = files.map(contentOf);
  await lockContents(transaction, contents);
  const unchanged = await findUnchangedFiles(transaction, owned, contents);
  const changed = files.filter(({ description: { externalId } }) => !unchanged.has(externalId));
  if (changed.length === 0) return new Map();
  const accepted = await insertAll(transaction, owned, { files: changed, ...accepting });
  for (const { keep } of changed) keep();
  return accepted;
}

type Accepts = { database: Database } & AcceptingMany;

const acceptAlone = (
  { knowledgeBaseId, fileId: id, ...file }: ArrivingFile,
  accountId: string,
  { database, ...accepting }: Accepts,
): Promise<Accepted> =>
  database.transaction().execute(async (transaction) => {
    const accepted = await acceptArrivedFile(
      transaction,
      { knowledgeBaseId, id, accountId },
      file,
      accepting,
    );
    file.keep();
    return accepted;
  });

/** Creates the acceptance of files. `connections`: the size of the database's pool. */
export function createArrivals({ connections, ...accepts }: Accepts & { connections: number }): Arrivals {
  const { database, ...accepting } = accepts;
  const acceptAll = async (files: [FolderFile, ...FolderFile[]], accountId: string): Promise<Accepted[]> => {
    const [{ knowledgeBaseId }, ...others] = files;
    const owned = { knowledgeBaseId, accountId };
    const together =
      others.length === 0
        ? new Map<string, Accepted>()
        : await database
            .transaction()
            .execute((transaction) => acceptArrivedFiles(transaction, owned, { files, ...accepting }));
    const accepted: Accepted[] = [];
    for (const file of files)
      accepted.push(together.get(file.fileId) ?? (await acceptAlone(file, accountId, accepts)));
    return accepted;
  };
  const { add, ...others } = createSharedBatches<FolderFile, Accepted>(acceptAll, { connections });
  return {
    ...others,
    async acceptArrived(file, { accountId, remainingWait, signal, withoutPermit }) {
      if (!isOfFolder(file)) return await acceptAlone(file, accountId, accepts);
      return await withoutPermit(() => add(file, { accountId, remainingWait, signal: signal() }));
    },
  };
}
