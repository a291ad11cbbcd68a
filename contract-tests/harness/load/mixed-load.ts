/** Several clients import, search, read and long-poll at once, and check every answer. */
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Document, Pagination, SearchResult, UploadTicket } from '../../../generated/types.gen.ts';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { type Input, toSent } from '../../../src/contract-check/requests/calling.ts';
import {
  type Answer,
  exchange,
  isUnanswered,
  type Sent,
} from '../../../src/contract-check/requests/exchange.ts';
import { readPages } from '../../../src/contract-check/requests/read-pages.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { isFinal, pathOf } from '../calls/uploading.ts';
import type { RunningService } from '../service/service-process.ts';

/** Time-out of any answer, whatever the state of the links: statements time out earlier, and long polls are shorter. */
const ANSWER_BOUND_MS = 20_000;
/** A client's pause before it retries. Far shorter than the server asks for, to increase the load. */
const PAUSE_MS = 25;
/** How long a long poll waits for an import. */
const WAIT_SECONDS = 2;

/** `refused`: 429 or 503 with Retry-After. `cut`: the connection broke. `wrong`: all other failures, in words. */
export type Tally = { right: number; refused: number; cut: number; wrong: string[]; slowestMs: number };

/**
 * The target of the load. `address` may be a proxy's.
 * `patienceMs`: the client hangs up after this time, which counts as cut. Without it, an unanswered request is wrong.
 */
export type Target = Pick<RunningService, 'address' | 'apiKey'> & { patienceMs?: number };

/** One of several concurrent clients. */
type Client = {
  target: Target;
  tally: Tally;
  /** By `performance.now()`: when the last request with a right answer was sent. */
  rightSentAtMs: number;
  /** By `performance.now()`: when the last request failed. */
  failedAtMs: number;
};

/** Whether `answer` is a documented success, or a refusal with the time of the next attempt. */
function judge(operationId: OperationId | undefined, answer: Answer): 'right' | 'refused' | 'wrong' {
  requireContract(operationId, answer);
  if (answer.status === 200) return 'right';
  const mayRefuse = [429, 503].includes(answer.status) && answer.headers['retry-after'] !== undefined;
  return mayRefuse ? 'refused' : 'wrong';
}

/** Node's errors for broken connections have a code. */
const isBroken = (error: unknown): boolean => error instanceof Error && 'code' in error;

/** Sends one request and counts its result. Returns the `data` of a right answer. */
async function send<Data>(
  client: Client,
  operationId: OperationId | undefined,
  sent: Sent,
): Promise<Data | undefined> {
  const { tally, target } = client;
  const sentAtMs = performance.now();
  const fail = (kind: 'refused' | 'cut') => {
    client.failedAtMs = performance.now();
    tally[kind]++;
  };
  try {
    const answer = await exchange(target.address, sent, target.patienceMs ?? ANSWER_BOUND_MS);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - sentAtMs);
    const verdict = judge(operationId, answer);
    if (verdict === 'refused') return void fail('refused');
    if (verdict === 'wrong') throw new Error(`${sent.path} answered ${answer.status}: ${answer.text}`);
    client.rightSentAtMs = sentAtMs;
    tally.right++;
    return (answer.body as { data: Data }).data; // the caller knows the operation's payload; the spec was checked
  } catch (error) {
    if (isUnanswered(error) ? target.patienceMs !== undefined : isBroken(error)) return void fail('cut');
    tally.wrong.push(isUnanswered(error) ? `${sent.path} had no answer` : String(error));
  }
}

const operate = <Data>(client: Client, operationId: OperationId, input: Input, keyed = {}) => {
  const sent = toSent(operationId, input);
  const headers: OutgoingHttpHeaders = { ...sent.headers, ...keyed, 'x-api-key': client.target.apiKey };
  return send<Data>(client, operationId, { ...sent, headers });
};

/** Repeats `act` until its answer is right, or `ending` aborts. */
async function retryUntilRight<Data>(
  ending: AbortSignal,
  act: () => Promise<Data | undefined>,
): Promise<Data | undefined> {
  while (!ending.aborted) {
    const data = await act();
    if (data !== undefined) return data;
    await delay(PAUSE_MS);
  }
}

/** The data that the load reads repeatedly, created before the faults. */
type Fixtures = { knowledgeBaseId: string; documentId: string };
const FIXTURE_TEXT = 'The pangolin rolls itself up when the leopard comes.';

