/** Bodies that are not JSON, or not an object of fields: every operation refuses them in the same form. */

import { expect, inject, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { OPERATION_IDS, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../harness/calls/expect-refusal.ts';
import { bytesOf } from '../../harness/calls/uploading.ts';
import { usedMsBy } from '../../harness/machine/processor-time.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const POSTS = OPERATION_IDS.filter((id) => ROUTES[id].body === 'json');

/** Each function makes a malformed body from a good one. Its key names the fault. */
const MALFORMED: Record<string, (good: string) => string | Uint8Array> = {
  'an empty body': () => '',
  'white space': () => ' \n\t',
  'a truncated body': (good) => good.slice(0, -1),
  'half a body': (good) => good.slice(0, good.length / 2),
  'garbage after the body': (good) => `${good}x`,
  'two bodies': (good) => good + good,
  'a comment': (good) => `/* body */${good}`,
  'a trailing comma': (good) => good.replace(/}$/, ',}'),
  'single quotes': (good) => good.replaceAll('"', "'"),
  'a form': () => 'name=Handbook&query=a',
  'bytes that are no UTF-8': (good) => Buffer.from(good.replace('"', '"\u00ff'), 'latin1'),
  'a cut UTF-8 sequence': (good) => Buffer.concat([bytesOf(good), Uint8Array.of(0xe2, 0x82)]),
  'UTF-16': (good) => Buffer.from(`\ufeff${good}`, 'utf16le'),
  'an encoded surrogate': (good) => Buffer.from(good.replace('"', '"\u00ed\u00a0\u0080'), 'latin1'),
  'a raw U+0000': (good) => good.replace('{', '{\u0000'),
  'a raw control character in a string': (good) => good.replace('"', '"\u0001'),
  NaN: () => 'NaN',
  null: () => 'null',
  true: () => 'true',
  'a number': () => '42',
  'an array': () => '[]',
  'an array of bodies': (good) => `[${good}]`,
  'a string': () => '"query"',
  'a body in a string': (good) => JSON.stringify(good),
  '60,000 open brackets': () => '['.repeat(60_000),
  '30,000 nested arrays': () => `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
};

test.each(POSTS)(
  '422 INPUT_VALIDATION_FAILED: %s refuses a body that is not an object of fields, and changes nothing',
  async (operationId) => {
    const good = JSON.stringify(VALID_INPUTS[operationId]);
    await expectNothingChanged(account, async () => {
      for (const [what, write] of Object.entries(MALFORMED)) {
        const answer = await request(operationId, write(good));
        expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).toBe(422);
        expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
      }
    });
  },
);

test('422 INPUT_VALIDATION_FAILED: `formErrors` describes an error of the whole body in a few words', async () => {
  for (const body of ['', '{', '[]', 'null', '"{}"', `{"name": ${'x'.repeat(10_000)}`]) {
    const answer = await request('createKnowledgeBase', body);
    expect(answer.body).toMatchObject({
      data: { formErrors: [expect.stringContaining('body')], fieldErrors: {} },
    });
    expect(answer.text.length).toBeLessThan(1000);
  }
});

test.each(POSTS)('422 INPUT_VALIDATION_FAILED: %s refuses nested values as fields', async (operationId) => {
  const input = VALID_INPUTS[operationId];
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
  for (const field of Object.keys(input)) {
    const body = JSON.stringify({ ...input, [field]: '@' }).replace('"@"', deep);
    const answer = await request(operationId, body);
    // In a list, the nested list takes the place of an item.
    expectRefusedFields(answer, Array.isArray(input[field]) ? `${field}.0` : field);
  }
});

test('422 INPUT_VALIDATION_FAILED: fields __proto__ and constructor do not affect the next requests', async () => {
  const body =
    '{"name":"a","__proto__":{"description":"polluted"},"constructor":{"prototype":{"description":"polluted"}}}';
  expectRefusedFields(await request('createKnowledgeBase', body), '__proto__', 'constructor');
  expect((await api.createKnowledgeBase({ name: 'Clean' })).description).toBe('');
  expectRefusedFields(
    await request('createKnowledgeBase', '{"__proto__":{"name":"a"}}'),
    '__proto__',
    'name',
  );
});

test('200: the last one of two fields with the same name counts, also for the validation', async () => {
  const answer = await request('createKnowledgeBase', '{"name":"first","name":"second"}');
  expect(answer.body).toMatchObject({ data: { name: 'second' } });
  expectRefusedFields(await request('createKnowledgeBase', '{"name":"first","name":""}'), 'name');
  expectRefusedFields(await request('createKnowledgeBase', '{"name":"first","name":5}'), 'name');
});

test('422 INPUT_VALIDATION_FAILED: a body of a hundred thousand brackets, closed or not', async () => {
  for (const body of ['['.repeat(100_000), `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
    expectRefusal(await request('importTextContent', body), 422, 'INPUT_VALIDATION_FAILED');
  }
});

