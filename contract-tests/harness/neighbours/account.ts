/**
 * One of two accounts on a service, and how its requests are sent. No client library is used, since it would take
 * processor time itself.
 */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';

export type Account = { address: string; apiKey: string; knowledgeBaseId: string };

/** `status` 0: the connection broke. `data`: from the contract's envelope. */
export type Answer<Data = unknown> = { status: number; data: Data };

const agent = new Agent({ keepAlive: true, timeout: 60_000 });

type Sent = { method: string; headers: Record<string, string>; body?: string | Buffer };

/** Sends one request to the account's service; never rejects. */
export async function send<Data>(
  { address }: Account,
  path: string,
  { method, headers, body }: Sent,
): Promise<Answer<Data>> {
  return await new Promise((resolve) => {
    const broken = () => resolve({ status: 0, data: undefined as Data });
    const sent = request(address + path, { method, agent, headers }, (response) => {
      json(response).then((answer) => {
        const { data } = answer as { data: Data }; // the caller names the operation and knows its payload
        resolve({ status: response.statusCode ?? 0, data });
      }, broken);
    });
    sent.on('error', broken).end(body);
  });
}

/** Calls an operation: with a body by POST, without one by GET (`operation` may then have a query). */
export const call = <Data>(account: Account, operation: string, body?: object) =>
  send<Data>(account, `/v1/${operation}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': account.apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

export const importText = (account: Account, content: string) =>
  call<{ id: string }>(account, 'importTextContent', {
    knowledgeBaseId: account.knowledgeBaseId,
    title: 'Text',
    content,
  });

/** The ticket for a file; `path`: of its upload address. */
export async function requestUpload(account: Account, fileName: string, size: number) {
  const ticket = { knowledgeBaseId: account.knowledgeBaseId, fileName, size };
  const { status, data } = await call<{ fileId: string; uploadUrl: string }>(
    account,
    'presignUploadUrl',
    ticket,
  );
  if (status !== 200) return undefined;
  const { pathname, search } = new URL(data.uploadUrl);
  return { fileId: data.fileId, path: pathname + search };
}

export const put = (account: Account, path: string, bytes: Buffer) =>
  send(account, path, { method: 'PUT', headers: { 'content-length': String(bytes.length) }, body: bytes });

/** Imports a file by all three steps. Returns the first failed answer, or the document's. */
export async function importFile(
  account: Account,
  { fileName, bytes }: { fileName: string; bytes: Buffer },
): Promise<Answer<{ id: string } | undefined>> {
  const upload = await requestUpload(account, fileName, bytes.length);
  if (upload === undefined) return { status: 503, data: undefined };
  const { status } = await put(account, upload.path, bytes);
  if (status !== 200) return { status, data: undefined };
  return await call<{ id: string }>(account, 'importFile', { fileId: upload.fileId });
}
