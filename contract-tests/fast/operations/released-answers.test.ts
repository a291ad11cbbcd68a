/**
 * Replays requests that were legal before a release: each is answered as then, byte for byte. Only new fields may
 * follow the old ones of an object.
 *
 * released-answers.json has the requests and answers in their order, recorded with 0.1.0. Among the requests are all
 * examples of its spec; the ids are the examples' ids. Whoever changes an answer there changes what the clients of
 * that version get. One change was made on purpose: warnings are objects with a code, and no longer sentences. The
 * order of results stays; their scores follow the ranking, which gets better from version to version.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UploadTicket } from '../../../generated/types.gen.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { upload } from '../../harness/calls/uploading.ts';
import { smallPdf } from '../../harness/documents/small-pdf.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

type Fields = Record<string, unknown>;
type Replay = { operationId: OperationId; input: Fields; answer: { data: Fields } };

const replays: Replay[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'released-answers.json'), 'utf8'),
);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first fields of each object in an answer, as many as the expected object has. */
function oldPart(answered: unknown, expected: unknown): unknown {
  if (Array.isArray(answered) && Array.isArray(expected))
    return answered.map((item, i) => oldPart(item, expected[i]));
  if (!isFields(answered) || !isFields(expected)) return answered;
  const old = Object.entries(answered).slice(0, Object.keys(expected).length);
  return Object.fromEntries(old.map(([name, value]) => [name, oldPart(value, expected[name])]));
}

/** Programs go by the codes of warnings and of failures. Their sentences, for people, follow what a version reads. */
const withoutSentences = (answer: unknown): string =>
  JSON.stringify(
    answer,
    (_, value) =>
      isFields(value) && 'code' in value && 'message' in value ? { ...value, message: '' } : value,
    1,
  );

/** Asserts that an answer is the expected one, apart from new fields after the old ones and sentences for people. */
function expectAsReleased(text: string, expected: unknown): void {
  const answered: unknown = JSON.parse(text);
  expect(JSON.stringify(answered)).toBe(text);
  expect(withoutSentences(oldPart(answered, expected))).toBe(withoutSentences(expected));
}

/** The pages of the uploaded files, by their names. A page without lines has no text. */
const PAGES: Record<string, Parameters<typeof smallPdf>[0]> = {
  'operations-manual.pdf': [
    [
      { size: 24, text: 'Docker' },
      { size: 10, text: 'A container restarts by itself when its restart policy is on-failure.' },
    ],
    [],
  ],
  'floor-plan.pdf': [[]],
};

/** The ids of the service by the ids of the examples. */
const ids = new Map<string, string>();

/** Ids of documents and files begin with the id of their knowledge base, so the longest come first. */
const pairs = () => [...ids].toSorted(([left], [right]) => right.length - left.length);

const toActual = (input: Fields): Fields =>
  JSON.parse(
    pairs().reduce((text, [example, actual]) => text.replaceAll(example, actual), JSON.stringify(input)),
  );

/** The answer with the ids of the examples, and without values that differ from one run to the next. */
const toReleased = (text: string): string =>
  pairs()
    .reduce((replaced, [example, actual]) => replaced.replaceAll(actual, example), text)
    .replaceAll(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"<time>"')
    .replaceAll(/"score":(?:0|1|0\.\d{1,6})(?=[,}])/g, '"score":"<score>"')
    .replaceAll(/"(nextCursor|uploadUrl)":"[^"]+"/g, '"$1":"<$1>"');

const { request } = await openAccount();

test.each(
  replays.map((replay) => [`${replay.operationId} ${JSON.stringify(replay.input)}`, replay] as const),
)('200: %s is answered as released', async (_title, { operationId, input, answer: expected }) => {
  const { status, body, text } = await request(operationId, toActual(input));
  expect(status, text).toBe(200);
  const { data } = body as { data: Fields }; // the contract has been checked
  for (const field of ['id', 'fileId'])
    if (typeof data[field] === 'string') ids.set(String(expected.data[field]), data[field]);
  expectAsReleased(toReleased(text), expected);
  if (operationId !== 'presignUploadUrl') return;
  const pdf = smallPdf(PAGES[String(input.fileName)] ?? [], Number(input.size));
  expect((await upload(data as UploadTicket, pdf)).status).toBe(200);
});

describe('the replay', () => {
  const expected = { success: true, data: [{ id: 'a', size: 1, location: { page: 4, start: 0 } }] };

  test('allows new fields after the old ones', () => {
    const location = { page: 4, start: 0, sheet: 'A' };
    const answered = {
      success: true,
      data: [{ id: 'a', size: 1, location, attributes: {} }],
      pagination: {},
    };
    expectAsReleased(JSON.stringify(answered), expected);
  });

  test.each<[string, unknown]>([
    ['a dropped field', { success: true, data: [{ id: 'a', location: { page: 4, start: 0 } }] }],
    ['a renamed field', { success: true, data: [{ id: 'a', bytes: 1, location: { page: 4, start: 0 } }] }],
    ['another order', { success: true, data: [{ size: 1, id: 'a', location: { page: 4, start: 0 } }] }],
    ['another type', { success: true, data: [{ id: 'a', size: '1', location: { page: 4, start: 0 } }] }],
    ['another value', { success: true, data: [{ id: 'a', size: 2, location: { page: 4, start: 0 } }] }],
    [
      'a new field before an old one',
      { success: true, data: [{ id: 'a', size: 1, location: { sheet: 'A', page: 4, start: 0 } }] },
    ],
    ['a missing item', { success: true, data: [] }],
    ['one more item', { success: true, data: [...expected.data, ...expected.data] }],
    ['another nesting', { success: true, data: [{ id: 'a', size: 1, location: [4, 0] }] }],
  ])('notices %s', (_what, answered) => {
    expect(() => expectAsReleased(JSON.stringify(answered), expected)).toThrow();
  });

  test('notices white space and other escapes', () => {
    expect(() => expectAsReleased(JSON.stringify(expected, null, 1), expected)).toThrow();
    expect(() => expectAsReleased(JSON.stringify(expected).replace('"a"', '"\\u0061"'), expected)).toThrow();
  });
});