/** Reads data that is known beforehand. */
async function readFixtures(client: Client, { knowledgeBaseId, documentId }: Fixtures): Promise<void> {
  const found = await operate<SearchResult[]>(client, 'query', {
    query: 'pangolin',
    knowledgeBaseIds: [knowledgeBaseId],
  });
  const isFound = found?.length === 1 && found[0]?.content === FIXTURE_TEXT;
  if (found && !isFound) client.tally.wrong.push(`found ${JSON.stringify(found)}`);
  const document = await operate<Document>(client, 'getDocument', { documentId });
  if (document && document.id !== documentId) client.tally.wrong.push(`read ${document.id}`);
}

const sentenceOf = (word: string) => `A text that tells of the ${word} only.`;

type Load = { fixtures: Fixtures; ending: AbortSignal; acknowledged: Map<string, string> };

/** Imports a text under one key until it is acknowledged. */
async function importText(client: Client, { fixtures, ending, acknowledged }: Load, word: string) {
  const key = { 'idempotency-key': randomUUID() };
  const input = { knowledgeBaseId: fixtures.knowledgeBaseId, title: word, content: sentenceOf(word) };
  const document = await retryUntilRight(ending, () =>
    operate<Document>(client, 'importTextContent', input, key),
  );
  if (document) acknowledged.set(word, document.id);
}

/**
 * Uploads a file with a new ticket. Retries each step until it is acknowledged, and long-polls the import once.
 */
async function importFile(client: Client, { fixtures, ending, acknowledged }: Load, word: string) {
  const body = sentenceOf(word);
  const ticket = await retryUntilRight(ending, () =>
    operate<UploadTicket>(client, 'presignUploadUrl', {
      knowledgeBaseId: fixtures.knowledgeBaseId,
      fileName: `${word}.txt`,
      size: body.length,
    }),
  );
  if (ticket === undefined) return;
  const upload = { method: 'PUT', path: pathOf(ticket.uploadUrl), body };
  if ((await retryUntilRight(ending, () => send(client, undefined, upload))) === undefined) return;
  const { fileId } = ticket;
  const document = await retryUntilRight(ending, () => operate<Document>(client, 'importFile', { fileId }));
  if (document === undefined) return;
  acknowledged.set(word, document.id);
  await operate(client, 'getDocumentStatus', { documentId: document.id, waitSeconds: WAIT_SECONDS });
}

async function runClient(client: Client, load: Load, number: number): Promise<void> {
  for (let turn = 0; !load.ending.aborted; turn++) {
    const failedBeforeMs = client.failedAtMs;
    await readFixtures(client, load.fixtures);
    const word = `okapi${number}x${turn}`;
    // One in four clients waits for files. The others write more.
    await (number % 4 === 0 ? importFile : importText)(client, load, word);
    if (client.failedAtMs > failedBeforeMs) await delay(PAUSE_MS);
  }
}

const newClient = (target: Target): Client => ({
  target,
  tally: { right: 0, refused: 0, cut: 0, wrong: [], slowestMs: 0 },
  rightSentAtMs: 0,
  failedAtMs: 0,
});

/** The sum of all clients' counts. */
const sum = (clients: Client[]): Tally => ({
  right: clients.reduce((count, { tally }) => count + tally.right, 0),
  refused: clients.reduce((count, { tally }) => count + tally.refused, 0),
  cut: clients.reduce((count, { tally }) => count + tally.cut, 0),
  wrong: clients.flatMap(({ tally }) => tally.wrong),
  slowestMs: Math.max(...clients.map(({ tally }) => tally.slowestMs)),
});

/**
 * Sends a request that must succeed.
 * @throws an Error with the counts of its only attempt
 */
async function requireSuccess<Data>(target: Target, operationId: OperationId, input: Input): Promise<Data> {
  const client = newClient(target);
  const data = await operate<Data>(client, operationId, input);
  if (data === undefined) throw new Error(`${operationId}: ${JSON.stringify(client.tally)}`);
  return data;
}

/** Creates the data that the load reads, on a healthy service. */
async function createFixtures(target: Target): Promise<Fixtures> {
  const { id: knowledgeBaseId } = await requireSuccess<{ id: string }>(target, 'createKnowledgeBase', {
    name: 'Load',
  });
  const input = { knowledgeBaseId, title: 'Stock', content: FIXTURE_TEXT };
  return {
    knowledgeBaseId,
    documentId: (await requireSuccess<Document>(target, 'importTextContent', input)).id,
  };
}