test('422 INPUT_VALIDATION_FAILED: a field of nine hundred nested objects is refused by its name', async () => {
  const body = `{"name":"a","tags":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}`;
  expectRefusedFields(await request('createKnowledgeBase', body), 'tags');
});

/** The processor time of the service for a body; quadratic time would be more. */
const REFUSAL_MAX_MS = 5_000;

test.each([900, 5_000])('422 INPUT_VALIDATION_FAILED: %i unknown fields take linear time', async (count) => {
  const fields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
  const beforeMs = usedMsBy(inject('pid'));
  const answer = await request('createKnowledgeBase', { name: 'a', ...fields });
  expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
  expect(usedMsBy(inject('pid')) - beforeMs).toBeLessThan(REFUSAL_MAX_MS);
});

/** Bodies of many more values than the limit of 1000. */
const TOO_MANY_VALUES = {
  '130,000 unknown fields': `{${Array.from({ length: 130_000 }, (_, index) => `"f${index}":1`)}}`,
  '100,000 ids': JSON.stringify({ query: 'a', knowledgeBaseIds: Array(100_000).fill(0) }),
  'five million nested arrays': `{"content":${'['.repeat(5e6)}${']'.repeat(5e6)}}`,
  'eleven million open brackets': '['.repeat(11e6),
};

test.each(Object.entries(TOO_MANY_VALUES))(
  '422 INPUT_VALIDATION_FAILED: %s, with one short message',
  async (_what, body) => {
    const answer = await request('importTextContent', body);
    expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
    expect(answer.body).toMatchObject({ data: { formErrors: ['the body must hold 1000 values at most'] } });
  },
);

test('brackets, commas, quotes and backslashes within a string do not count as values', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Signs' });
  const content = `[{,"\\"`.repeat(20_000);
  const answer = await request('importTextContent', { knowledgeBaseId: id, title: 'Signs', content });
  expect(answer.status).toBe(200);
});

test('422 INPUT_VALIDATION_FAILED: an unknown field is named, even an empty name; a long name is cut', async () => {
  expectRefusedFields(await request('createKnowledgeBase', { name: 'a', '': 1 }), '');
  const long = await request('importTextContent', { ['x'.repeat(5e6)]: 1 });
  expectRefusal(long, 422, 'INPUT_VALIDATION_FAILED');
  expect(long.text.length).toBeLessThan(2_000);
  expect(long.text).toContain(`${'x'.repeat(200)}…`);
});

test('422 INPUT_VALIDATION_FAILED: unknown fields with the same first 200 characters are reported once', async () => {
  const start = 'x'.repeat(590);
  const names = Array.from({ length: 900 }, (_, index) => `${start}${index}`);
  const answer = await request('importTextContent', Object.fromEntries(names.map((name) => [name, 1])));
  expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
  expect(answer.body).toMatchObject({
    data: { fieldErrors: { [`${'x'.repeat(200)}…`]: ['is not a field of this operation'] } },
  });
});

test('200: a byte order mark before the body, and escapes in field names, are accepted', async () => {
  expect((await request('createKnowledgeBase', '\ufeff{"name":"marked"}')).status).toBe(200);
  expect((await request('createKnowledgeBase', '{"n\\u0061me":"escaped"}')).status).toBe(200);
});
