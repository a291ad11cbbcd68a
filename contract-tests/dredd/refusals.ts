/** Requests that are refused: for each status but 200, what breaks the request of any operation that documents it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { InputValidationFailedData } from '../../generated/types.gen.ts';
import { createCaller } from '../harness/calling.ts';
import { type OperationId, ROUTES } from '../harness/contract-check.ts';
import { type Answer, exchange } from '../harness/exchange.ts';
import { inputsOf, operationOf, requiredInputsOf, type Schema } from '../harness/read-spec.ts';
import { VALID_INPUTS } from '../harness/valid-inputs.ts';
import { uploadBytes } from '../promises/uploads.ts';
import {
  dataOf,
  exampleInput,
  makeKnowledgeBase,
  type Provocation,
  requestWith,
  type Work,
} from './provocation.ts';
import type { Operator } from './target.ts';

type Provoke = (work: Work, operationId: OperationId) => Promise<Provocation> | Provocation;

/** The operator of this run; the statuses that need one are not run where there is none. */
function operatorOf({ target }: Work): Operator {
  if (target.operator === undefined) throw new Error('this status needs an operator');
  return target.operator;
}

const isPost = (operationId: OperationId) => ROUTES[operationId].method === 'POST';

/** A key of the right form that nobody has. */
const UNKNOWN_KEY = `kr_${'0'.repeat(64)}`;

const unauthorized: Provoke = (work, operationId) => {
  const { 'x-api-key': _, ...headers } = requestWith(work, operationId).headers;
  const sent = { ...requestWith(work, operationId), headers };
  return {
    sent,
    async check({ text }) {
      const stranger = { ...sent, headers: { ...headers, 'x-api-key': UNKNOWN_KEY } };
      const other = await exchange(work.target.address, stranger);
      assert.deepEqual(
        [other.status, other.text],
        [401, text],
        'an unknown key is refused as a missing one is',
      );
    },
  };
};

/** Input fields of the stock's own things, for requests that only a limit refuses. */
async function acceptableInput(work: Work, operationId: OperationId): Promise<Record<string, unknown>> {
  const { knowledgeBaseId } = work.stock;
  if (operationId === 'query') return { knowledgeBaseIds: [knowledgeBaseId] };
  if (operationId === 'createKnowledgeBase') return {};
  if (operationId !== 'importFile') return { knowledgeBaseId };
  const bytes = new TextEncoder().encode('uploaded, and too much');
  return { fileId: (await uploadBytes(work, bytes)).fileId };
}

/** Credits and storage: the server that has neither. */
const spent: Provoke = async (work, operationId) => ({
  address: operatorOf(work).spentAddress,
  sent: requestWith(work, operationId, await acceptableInput(work, operationId)),
});

const notFound: Provoke = (work, operationId) => ({
  sent: requestWith(work, operationId, VALID_INPUTS[operationId]),
});

/** Any method but the operation's own stands for `default`. */
const methodNotAllowed: Provoke = (work, operationId) => {
  const { method } = ROUTES[operationId];
  const sent = requestWith(work, operationId);
  return {
    sent: { ...sent, method: isPost(operationId) ? 'PUT' : 'DELETE' },
    check: ({ headers }) => assert.equal(headers.allow, method, 'Allow names the method that the path takes'),
  };
};

const notUploaded: Provoke = async (work, operationId) => {
  const { knowledgeBaseId } = work.stock;
  const ticket = await work.caller.api.presignUploadUrl({ knowledgeBaseId, fileName: 'none.txt', size: 1 });
  return { sent: requestWith(work, operationId, { fileId: ticket.fileId }) };
};

/** What differs between two requests of one key. */
const CHANGED: Partial<Record<OperationId, Record<string, unknown>>> = {
  createKnowledgeBase: { name: 'Contract run, another one' },
  importTextContent: { title: 'Another one' },
  presignUploadUrl: { fileName: 'another.txt' },
};

const keyReused: Provoke = async (work, operationId) => {
  const { id: knowledgeBaseId } = await makeKnowledgeBase(work);
  const input = operationId === 'createKnowledgeBase' ? {} : { knowledgeBaseId };
  const key = { 'idempotency-key': randomUUID() };
  const first = await work.caller.request(operationId, { ...exampleInput(operationId), ...input }, key);
  if (operationId === 'createKnowledgeBase') work.made.add(dataOf<{ id: string }>(first).id);
  const sent = requestWith(work, operationId, { ...input, ...CHANGED[operationId] });
  return { sent: { ...sent, headers: { ...sent.headers, ...key } } };
};

const conflicting: Provoke = (work, operationId) =>
  operationId === 'importFile' ? notUploaded(work, operationId) : keyReused(work, operationId);

