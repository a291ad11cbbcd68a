/** The operation that uploads and imports a file in one request. */
import { v7 as uuidv7 } from 'uuid';
import { expectStorage } from '../database/rows/account-limits.ts';
import type { Description } from '../database/rows/documents/documents.ts';
import { lockKnowledgeBase, requireKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { discardObjects, insertArrivedFile } from '../files/files.ts';
import { storeUpload } from '../files/store-upload.ts';
import { parseKnowledgeBaseId, type ScopedId } from '../terms/ids.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';
import { findOrInsertDocument } from './uploads.ts';

type SentFile = { file: ScopedId; fileName: string; description: Description; skips: boolean };

/**
 * Stores the body of the request, then inserts the file and its document in one transaction. Without the document
 * nothing stays: there is no ticket, and the object is removed.
 */
async function receiveAndImport(context: HandlerContext, { file, fileName, description, skips }: SentFile) {
  const { database, accountId, jobs, withoutPermit } = context;
  const body = context.byteBody();
  let unreferenced: string[] = [];
  try {
    const stored = await withoutPermit(async () => {
      const object = await storeUpload(context, file, body);
      unreferenced = [object.objectName];
      return object;
    });
    const imported = await database.transaction().execute(async (transaction) => {
      await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId: file.knowledgeBaseId });
      await insertArrivedFile(transaction, {
        ...file,
        accountId,
        fileName,
        sizeBytes: body.sizeBytes,
        stored,
      });
      const result = await findOrInsertDocument(transaction, context, {
        file,
        taken: undefined,
        sha256: stored.sha256,
        description,
        skips,
      });
      // From here on a row may refer to the object, even if the answer to the commit is lost.
      unreferenced = [];
      return result;
    });
    if (imported.isNew) jobs.wakeImporters();
    unreferenced = imported.unreferenced;
    return imported.data;
  } finally {
    await discardObjects(context, unreferenced);
  }
}

export const uploadFileHandlers = {
  async uploadFile({ fileName, attributes, sourceUrl, externalId, ifUnchanged, ...input }, context) {
    const { database, accountId, reach, config, diskWatermark } = context;
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, reach);
    // What refuses the file is checked before its bytes are read, and again in the transaction.
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    await diskWatermark.require(0);
    await expectStorage(database, { accountId, defaults: config }, context.byteBody().sizeBytes);
    const file = { knowledgeBaseId, id: uuidv7() };
    const description = { attributes, sourceUrl, externalId };
    const skips = ifUnchanged === 'skip';
    return { data: await receiveAndImport(context, { file, fileName, description, skips }) };
  },
} satisfies Partial<Handlers>;
