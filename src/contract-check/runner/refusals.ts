/** Requests that are refused: for each status but 200, a request to any operation that documents it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RUN_NAME } from '../planning/created.ts';
import {
  dataOf,
  exampleInput,
  makeKnowledgeBase,
  type Plan,
  type RunContext,
  requestWith,
  webhookInput,
} from '../planning/planned-request.ts';
import type { Operator } from '../planning/target.ts';
import { VALID_INPUTS } from '../planning/valid-inputs.ts';
import { uploadBytes } from '../promises/upload-bytes.ts';
import { createCaller } from '../requests/calling.ts';
import { exchange } from '../requests/exchange.ts';
import { examplesOf, operationOf } from '../spec/read-spec.ts';
import { type OperationId, ROUTES } from '../spec/routes.ts';
import { invalid, tooLarge, unsupportedMediaType } from './refused-inputs.ts';

/** The operator of this run. @throws without one: `isRunnable` leaves out the statuses that need it */
function operatorOf({ target }: RunContext): Operator {
  if (target.operator === undefined) throw new Error('this status needs an operator');
  return target.operator;
}

/** A key of the right form that does not exist. */
const UNKNOWN_KEY = `kr_${'0'.repeat(64)}`;

const unauthorized: Plan = (context, operationId) => {
  const { 'x-api-key': _, ...headers } = requestWith(context, operationId).headers;
  const sent = { ...requestWith(context, operationId), headers };
  return {
    sent,
    async check({ text }) {
      const withUnknownKey = { ...sent, headers: { ...headers, 'x-api-key': UNKNOWN_KEY } };
      const other = await exchange(context.target.address, withUnknownKey);
      assert.deepEqual(
        [other.status, other.text],
        [401, text],
        'an unknown key gets the same refusal as a missing one',
      );
    },
  };
};

/** Input with ids of the fixtures, for requests that only a limit refuses. */
async function acceptableInput(
  context: RunContext,
  operationId: OperationId,
): Promise<Record<string, unknown>> {
  const { knowledgeBaseId } = context.fixtures;
  if (operationId === 'query') return { knowledgeBaseIds: [knowledgeBaseId] };
  if (operationId === 'createKnowledgeBase' || operationId === 'createWebhook') return {};
  if (operationId === 'updateDocument') return { documentId: context.fixtures.longText.document.id };
  if (operationId !== 'importFile') return { knowledgeBaseId };
  const bytes = new TextEncoder().encode('uploaded, and too much');
  return { fileId: (await uploadBytes(context, bytes)).fileId };
}

/** A request to the server without credits and storage. */
const limited: Plan = async (context, operationId) => ({
  address: operatorOf(context).limitedAddress,
  sent: requestWith(context, operationId, await acceptableInput(context, operationId)),
});

/** A request with a key that may only search, and carries a filter. */
const notPermitted: Plan = (context, operationId) => {
  const sent = requestWith(context, operationId, VALID_INPUTS[operationId]);
  const { searchKey } = operatorOf(context);
  return {
    sent: { ...sent, headers: { ...sent.headers, 'x-api-key': searchKey } },
    async check() {
      const asSearch = createCaller({ address: context.target.address, apiKey: searchKey });
      const { status } = await asSearch.request('getUsage');
      assert.equal(status, 200, 'the key may read');
    },
  };
};

/** The operations that a limit of the account can refuse. All others are refused for their key only. */
const isLimited = (operationId: OperationId): boolean => {
  const { content } = operationOf(operationId).responses['403'] ?? {};
  return content !== undefined && examplesOf(content).some(([name]) => name !== 'keyNotPermitted');
};

const forbidden: Plan = (context, operationId) =>
  (isLimited(operationId) ? limited : notPermitted)(context, operationId);

const notFound: Plan = (context, operationId) => ({
  sent: requestWith(context, operationId, VALID_INPUTS[operationId]),
});

