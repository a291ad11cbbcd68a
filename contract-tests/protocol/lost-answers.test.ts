/** Connections that are cut before the answer has come: the request is sent again, and has had its effect once. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { toSent } from '../harness/calling.ts';
import type { OperationId } from '../harness/contract-check.ts';
import { exchange } from '../harness/exchange.ts';
import { expectRefusal } from '../harness/expect-refusal.ts';
import { type Cut, startFaultProxy } from '../harness/fault-proxy.ts';
import { openAccount } from '../harness/opened-account.ts';
import { parseAnswer } from '../harness/raw-socket.ts';

/** What the account may store, so that a refusal tells what its tickets have reserved. */
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

/** Knowledge bases, documents, and bytes of documents and tickets. */
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

/** Sends a request over a connection that is cut; gives what the server has sent, and whether it has come. */
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

/** The same with a key, and then once more over another connection; that answer's body stands beside. */
async function sendCutAndRetry([operationId, input]: Request, cut: Cut) {
  const key = { 'idempotency-key': randomUUID() };
  const first = await sendCut([operationId, input], cut, key);
  const retried = await request(operationId, input, key);
  expect(retried.status).toBe(200);
  return { ...first, retried: retried.text };
}

const ROUNDS = 34;

test('102 requests with answers cut after the commit: each has one effect, each retry the first answer', async () => {
  const before = await countEffects();
  for (let round = 0; round < ROUNDS; round++) {
    for (const input of INPUTS) {
      // From nothing of the answer over a part of its headers to a part of its body.
      const { answered, isLost, retried } = await sendCutAndRetry(input, { answerBytes: round * 15 });
      expect(isLost).toBe(true);
      expect(retried).toBe(parseAnswer(answered).text);
    }
  }
  const [knowledgeBases, documents, bytes] = before;
  const stored = ROUNDS * (Buffer.byteLength(CONTENT) + TICKET_BYTES);
  expect(await countEffects()).toEqual([knowledgeBases + ROUNDS, documents + ROUNDS, bytes + stored]);
});

const SHORT_ROUNDS = 16;

test('of 48 requests that are cut at any moment, each has one effect once it is sent again', async () => {
  const [knowledgeBases, documents, bytes] = await countEffects();
  for (let round = 0; round < SHORT_ROUNDS; round++) {
    for (const input of INPUTS) await sendCutAndRetry(input, { afterMs: round });
  }
  const stored = SHORT_ROUNDS * (Buffer.byteLength(CONTENT) + TICKET_BYTES);
  expect(await countEffects()).toEqual([
    knowledgeBases + SHORT_ROUNDS,
    documents + SHORT_ROUNDS,
    bytes + stored,
  ]);
});

test('without a key a request whose answer was lost is done again: what the keys are for', async () => {
  const { knowledgeBaseCount } = await api.getUsage();
  await sendCut(['createKnowledgeBase', { name: 'Made twice' }], { answerBytes: 0 });
  await api.createKnowledgeBase({ name: 'Made twice' });
  expect((await api.getUsage()).knowledgeBaseCount).toBe(knowledgeBaseCount + 2);
});
