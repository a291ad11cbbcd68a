/** Sends bent requests and tells which answers are faults. */
import { OPERATION_IDS, type OperationId, ROUTES, requireContract } from './contract-check.ts';
import { exchange } from './exchange.ts';
import type { BentRequest, GoodRequest } from './hostile-requests.ts';
import { createInParallel } from './lists.ts';
import { pathOf } from './uploading.ts';
import { VALID_INPUTS } from './valid-inputs.ts';

/** No request may take longer. */
const TIMEOUT_MS = 10_000;

type Target = {
  apiKey: string;
  /** Good for nine bytes. */
  uploadUrl: string;
  /** Real ids, so that requests get as far as they can. */
  realIds?: Partial<Record<OperationId, object>>;
};

/** One good request for each operation, and one for the upload address. */
export function goodRequests({ apiKey, uploadUrl, realIds = {} }: Target): GoodRequest[] {
  const operations = OPERATION_IDS.map((operationId): GoodRequest => {
    const { method, path } = ROUTES[operationId];
    return {
      operationId,
      method,
      path,
      fields: { ...VALID_INPUTS[operationId], ...realIds[operationId] },
      isJson: method === 'POST',
      headers: { 'x-api-key': apiKey, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    };
  });
  const [path = '', query] = pathOf(uploadUrl).split('?');
  const fields = Object.fromEntries(new URLSearchParams(query));
  const upload = {
    operationId: undefined,
    method: 'PUT',
    path,
    fields,
    isJson: false,
    headers: {},
    body: 'some note',
  };
  return [...operations, upload];
}

/** What is wrong with the answer; undefined: nothing. */
async function problemOf(address: string, { operationId, sent }: BentRequest): Promise<string | undefined> {
  try {
    const answer = await exchange(address, sent, TIMEOUT_MS);
    requireContract(operationId, answer);
    return answer.status >= 500 && answer.status !== 503 ? `was answered by ${answer.status}` : undefined;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error);
  }
}

/** The faults in the answers to all requests, several of which are sent at a time: 5xx, breaches of the contract. */
export async function findProblems(address: string, requests: BentRequest[]): Promise<string[]> {
  const problems: string[] = [];
  await createInParallel(requests.length, async (index) => {
    const request = requests[index];
    if (request === undefined) throw new Error('too few requests');
    const problem = await problemOf(address, request);
    if (problem !== undefined)
      problems.push(`no. ${index}: ${problem}\n${JSON.stringify(request).slice(0, 1500)}`);
  });
  return problems;
}