/** For `default`: another method than the operation's own. */
const methodNotAllowed: Plan = (context, operationId) => {
  const { method } = ROUTES[operationId];
  const sent = requestWith(context, operationId);
  return {
    sent: { ...sent, method: method === 'POST' ? 'PUT' : 'DELETE' },
    check: ({ headers }) =>
      assert.equal(headers.allow, method, 'Allow names the method that the path accepts'),
  };
};

const notUploaded: Plan = async (context, operationId) => {
  const { knowledgeBaseId } = context.fixtures;
  const ticket = await context.caller.api.presignUploadUrl({
    knowledgeBaseId,
    fileName: 'none.txt',
    size: 1,
  });
  return { sent: requestWith(context, operationId, { fileId: ticket.fileId }) };
};

/** The difference between two requests with one key. */
const CHANGED: Partial<Record<OperationId, Record<string, unknown>>> = {
  createKnowledgeBase: { name: `${RUN_NAME}, another one` },
  importTextContent: { title: 'Another one' },
  importUrl: { title: 'Another one' },
  presignUploadUrl: { fileName: 'another.txt' },
  createWebhook: { events: ['document.deleted'] },
};

/** What replaces fields of the example, so that the request may succeed and the run can delete what it creates. */
async function creatableInput(context: RunContext, operationId: OperationId) {
  if (operationId === 'createKnowledgeBase') return { name: `${RUN_NAME}, with a key` };
  if (operationId === 'createWebhook') return webhookInput(context);
  return { knowledgeBaseId: (await makeKnowledgeBase(context)).id };
}

const keyReused: Plan = async (context, operationId) => {
  const input = await creatableInput(context, operationId);
  const key = { 'idempotency-key': randomUUID() };
  const first = await context.caller.request(operationId, { ...exampleInput(operationId), ...input }, key);
  if (operationId === 'createKnowledgeBase') context.made.add(dataOf<{ id: string }>(first).id);
  if (operationId === 'createWebhook') context.madeWebhooks.add(dataOf<{ id: string }>(first).id);
  const sent = requestWith(context, operationId, { ...input, ...CHANGED[operationId] });
  return { sent: { ...sent, headers: { ...sent.headers, ...key } } };
};

/** A document of a text, which is searchable already. */
const ofText: Plan = (context, operationId) => {
  const { id: documentId } = context.fixtures.longText.document;
  return { sent: requestWith(context, operationId, { documentId }) };
};

const CONFLICTS: Partial<Record<OperationId, Plan>> = {
  importFile: notUploaded,
  retryDocument: ofText,
  presignDownloadUrl: ofText,
};

const conflicting: Plan = (context, operationId) =>
  (CONFLICTS[operationId] ?? keyReused)(context, operationId);

const expired: Plan = async (context, operationId) => {
  const { fileId, expiresAt } = context.fixtures.expiring ?? {};
  if (expiresAt === undefined) throw new Error('there is no ticket that expires');
  await delay(Math.max(0, Date.parse(expiresAt) + 1 - Date.now()));
  return { sent: requestWith(context, operationId, { fileId }) };
};

/** The rate-limited server refuses at least one of this many successive requests. */
const FEW_REQUESTS = 3;

const tooMany: Plan = async (context, operationId) => {
  const { rateLimitedAddress: address } = operatorOf(context);
  const { request } = createCaller({ address, apiKey: context.target.apiKey });
  for (let sent = 0; sent < FEW_REQUESTS && (await request('getBalance')).status !== 429; sent += 1);
  return { address, sent: requestWith(context, operationId) };
};

const unavailable: Plan = (context, operationId) => {
  const { limitedAddress: address, cutDatabase, restoreDatabase } = operatorOf(context);
  cutDatabase();
  return { address, sent: requestWith(context, operationId), end: restoreDatabase };
};

/** The plan for each documented status. */
export const REFUSALS: Record<string, Plan> = {
  401: unauthorized,
  402: limited,
  403: forbidden,
  404: notFound,
  409: conflicting,
  410: expired,
  413: tooLarge,
  415: unsupportedMediaType,
  422: invalid,
  429: tooMany,
  503: unavailable,
  default: methodNotAllowed,
};
