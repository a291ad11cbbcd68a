/** An account with one of each thing that operations lock, for the test of the order of locks. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../database/connection/database.ts';
import { createAccount } from '../../database/rows/accounts.ts';
import { insertApiKey } from '../../database/rows/api-keys.ts';
import { insertWebhook } from '../../database/rows/webhooks/webhooks.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { parseDocumentId, parseFileId } from '../../terms/ids.ts';
import type { TestService } from './test-service.ts';

/** The external id, the content and the title of the current document. The title is also the name of its file. */
export const EXTERNAL_ID = 'version';
export const CONTENT = 'The first quokka smiles.';
export const NAME = 'quokka.txt';

/**
 * `currentId`: a processed document with the external id. `pendingId`: a pending one, the next version of it, or
 * the id of none. `fileId`: a file that waits for its import, or the file of the pending document. `receiver`: the
 * address of the webhook.
 */
export type LockedThings = {
  accountId: string;
  knowledgeBaseId: string;
  currentId: string;
  fileId: string;
  pendingId: string;
  webhookId: string;
  content: { sha256: Buffer; externalId: string };
  idempotencyKey: string;
  uploadUrl: string;
  receiver: string;
  /** Sends a request of the account, with the idempotency key. @throws unless it succeeds */
  send(operation: string, body: object | Buffer): Promise<Record<string, unknown>>;
};

/** Creates an account, and how it sends requests. */
async function openAccount({ address, service }: TestService) {
  const apiKey = generateApiKey();
  const accountId = await createAccount(service.database, `locks ${uuidv7()}`, 1_000);
  await insertApiKey(service.database, apiKey, { accountId, name: 'test' });
  const idempotencyKey = uuidv7();
  const send: LockedThings['send'] = async (operation, body) => {
    const isBytes = Buffer.isBuffer(body);
    const response = await fetch(`${address}/v1/${operation}`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': isBytes ? 'application/octet-stream' : 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
    });
    const answer = (await response.json()) as { data: Record<string, unknown> }; // the envelope
    if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  return { accountId, idempotencyKey, send };
}

/** Makes a text a document of a file, without its object. */
async function giveFile(
  database: Database,
  { knowledgeBaseId, id }: { knowledgeBaseId: string; id: string },
) {
  const fileId = uuidv7();
  await sql`
    INSERT INTO files (knowledge_base_id, id, account_id, file_name, size_bytes, object_name, document_id, created_at,
      expires_at, uploaded_at)
    SELECT knowledge_base_id, ${fileId}, account_id, title, size_bytes, 'no object', id, now(), now(), now()
    FROM documents WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id}`.execute(database);
  await sql`UPDATE documents SET file_id = ${fileId}
    WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id}`.execute(database);
}

/**
 * Makes new things. `isText`: the current document is a text, and of no file. `isPending`: there is a pending document.
 * The keys of all requests that it sends are forgotten.
 */
export async function makeThings(
  suite: TestService,
  { isText, isPending, receiver }: { isText?: boolean; isPending?: boolean; receiver: string },
): Promise<LockedThings> {
  const { database } = suite.service;
  const { send, ...account } = await openAccount(suite);
  const knowledgeBaseId = String((await send('createKnowledgeBase', { name: 'locks' })).id);
  const text = { knowledgeBaseId, title: NAME, content: CONTENT, externalId: EXTERNAL_ID };
  const current = parseDocumentId(String((await send('importTextContent', text)).id), undefined);
  if (!isText) await giveFile(database, current);
  const named = { knowledgeBaseId, fileName: NAME, size: Buffer.byteLength(CONTENT) };
  const ticket = await send('presignUploadUrl', named);
  const uploadUrl = String(ticket.uploadUrl);
  await fetch(uploadUrl, { method: 'PUT', body: CONTENT });
  const pending = isPending
    ? String((await send('importFile', { fileId: ticket.fileId, externalId: EXTERNAL_ID })).id)
    : undefined;
  const subscription = { url: receiver, knowledgeBaseIds: [knowledgeBaseId] };
  const owner = { accountId: account.accountId, limit: 1, secret: randomBytes(32) };
  const webhook = await insertWebhook(database, subscription, owner);
  await database.deleteFrom('idempotency_keys').where('account_id', '=', account.accountId).execute();
  return {
    ...account,
    send,
    receiver,
    knowledgeBaseId,
    uploadUrl,
    currentId: current.id,
    fileId: parseFileId(String(ticket.fileId), undefined).id,
    pendingId: pending === undefined ? uuidv7() : parseDocumentId(pending, undefined).id,
    webhookId: webhook.id,
    content: { sha256: createHash('sha256').update(CONTENT).digest(), externalId: EXTERNAL_ID },
  };
}
