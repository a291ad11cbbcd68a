/** Keys: what a key that is no good is told, and when it stops being good. */
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { type Caller, createCaller } from '../harness/calling.ts';
import { runCommand } from '../harness/command-line.ts';
import { OPERATION_IDS } from '../harness/contract-check.ts';
import { databaseUrlOf, startDatabaseProxy } from '../harness/embedded-database.ts';
import { expectRefusal } from '../harness/expect-refusal.ts';
import { createKey, openAccount } from '../harness/opened-account.ts';
import { startSecondServer } from '../harness/service-process.ts';
import { VALID_INPUTS } from '../harness/valid-inputs.ts';

const account = await openAccount();
const address = inject('address');
/** A second server of the same database, which can be cut off from it. */
const proxy = await startDatabaseProxy(inject('dataDirectory'));
const second = await startSecondServer(
  inject('dataDirectory'),
  { VALIDATE_RESPONSES: 'true', LOG_LEVEL: 'silent' },
  { options: ['--no-worker'], databaseUrl: proxy.url },
);
afterAll(async () => {
  await second.stop();
  proxy.close();
});

/** The id under which the command line knows a key. */
async function idOf(apiKey: string): Promise<string> {
  const listed = await runCommand(inject('dataDirectory'), 'keys', 'list');
  const id = listed.split(/\s+/).find((word) => word.length >= 8 && apiKey.includes(word));
  if (id === undefined) throw new Error('the key is not listed');
  return id;
}

/** The promise: a key that is revoked is good for no longer than this, at any server. */
const REVOCATION_MS = 1_000;

/** Asks without a pause from now on; gives when the last request that was answered well was sent. */
async function findLastSuccess({ request }: Caller): Promise<number> {
  let last = performance.now();
  for (;;) {
    const sentAt = performance.now();
    const { status } = await request('getBalance');
    if (status !== 200) return last;
    last = sentAt;
  }
}

test('401 UNAUTHORIZED: within a second every server answers a revoked key like a missing one', async () => {
  const apiKey = await createKey(account.name);
  const [here, there] = [address, second.address].map((each) => createCaller({ address: each, apiKey }));
  if (here === undefined || there === undefined) throw new Error('there are two servers');
  for (const each of [here, there]) expect((await each.request('getBalance')).status).toBe(200);
  const lastSuccesses = [here, there].map(findLastSuccess);
  await runCommand(inject('dataDirectory'), 'keys', 'revoke', await idOf(apiKey));
  const revokedAt = performance.now();
  for (const last of await Promise.all(lastSuccesses)) expect(last - revokedAt).toBeLessThan(REVOCATION_MS);
  const missing = await account.request('getBalance', undefined, { 'x-api-key': undefined });
  for (const operationId of OPERATION_IDS) {
    const answer = await here.request(operationId, VALID_INPUTS[operationId]);
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.text).toBe(missing.text);
  }
});

test('401 UNAUTHORIZED: a key with a wrong character is refused without a query to the database', async () => {
  const { apiKey } = account;
  const request = createCaller({ address: second.address, apiKey }).request;
  const flip = (at: number) =>
    `${apiKey.slice(0, at)}${apiKey[at] === '0' ? '1' : '0'}${apiKey.slice(at + 1)}`;
  const positions = [3, 10, 28, 50, apiKey.length - 9, apiKey.length - 1];
  const wrong = [
    ...positions.map(flip),
    apiKey.toUpperCase(),
    ` ${apiKey} x`,
    `${apiKey}${apiKey}`,
    apiKey.slice(0, -1),
  ];
  proxy.setFault({ isDown: true });
  try {
    for (const key of wrong)
      expectRefusal(await request('getBalance', undefined, { 'x-api-key': key }), 401, 'UNAUTHORIZED');
    expectRefusal(await request('getBalance'), 503, 'SERVICE_UNAVAILABLE');
  } finally {
    proxy.heal();
  }
});

test('401 UNAUTHORIZED: a key past its expiry', async () => {
  const apiKey = await createKey(account.name, undefined, '--expires-in-days', '1');
  const client = new pg.Client(databaseUrlOf(inject('dataDirectory')));
  await client.connect();
  await client.query("UPDATE api_keys SET expires_at = expires_at - interval '1 day' WHERE id = $1", [
    await idOf(apiKey),
  ]);
  await client.end();
  expectRefusal(await createCaller({ address, apiKey }).request('getBalance'), 401, 'UNAUTHORIZED');
});

test('401 UNAUTHORIZED: a key in another place than the header x-api-key', async () => {
  const { apiKey, request } = account;
  const places = [
    { authorization: `Bearer ${apiKey}` },
    { authorization: `ApiKey ${apiKey}` },
    { 'api-key': apiKey },
    { cookie: `x-api-key=${apiKey}` },
  ];
  for (const headers of places) {
    const answer = await request('getBalance', undefined, { 'x-api-key': undefined, ...headers });
    expectRefusal(answer, 401, 'UNAUTHORIZED');
  }
  const answer = await request('getBalance', { 'x-api-key': apiKey }, { 'x-api-key': undefined });
  expectRefusal(answer, 401, 'UNAUTHORIZED');
});

test('401 UNAUTHORIZED: no answer repeats the key', async () => {
  const { apiKey, request } = account;
  for (const wrong of [`${apiKey}0`, apiKey.toUpperCase(), apiKey.slice(1)]) {
    const answer = await request('getBalance', undefined, { 'x-api-key': wrong });
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(`${answer.text}${JSON.stringify(answer.headers)}`.toLowerCase()).not.toContain(apiKey.slice(1));
  }
});

test('200: the header’s name in any case, and every key of an account sees the same', async () => {
  const { id } = await account.api.createKnowledgeBase({ name: 'Shared' });
  const other = createCaller({ address, apiKey: await createKey(account.name) });
  expect((await other.api.listKnowledgeBases()).data.map((each) => each.id)).toEqual([id]);
  const headers = { 'x-api-key': undefined, 'X-API-Key': other.apiKey };
  expect((await account.request('listKnowledgeBases', undefined, headers)).status).toBe(200);
});
