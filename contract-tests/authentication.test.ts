/** Keys: what a key that is no good is told, and when it stops being good. */
import { expect, inject, test, vi } from 'vitest';
import { createCaller } from './calling.ts';
import { OPERATION_IDS } from './contract-check.ts';
import { expectRefusal } from './expect-refusal.ts';
import { createKey, openAccount } from './opened-account.ts';
import { runCommand } from './running-service.ts';
import { VALID_INPUTS } from './valid-inputs.ts';

const account = await openAccount();
const address = inject('address');

/** The id under which the command line knows a key. */
async function idOf(apiKey: string): Promise<string> {
  const listed = await runCommand(inject('dataDirectory'), 'keys', 'list');
  const id = listed.split(/\s+/).find((word) => word.length >= 8 && apiKey.includes(word));
  if (id === undefined) throw new Error('the key is not listed');
  return id;
}

test('401 UNAUTHORIZED: a revoked key stops within a second or two, and is told what a missing one is, everywhere', async () => {
  const revoked = createCaller({ address, apiKey: await createKey(account.name) });
  expect((await revoked.request('getBalance')).status).toBe(200);
  await runCommand(inject('dataDirectory'), 'keys', 'revoke', await idOf(revoked.apiKey));
  await vi.waitUntil(async () => (await revoked.request('getBalance')).status === 401, {
    timeout: 2_000,
    interval: 50,
  });
  const missing = await account.request('getBalance', undefined, { 'x-api-key': undefined });
  for (const operationId of OPERATION_IDS) {
    const answer = await revoked.request(operationId, VALID_INPUTS[operationId]);
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.text).toBe(missing.text);
  }
});

test('401 UNAUTHORIZED: a key past its expiry', async () => {
  const apiKey = await createKey(account.name, undefined, '--expires-in-days', '0');
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
  const wrong = `${apiKey}0`;
  const answer = await request('getBalance', undefined, { 'x-api-key': wrong });
  expectRefusal(answer, 401, 'UNAUTHORIZED');
  expect(`${answer.text}${JSON.stringify(answer.headers)}`).not.toContain(apiKey);
});

test('200: every key of an account sees the same', async () => {
  const { id } = await account.api.createKnowledgeBase({ name: 'Shared' });
  const second = createCaller({ address, apiKey: await createKey(account.name) });
  expect((await second.api.listKnowledgeBases()).data.map((each) => each.id)).toEqual([id]);
});
