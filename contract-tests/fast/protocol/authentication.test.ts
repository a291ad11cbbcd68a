/** API keys: how invalid keys are refused, and how soon a revoked key is invalid. */
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { databaseUrlOf, startDatabaseProxy } from '../../harness/service/service-database.ts';
import { startSecondServer } from '../../harness/service/service-process.ts';

const account = await openAccount();
const address = inject('address');
/** A second server of the same database. The proxy can cut it off from the database. */
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

/** The id of a key in the output of `keys list`. */
async function idOf(apiKey: string): Promise<string> {
  const listed = await runCommand(inject('dataDirectory'), 'keys', 'list');
  const id = listed.split(/\s+/).find((word) => word.length >= 8 && apiKey.includes(word));
  if (id === undefined) throw new Error('the key is not listed');
  return id;
}

/**
 * The promise: no server accepts a revoked key for longer than this. Other work on the machine cannot break it: a
 * server counts the time from before its query for the key, and a request is sent before the server looks at the clock.
 */
const REVOCATION_MS = 1_000;

/** Sends requests without a pause until one fails. Returns the time at which the last successful one was sent. */
async function findLastSuccess({ request }: Caller): Promise<number> {
  let last = performance.now();
  for (;;) {
    const sentAt = performance.now();
    const { status } = await request('getBalance');
    if (status !== 200) return last;
    last = sentAt;
  }
}

test('401 UNAUTHORIZED: a second after its revocation every server answers a key like a missing one', async () => {
  const apiKey = await createKey(account.name);
  const [here, there] = [address, second.address].map((each) => createCaller({ address: each, apiKey }));
  if (here === undefined || there === undefined) throw new Error('both servers must run');
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

test('401 UNAUTHORIZED: a key after its expiry', async () => {
  const expiring = ['--account', account.name, '--expires-in-days', '1'];
  const apiKey = await runCommand(inject('dataDirectory'), 'keys', 'create', ...expiring);
  const client = new pg.Client(databaseUrlOf(inject('dataDirectory')));
  await client.connect();
  await client.query("UPDATE api_keys SET expires_at = expires_at - interval '1 day' WHERE id = $1", [
    await idOf(apiKey),
  ]);
  await client.end();
  expectRefusal(await createCaller({ address, apiKey }).request('getBalance'), 401, 'UNAUTHORIZED');
});

test('401 UNAUTHORIZED: a key anywhere but in the header x-api-key', async () => {
  const { apiKey, request } = account;
  const otherHeaders = [
    { authorization: `Bearer ${apiKey}` },
    { authorization: `ApiKey ${apiKey}` },
    { 'api-key': apiKey },
    { cookie: `x-api-key=${apiKey}` },
  ];
  for (const headers of otherHeaders) {
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

test('200: the header’s name may be in any case, and all keys of an account see the same data', async () => {
  const { id } = await account.api.createKnowledgeBase({ name: 'Shared' });
  const other = createCaller({ address, apiKey: await createKey(account.name) });
  expect((await other.api.listKnowledgeBases()).data.map((each) => each.id)).toEqual([id]);
  const headers = { 'x-api-key': undefined, 'X-API-Key': other.apiKey };
  expect((await account.request('listKnowledgeBases', undefined, headers)).status).toBe(200);
});
