/** The three targets of the client suite: the mock, the service, and the service behind Prism's proxy. */
import { inject } from 'vitest';
import { type Client, createClient } from '../../../../generated/client/index.ts';
import { listKnowledgeBases, presignUploadUrl } from '../../../../generated/sdk.gen.ts';
import { fetchChecked, requireResponse } from '../../../../src/contract-check/requests/calling.ts';
import { createKey, type Limits, openAccount } from '../../../harness/service/opened-account.ts';
import { spawnProgram } from '../../../harness/service/service-process.ts';
import { createWorkspace } from './checks.ts';
import { type Arranged, succeed, type Target, type Workspace } from './target.ts';

/** fetch as the generated client calls it: with a Request. */
export type Fetch = (request: Request) => Promise<Response>;

/** A client of the service at `baseUrl`. By default every answer is checked against the spec. */
export const clientAt = (
  baseUrl: string,
  headers: Record<string, string>,
  send: Fetch = fetchChecked,
): Client => createClient({ baseUrl, headers, fetch: send as typeof fetch }); // the client calls it with a Request only

const MOCK_STATUS: Record<Arranged, number> = {
  UNAUTHORIZED: 401,
  INSUFFICIENT_CREDITS: 402,
  STORAGE_LIMIT_EXCEEDED: 403,
  KNOWLEDGE_BASE_LIMIT_EXCEEDED: 403,
  KEY_NOT_PERMITTED: 403,
  FILE_NOT_UPLOADED: 409,
};

/** The mock at `address`. It refuses with the status in the Prefer header. */
export function mockTarget(address: string, send?: Fetch): Target {
  const key = { 'x-api-key': 'any' };
  const client = clientAt(address, key, send);
  const arrange: Target['arrange'] = async (errorCode) => ({
    ...(await createWorkspace(client)),
    client: clientAt(address, { ...key, prefer: `code=${MOCK_STATUS[errorCode]}` }, send),
    fileId: 'a-file-that-has-not-come',
  });
  return { client, arrange };
}

const LIMITS: Record<
  'INSUFFICIENT_CREDITS' | 'STORAGE_LIMIT_EXCEEDED' | 'KNOWLEDGE_BASE_LIMIT_EXCEEDED',
  Limits
> = {
  INSUFFICIENT_CREDITS: { credits: 0 },
  STORAGE_LIMIT_EXCEEDED: { storageLimitBytes: 1 },
  KNOWLEDGE_BASE_LIMIT_EXCEEDED: { knowledgeBaseLimit: 1 },
};

/** Keys of accounts of the tests' service: one with limits that the suite does not reach, and one for each limit. */
export async function openAccounts() {
  const codes = Object.keys(LIMITS) as (keyof typeof LIMITS)[]; // its own keys
  const [free, ...limited] = await Promise.all([
    openAccount(),
    ...codes.map((code) => openAccount(LIMITS[code])),
  ]);
  return {
    free: free.apiKey,
    limited: new Map<Arranged, string>([
      ...codes.map((code, index) => [code, limited[index]?.apiKey ?? ''] as const),
      ['KEY_NOT_PERMITTED', await createKey(free.name, undefined, { scope: 'search' })],
    ]),
  };
}

type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** The newest knowledge base of the account, or a new one. The limit may forbid a second one. */
async function findWorkspace(client: Client): Promise<Workspace> {
  const { data } = await succeed(listKnowledgeBases({ client }));
  return data[0] === undefined ? await createWorkspace(client) : { client, knowledgeBaseId: data[0].id };
}

/** Requests a ticket, and uploads nothing. Returns the id of the file. */
async function openTicket({ client, knowledgeBaseId }: Workspace): Promise<string> {
  const body = { knowledgeBaseId, fileName: 'late.txt', size: 9 };
  return (await succeed(presignUploadUrl({ client, body }))).data.fileId;
}

/** The tests' service, reached at `address`. */
export function serviceTarget(address: string, { free, limited }: Accounts, send?: Fetch): Target {
  const client = clientAt(address, { 'x-api-key': free }, send);
  const arrange: Target['arrange'] = async (errorCode) => {
    const account = limited.get(errorCode);
    if (account !== undefined) return await findWorkspace(clientAt(address, { 'x-api-key': account }, send));
    const workspace = await createWorkspace(client);
    if (errorCode === 'FILE_NOT_UPLOADED') return { ...workspace, fileId: await openTicket(workspace) };
    return { ...workspace, client: clientAt(address, { 'x-api-key': 'nobody' }, send) };
  };
  return { client, arrange };
}

/** Starts Prism's proxy before `upstream`. It answers violations of the spec with an error of its own. */
export const startProxy = (upstream = inject('address')) =>
  spawnProgram(
    [
      process.execPath,
      'node_modules/@stoplight/prism-cli/dist/index.js',
      ...['proxy', 'spec/openapi.yaml', upstream, '--errors', '--port', '0', '--multiprocess', 'false'],
    ],
    { greeting: /listening on (http:\S+)/ },
  );

/** Returns a fetch that adds each error or warning of Prism's proxy to `violations`. */
export const recordViolations =
  (violations: string[]): Fetch =>
  async (request) => {
    const response = await fetch(request);
    const isPrismError = response.headers.get('content-type')?.includes('problem+json');
    const violation =
      response.headers.get('sl-violations') ?? (isPrismError ? await response.clone().text() : undefined);
    if (violation !== undefined) violations.push(`${request.method} ${request.url}: ${violation}`);
    await requireResponse(request, response);
    return response;
  };