/** After this time without a failure of any client, the service has recovered. */
const CALM_MS = 500;
/** Longer than any promise: a service that has not recovered by then never will. */
const RECOVERY_TIMEOUT_MS = 60_000;

/** Resolves with the milliseconds from `sinceMs` to the last failure, once all clients are served correctly. */
async function untilRecovered(clients: Client[], sinceMs: number): Promise<number> {
  while (performance.now() - sinceMs < RECOVERY_TIMEOUT_MS) {
    const lastFailureMs = Math.max(sinceMs, ...clients.map(({ failedAtMs }) => failedAtMs));
    const isCalm = performance.now() - lastFailureMs > CALM_MS;
    if (isCalm && clients.every(({ rightSentAtMs }) => rightSentAtMs > lastFailureMs))
      return lastFailureMs - sinceMs;
    await delay(PAUSE_MS);
  }
  throw new Error(`no recovery: ${JSON.stringify(sum(clients))}`);
}

/** All documents of the knowledge base. */
async function listDocuments({ address, apiKey }: Target, knowledgeBaseId: string): Promise<Document[]> {
  const pages = await readPages<Document>(async (cursor) => {
    const { headers, ...sent } = toSent('listDocuments', { knowledgeBaseId, ...cursor });
    const keyed = { ...sent, headers: { ...headers, 'x-api-key': apiKey } };
    const answer = await exchange(address, keyed, ANSWER_BOUND_MS);
    if (answer.status !== 200) throw new Error(`listDocuments answered ${answer.status}: ${answer.text}`);
    return answer.body as { data: Document[]; pagination: Pagination }; // the spec's, at this status
  });
  return pages.flat();
}

/** All documents of the knowledge base, once all are finished. */
async function listFinished(target: Target, knowledgeBaseId: string): Promise<Document[]> {
  const documents = await listDocuments(target, knowledgeBaseId);
  const unfinished = documents.find(({ status }) => !isFinal(status));
  if (unfinished === undefined) return documents;
  await requireSuccess(target, 'getDocumentStatus', { documentId: unfinished.id, waitSeconds: 10 });
  return await listFinished(target, knowledgeBaseId);
}

/**
 * Finds damage at a recovered service: acknowledged imports that are missing, not processed or not found by their word,
 * and duplicate imports.
 */
async function findDamage(target: Target, { fixtures, acknowledged }: Load): Promise<string[]> {
  const { knowledgeBaseId } = fixtures;
  const documents = await listFinished(target, knowledgeBaseId);
  const processed = new Set(documents.filter(({ status }) => status === 'processed').map(({ id }) => id));
  const damage = [...acknowledged]
    .filter(([, id]) => !processed.has(id))
    .map(([word]) => `${word} is missing`);
  const titles = documents.map(({ title }) => title);
  if (new Set(titles).size < titles.length) damage.push('a document exists twice');
  for (const [word, id] of acknowledged) {
    const found = await requireSuccess<SearchResult[]>(target, 'query', {
      query: word,
      knowledgeBaseIds: [knowledgeBaseId],
    });
    if (found[0]?.document_id !== id) damage.push(`${word} is not found`);
  }
  return damage;
}

/**
 * Starts this many clients. `direct`: the service without a proxy, for checks of its state.
 * @returns `tally`, the counts so far; `recovered`, the milliseconds until all clients are served again;
 * `stop`, which resolves once all requests are answered; `findDamage`, to be called after it: the damaged imports
 */
export async function startLoad(
  target: Target,
  { clients: count, direct = target }: { clients: number; direct?: Target },
) {
  const ending = new AbortController();
  const load: Load = {
    fixtures: await createFixtures(direct),
    ending: ending.signal,
    acknowledged: new Map(),
  };
  const clients = Array.from({ length: count }, () => newClient(target));
  const running = Promise.all(clients.map((client, number) => runClient(client, load, number)));
  return {
    tally: () => sum(clients),
    recovered: () => untilRecovered(clients, performance.now()),
    async stop(): Promise<Tally> {
      ending.abort();
      await running;
      return sum(clients);
    },
    findDamage: (at = direct) => findDamage(at, load),
  };
}

export type RunningLoad = Awaited<ReturnType<typeof startLoad>>;
