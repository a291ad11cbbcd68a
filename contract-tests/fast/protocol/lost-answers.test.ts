/** Connections are cut before the answer arrives. The client sends the request again, and it takes effect once. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { toSent } from '../../../src/contract-check/requests/calling.ts';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { parseAnswer } from '../../harness/calls/raw-socket.ts';
import { type Cut, startFaultProxy } from '../../harness/machine/fault-proxy.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

/** The account's limit. The refusal of a larger file reports the bytes that documents and tickets use. */
const STORAGE_LIMIT_BYTES = 1_000_000;
const CONTENT = 'The café opens at nine.';
const TICKET_BYTES = 1000;

const account = await openAccount({ storageLimitBytes: STORAGE_LIMIT_BYTES });
const { api, apiKey, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Lost' });
const proxy = await startFaultProxy(inject('address'));
afterAll(proxy.close);

const INPUTS: [OperationId, object][] = [
  ['createKnowledgeBase', { name: 'Made once' }],
  ['importTextContent', { knowledgeBaseId, title: 'Made once', content: CONTENT }],
  ['presignUploadUrl', { knowledgeBaseId, fileName: 'a.txt', size: TICKET_BYTES }],
];

/** The numbers of knowledge bases and documents, and the bytes that documents and tickets use. */
async function countEffects(): Promise<[number, number, number]> {
  const { knowledgeBaseCount } = await api.getUsage();
  const { data } = await api.listDocuments({ knowledgeBaseId });
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: STORAGE_LIMIT_BYTES + 1 };
  const refusal = await request('presignUploadUrl', ticket);
  expectRefusal(refusal, 403, 'STORAGE_LIMIT_EXCEEDED');
  const { used } = (refusal.body as { data: { used: number } }).data; // the spec has been checked
  return [knowledgeBaseCount, data.length, used];
}

type Request = (typeof INPUTS)[number];

/** Sends a request over a connection that is cut. Returns the server's bytes, and whether the client lost them. */
async function sendCut([operationId, input]: Request, cut: Cut, key: Record<string, string> = {}) {
  const sent = toSent(operationId, input);
  const headers = { ...sent.headers, ...key, 'x-api-key': apiKey, connection: 'close' };
  const answered = proxy.cutNext(cut);
  const isLost = await exchange(proxy.address, { ...sent, headers }).then(
    () => false,
    () => true,
  );
  return { answered: await answered, isLost };
}

/** The same with a key, then again over another connection. `retried` is the body of the second answer. */
async function sendCutAndRetry([operationId, input]: Request, cut: Cut) {
  const key = { 'idempotency-key': randomUUID() };
  const first = await sendCut([operationId, input], cut, key);
  const retried = await request(operationId, input, key);
  expect(retried.status).toBe(200);
  return { ...first, retried: retried.text };
}

const ROUNDS = 17;

test('51 answers cut after the commit: each request takes effect once, each retry gets the first answer', async () => {
  const before = await countEffects();
  for (let round = 0; round < ROUNDS; round++) {
    for (const input of INPUTS) {
      // Round by round, the cut moves from the answer's first byte through its headers into its body.
      const { answered, isLost, retried } = await sendCutAndRetry(input, { answerBytes: round * 30 });
      expect(isLost).toBe(true);
      expect(retried).toBe(parseAnswer(answered).text);
    }
  }
  const [knowledgeBases, documents, bytes] = before;
  const stored = ROUNDS * (Buffer.byteLength(CONTENT) + TICKET_BYTES);
  expect(await countEffects()).toEqual([knowledgeBases + ROUNDS, documents + ROUNDS, bytes + stored]);
});

const SHORT_ROUNDS = 8;

test('24 requests cut at any moment: each takes effect once after it is sent again', async () => {
  const [knowledgeBases, documents, bytes] = await countEffects();
  for (let round = 0; round < SHORT_ROUNDS; round++) {
    for (const input of INPUTS) await sendCutAndRetry(input, { afterMs: 2 * round });
  }
  const stored = SHORT_ROUNDS * (Buffer.byteLength(CONTENT) + TICKET_BYTES);
  expect(await countEffects()).toEqual([
    knowledgeBases + SHORT_ROUNDS,
    documents + SHORT_ROUNDS,
    bytes + stored,
  ]);
});

test('without a key, a request that is sent again takes effect twice', async () => {
  const { knowledgeBaseCount } = await api.getUsage();
  await sendCut(['createKnowledgeBase', { name: 'Made twice' }], { answerBytes: 0 });
  await api.createKnowledgeBase({ name: 'Made twice' });
  expect((await api.getUsage()).knowledgeBaseCount).toBe(knowledgeBaseCount + 2);
});
