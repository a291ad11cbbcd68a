/** Ten thousand bent requests to every operation and to upload addresses: no fault, and no harm to what is there. */
import { expect, inject, test } from 'vitest';
import { OPERATION_IDS, ROUTES, requireContract } from './contract-check.ts';
import { exchange } from './exchange.ts';
import { type BentRequest, bendRequests, type GoodRequest } from './hostile-requests.ts';
import { createInParallel } from './lists.ts';
import { openAccount } from './opened-account.ts';
import { pathOf } from './uploading.ts';
import { VALID_INPUTS } from './valid-inputs.ts';

const COUNT = 10_000;
/** Another seed bends other requests: MUTATION_SEED=2 npx vitest … */
const SEED = Number(process.env.MUTATION_SEED ?? 1);
/** No request may take longer. */
const TIMEOUT_MS = 10_000;

const account = await openAccount({ knowledgeBaseLimit: 100_000, storageLimitBytes: 10_000_000_000 });
const { api, apiKey } = account;
const kept = await api.createKnowledgeBase({ name: 'Kept' });
const text = { knowledgeBaseId: kept.id, title: 'Kept', content: 'The platypus was here before.' };
const document = await api.importTextContent(text);
const { id: otherId } = await api.createKnowledgeBase({ name: 'Written to' });
const { pagination } = await api.listKnowledgeBases({ limit: 1 });
const ticket = await api.presignUploadUrl({ knowledgeBaseId: otherId, fileName: 'note.txt', size: 9 });

/** Real ids, so that requests get as far as they can; only deletions name what nobody has. */
const REAL_IDS: Partial<Record<(typeof OPERATION_IDS)[number], object>> = {
  query: { knowledgeBaseIds: [kept.id, otherId] },
  importFile: { fileId: ticket.fileId },
  presignUploadUrl: { knowledgeBaseId: otherId },
  importTextContent: { knowledgeBaseId: otherId },
  listDocuments: { knowledgeBaseId: kept.id },
  listKnowledgeBases: { cursor: pagination.nextCursor },
  getDocumentStatus: { documentId: document.id },
  getDocument: { documentId: document.id },
  listPassages: { documentId: document.id },
};

function goodRequests(): GoodRequest[] {
  const operations = OPERATION_IDS.map((operationId): GoodRequest => {
    const { method, path } = ROUTES[operationId];
    return {
      operationId,
      method,
      path,
      fields: { ...VALID_INPUTS[operationId], ...REAL_IDS[operationId] },
      isJson: method === 'POST',
      headers: { 'x-api-key': apiKey, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    };
  });
  const [path = '', query] = pathOf(ticket.uploadUrl).split('?');
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
async function problemOf({ operationId, sent }: BentRequest): Promise<string | undefined> {
  try {
    const answer = await exchange(inject('address'), sent, TIMEOUT_MS);
    requireContract(operationId, answer);
    return answer.status >= 500 && answer.status !== 503 ? `was answered by ${answer.status}` : undefined;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error);
  }
}

test(`no 5xx, and every answer keeps to the contract, for ${COUNT} bent requests (seed ${SEED})`, {
  timeout: 180_000,
}, async () => {
  const requests = bendRequests(goodRequests(), { count: COUNT, seed: SEED });
  const problems: string[] = [];
  await createInParallel(COUNT, async (index) => {
    const request = requests[index];
    if (request === undefined) throw new Error('too few requests');
    const problem = await problemOf(request);
    if (problem !== undefined)
      problems.push(`no. ${index}: ${problem}\n${JSON.stringify(request).slice(0, 1500)}`);
  });
  expect(problems.slice(0, 5), `${problems.length} problems; MUTATION_SEED=${SEED} repeats them`).toEqual([]);

  expect((await api.listDocuments({ knowledgeBaseId: kept.id })).data).toEqual([document]);
  const found = await api.query({ query: 'platypus', knowledgeBaseIds: [kept.id] });
  expect(found.map(({ content }) => content)).toEqual([text.content]);
  const { data: listed } = await api.listKnowledgeBases();
  expect(listed).toContainEqual(kept);
});
