/** Refusals that the operations share: a wrong key, a body that is too large or not JSON, wrong fields. */
import { describe, expect, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { operationOf, requiredInputsOf } from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../harness/calls/expect-refusal.ts';
import { type Account, openAccount } from '../../harness/service/opened-account.ts';

/** Media types that are not JSON in UTF-8; undefined: no Content-Type at all. */
const OTHER_MEDIA_TYPES = [
  undefined,
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/jsonl',
  'text/json',
  'json',
];

function testUnauthorized(operationId: OperationId, { request, apiKey }: Account): void {
  test('401 UNAUTHORIZED: the same bytes for a missing, malformed and unknown key', async () => {
    const secretChanged = apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const keys = [undefined, '', 'kr_', 'secret', secretChanged, apiKey.toUpperCase(), `${apiKey}${apiKey}`];
    const answers = await Promise.all(
      keys.map((key) => request(operationId, VALID_INPUTS[operationId], { 'x-api-key': key })),
    );
    expectSameRefusal(answers, 401, 'UNAUTHORIZED');
  });

  test('401 UNAUTHORIZED: the key is checked before the media type and the input', async () => {
    const headers = { 'x-api-key': undefined, 'content-type': 'text/plain' };
    expectRefusal(await request(operationId, 'no=JSON', headers), 401, 'UNAUTHORIZED');
  });
}

/** One function reads the media type for all operations: one of them is tried with each, the others with these. */
const SOME_MEDIA_TYPES = [undefined, 'text/plain'];

/** More than any limit, so that the refusal names the limit. Only the limit of a text's content needs megabytes. */
const aboveLimitOf = (operationId: OperationId): number =>
  operationId === 'importTextContent' ? 20_000_000 : 2_000_000;

/** A body of exactly `bytes` bytes: the input in ASCII, then white space. */
const padded = (input: object, bytes: number): string => JSON.stringify(input).padEnd(bytes, ' ');

function testPayloadTooLarge(operationId: OperationId, account: Account): void {
  const { request } = account;
  const input = VALID_INPUTS[operationId];

  test('413 PAYLOAD_TOO_LARGE: a body one byte above the limit; one at the limit is accepted', async () => {
    const answer = await request(operationId, padded(input, aboveLimitOf(operationId)));
    expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE');
    const { limit } = (answer.body as { data: { limit: number } }).data; // the spec has been checked
    await expectNothingChanged(account, async () => {
      expectRefusal(await request(operationId, padded(input, limit + 1)), 413, 'PAYLOAD_TOO_LARGE');
      const chunked = { 'transfer-encoding': 'chunked' };
      expectRefusal(await request(operationId, padded(input, limit + 1), chunked), 413, 'PAYLOAD_TOO_LARGE');
    });
    const { status } = await request(operationId, padded(input, limit));
    expect([200, 404]).toContain(status);
  });
}

function testUnsupportedMediaType(operationId: OperationId, account: Account): void {
  const mediaTypes = operationId === 'importTextContent' ? OTHER_MEDIA_TYPES : SOME_MEDIA_TYPES;
  test.each(mediaTypes)('415 UNSUPPORTED_MEDIA_TYPE: a body of Content-Type %o', async (mediaType) => {
    const headers = { 'content-type': mediaType };
    await expectNothingChanged(account, async () => {
      const answer = await account.request(operationId, VALID_INPUTS[operationId], headers);
      expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    });
  });

  test('415 UNSUPPORTED_MEDIA_TYPE: the media type is checked before the body', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectRefusal(await account.request(operationId, '{', headers), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('application/json is accepted in upper case and with parameters, although JSON defines none', async () => {
    for (const mediaType of [
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json; charset=utf8',
      'application/json; charset=us-ascii',
      'application/json;',
      'application/json ; version=1',
    ]) {
      const answer = await account.request(operationId, '{', { 'content-type': mediaType });
      expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
    }
    const plain = { 'content-type': 'application/json', 'content-encoding': 'Identity' };
    expectRefusal(await account.request(operationId, '{', plain), 422, 'INPUT_VALIDATION_FAILED');
  });
}

/** Texts that no field accepts: PostgreSQL stores no U+0000, and a lone surrogate is no character. */
const FORBIDDEN_TEXTS = ['\\u0000', 'a\\u0000b', '\\ud83d', '\\ude00 tail', 'head \\ude00\\ud83d'];

function testForbiddenCharacters(operationId: OperationId, account: Account): void {
  const input = VALID_INPUTS[operationId];
  const fields = Object.keys(input).filter((field) => typeof input[field] === 'string');
  test.each(fields)('422 INPUT_VALIDATION_FAILED: U+0000 and lone surrogates in %s', async (field) => {
    await expectNothingChanged(account, async () => {
      for (const escaped of FORBIDDEN_TEXTS) {
        // The text has the length of the valid value, so that its length cannot be the reason.
        const length = String(input[field]).length - JSON.parse(`"${escaped}"`).length;
        const text = `"${'x'.repeat(Math.max(0, length))}${escaped}"`;
        const body = JSON.stringify({ ...input, [field]: '@' }).replace('"@"', () => text);
        expectRefusedFields(await account.request(operationId, body), field);
      }
    });
  });
}

function testInvalidInput(operationId: OperationId, account: Account): void {
  const { request } = account;
  const input = VALID_INPUTS[operationId];
  const fields = requiredInputsOf(operationOf(operationId));

  test.each(fields)('422 INPUT_VALIDATION_FAILED: without %s', async (field) => {
    const { [field]: _, ...rest } = input;
    await expectNothingChanged(account, async () => {
      expectRefusedFields(await request(operationId, rest), field);
    });
  });

  test('422 INPUT_VALIDATION_FAILED: unknown fields are named, also `constructor` and `__proto__`', async () => {
    const names = ['tags', 'Limit', 'constructor', 'toString', '__proto__', 'a/b~c.d', ' ', '😀'];
    await expectNothingChanged(account, async () => {
      for (const name of names) {
        expectRefusedFields(await request(operationId, withField(operationId, input, name)), name);
      }
    });
  });
}

/** The input with one more field, as a query string or JSON. `__proto__` becomes a field of its own, too. */
function withField(operationId: OperationId, input: object, field: string): string {
  if (ROUTES[operationId].body !== 'json')
    return new URLSearchParams([...Object.entries(input), [field, 'x']]).toString();
  return JSON.stringify(Object.fromEntries([...Object.entries(input), [field, 'x']]));
}

describe.each(OPERATION_IDS)('%s', async (operationId) => {
  const account = await openAccount();
  testUnauthorized(operationId, account);
  testInvalidInput(operationId, account);
  if (ROUTES[operationId].body !== 'json') return;
  testPayloadTooLarge(operationId, account);
  testUnsupportedMediaType(operationId, account);
  testForbiddenCharacters(operationId, account);
});

const ADDRESSES: Partial<Record<OperationId, 'url' | 'sourceUrl'>> = {
  importTextContent: 'sourceUrl',
  importFile: 'sourceUrl',
  updateDocument: 'sourceUrl',
  importUrl: 'url',
  createWebhook: 'url',
};

test.each(Object.entries(ADDRESSES))(
  '422 INPUT_VALIDATION_FAILED: %s takes no address that misleads its readers, in %s',
  async (operationId, field) => {
    const account = await openAccount();
    const operation = operationId as OperationId; // a key of ADDRESSES
    for (const mark of ['\\@127.0.0.1', '\u202e', '\u2066', '\u0085']) {
      const input = { ...VALID_INPUTS[operation], [field]: `https://example.com${mark}/manual.pdf` };
      expectRefusedFields(await account.request(operation, input), field);
    }
  },
);
