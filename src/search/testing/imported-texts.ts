/** Puts knowledge bases and texts straight into a test's database, as the handlers do, without HTTP. */
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../database/connection/database.ts';
import { createAccount } from '../../database/rows/accounts.ts';
import type { Description } from '../../database/rows/documents/documents.ts';
import { insertDocument } from '../../database/rows/documents/new-documents.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { analyseDocument } from '../../indexing/analyse-document.ts';
import { readExpectedLanguages } from '../../indexing/expected-languages.ts';
import { createStem } from '../../indexing/stems.ts';
import { countPassages, storePassages } from '../../indexing/store-passages.ts';
import type { VectorsIn } from '../../meaning/passage-vectors.ts';
import { madeUpVectors } from '../../meaning/testing/made-up-vectors.ts';

export type TestText = { title: string; content: string; description?: Description };

/** A new account's new, empty knowledge base. */
export async function makeKnowledgeBase(database: Database): Promise<OwnedKnowledgeBase> {
  const accountId = await createAccount(database, `test ${uuidv7()}`, 1_000);
  const knowledgeBaseId = uuidv7();
  const now = new Date();
  const owner = { knowledge_base_id: knowledgeBaseId, account_id: accountId };
  await database
    .insertInto('knowledge_bases')
    .values({ ...owner, name: 'test', description: '', created_at: now, updated_at: now })
    .execute();
  await database.insertInto('knowledge_base_statistics').values(owner).execute();
  return { accountId, knowledgeBaseId };
}

/**
 * Imports a text in one transaction, with made-up vectors by default. Returns the document's id in its knowledge base.
 */
export async function importText(
  database: Database,
  owned: OwnedKnowledgeBase,
  text: TestText,
  vectorsIn: VectorsIn = madeUpVectors,
): Promise<string> {
  const expected = await readExpectedLanguages(database, owned);
  const { title, description = {} } = text;
  const id = uuidv7();
  const bytes = Buffer.byteLength(text.content);
  await database.transaction().execute(async (transaction) => {
    const document = { ...owned, id, title, source: title, type: 'text' as const };
    const batches = analyseDocument(
      { ...text, expected, format: 'text' },
      createStem(transaction),
      vectorsIn,
    );
    await insertDocument(transaction, { ...document, bytes, description, status: 'processed' });
    const uncounted = await storePassages(transaction, { ...owned, id }, batches);
    await countPassages(transaction, { ...owned, id }, { ...uncounted, documents: 1, bytes });
  });
  return id;
}