const expired: Provoke = async (work, operationId) => {
  const { fileId, expiresAt } = work.stock.expiring ?? {};
  if (expiresAt === undefined) throw new Error('there is no ticket that expires');
  await delay(Math.max(0, Date.parse(expiresAt) + 1 - Date.now()));
  return { sent: requestWith(work, operationId, { fileId }) };
};

/** Bytes of a code point in JSON at most: two escaped halves of a surrogate pair. */
const ESCAPED_BYTES = 12;
/** More than the names and the punctuation of any body here take. */
const AROUND_BYTES = 128 * 1024;

const codePoints = ({ maxLength = 0, maxItems = 1, items }: Schema): number =>
  items === undefined ? maxLength : maxItems * codePoints(items);

/** A body of more bytes than any legal one of this operation has; the service says where its limit lies. */
const tooLarge: Provoke = (work, operationId) => {
  const inputs = Object.values(inputsOf(operationOf(operationId)));
  const bytes = inputs.reduce((sum, schema) => sum + ESCAPED_BYTES * codePoints(schema), AROUND_BYTES);
  const sent = requestWith(work, operationId);
  return {
    sent: { ...sent, body: String(sent.body).padEnd(bytes, ' ') },
    check(answer) {
      const { limit } = dataOf<{ limit: number }>(answer);
      assert.ok(
        limit < bytes && limit > bytes / 2,
        `the limit of ${limit} bytes is that of the largest legal body`,
      );
    },
  };
};

const unsupportedMediaType: Provoke = (work, operationId) => {
  const sent = requestWith(work, operationId);
  return { sent: { ...sent, headers: { ...sent.headers, 'content-type': 'text/plain' } } };
};

/** An input with all fields, of things that nobody has: validation comes before their look-up. */
const goodInput = (operationId: OperationId) => ({
  ...exampleInput(operationId),
  ...VALID_INPUTS[operationId],
});

/** That input, each time with another field that breaks its schema: absent, too long, short, large or small. */
function* breakInput(operationId: OperationId): Generator<[field: string, input: Record<string, unknown>]> {
  const operation = operationOf(operationId);
  const good = goodInput(operationId);
  for (const field of requiredInputsOf(operation)) {
    const { [field]: _, ...rest } = good;
    yield [field, rest];
  }
  for (const [field, schema] of Object.entries(inputsOf(operation))) {
    const { maxLength, minLength = 0, minimum, maximum, maxItems } = schema;
    if (maxLength !== undefined) yield [field, { ...good, [field]: 'x'.repeat(maxLength + 1) }];
    if (minLength > 0) yield [field, { ...good, [field]: 'x'.repeat(minLength - 1) }];
    if (maxItems !== undefined) yield [field, { ...good, [field]: Array(maxItems + 1).fill('x'.repeat(36)) }];
    if (minimum !== undefined) yield [field, { ...good, [field]: minimum - 1 }];
    if (maximum !== undefined) yield [field, { ...good, [field]: maximum + 1 }];
  }
}

/** The answer names this field and no other as what is wrong. */
function checkField(answer: Answer, field: string): void {
  const { formErrors, fieldErrors } = dataOf<InputValidationFailedData>(answer);
  const found = { status: answer.status, formErrors, fields: Object.keys(fieldErrors ?? {}) };
  assert.deepEqual(
    found,
    { status: 422, formErrors: [], fields: [field] },
    `422 names ${field} and nothing else`,
  );
}

const invalid: Provoke = (work, operationId) => {
  return {
    sent: requestWith(work, operationId, { ...VALID_INPUTS[operationId], unheardOf: 'x' }),
    async check(answer) {
      checkField(answer, 'unheardOf');
      for (const [field, input] of breakInput(operationId))
        checkField(await work.caller.request(operationId, input), field);
      if (!isPost(operationId)) return;
      const malformed = await work.caller.request(operationId, '{"a":');
      assert.equal(malformed.status, 422);
      assert.equal(
        dataOf<InputValidationFailedData>(malformed).formErrors.length,
        1,
        'one word on malformed JSON',
      );
    },
  };
};

/** More requests than these in a minute are refused, or the hurried server is not hurried. */
const FEW_REQUESTS = 3;

const tooMany: Provoke = async (work, operationId) => {
  const { hurriedAddress: address } = operatorOf(work);
  const { request } = createCaller({ address, apiKey: work.target.apiKey });
  for (let sent = 0; sent < FEW_REQUESTS && (await request('getBalance')).status !== 429; sent += 1);
  return { address, sent: requestWith(work, operationId) };
};

const unavailable: Provoke = (work, operationId) => {
  const { spentAddress: address, cutDatabase, joinDatabase } = operatorOf(work);
  cutDatabase();
  return { address, sent: requestWith(work, operationId), end: joinDatabase };
};

/** By documented status. */
export const REFUSALS: Record<string, Provoke> = {
  401: unauthorized,
  402: spent,
  403: spent,
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
