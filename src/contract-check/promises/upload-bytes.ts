/** Sends the bytes of files for promises and refusals. */
import assert from 'node:assert/strict';
import type { UploadTicket } from '../../../generated/types.gen.ts';
import { makeKnowledgeBase, type RunContext } from '../planning/planned-request.ts';
import { requireContract } from '../requests/answer-contract.ts';

/** Ends a transfer that takes too long. */
export const inTime = (): AbortSignal => AbortSignal.timeout(30_000);

/**
 * PUTs the bytes to the upload address and returns the status. The address may lead to a store, also behind the
 * service's own proxy.
 * @throws when an answer of the service itself violates the contract
 */
export async function put(
  { target }: RunContext,
  { uploadUrl }: Pick<UploadTicket, 'uploadUrl'>,
  bytes: Uint8Array,
) {
  const answer = await fetch(uploadUrl, { method: 'PUT', body: bytes, signal: inTime() });
  const text = await answer.text();
  if (uploadUrl.startsWith(`${target.address}/uploads/`)) {
    const headers = Object.fromEntries(answer.headers);
    requireContract(undefined, { status: answer.status, headers, text, body: JSON.parse(text) });
  }
  return answer.status;
}

/** The largest waitSeconds. The service has processed a small file by then. */
export const WAIT_SECONDS = 30;

/** Uploads the bytes as a file for a new knowledge base. */
export async function uploadBytes(context: RunContext, bytes: Uint8Array) {
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const file = { knowledgeBaseId, fileName: 'gauge.txt', size: bytes.byteLength };
  const ticket = await context.caller.api.presignUploadUrl(file);
  assert.equal(await put(context, ticket, bytes), 200, 'a PUT of the declared size to uploadUrl succeeds');
  return { fileId: ticket.fileId, knowledgeBaseId };
}
