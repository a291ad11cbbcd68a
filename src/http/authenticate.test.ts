/** Only live keys may call. A revoked key stops working within a second. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { generateApiKey, readApiKey } from '../api-key.ts';
import { createAccount } from '../database/accounts.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from '../database/api-keys.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createAuthenticate } from './authenticate.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let accountId: string;

beforeAll(async () => {
  suite = await createTestDatabase();
  accountId = await createAccount(suite.database, 'account', 0);
});
afterAll(() => suite.close());

async function makeKey(expiresAt: Date | null = null): Promise<string> {
  const key = generateApiKey();
  await insertApiKey(suite.database, key, { accountId, name: 'test', expiresAt });
  return key;
}

const keyIdOf = (key: string) => readApiKey(key)?.keyId ?? '';

test('a live key returns its account', async () => {
  const key = await makeKey();
  expect(await createAuthenticate(suite.database).authenticate(key)).toEqual({
    accountId,
    keyId: keyIdOf(key),
  });
});

test('a missing, malformed, unknown, expired or revoked key is refused with the same message', async () => {
  const { authenticate } = createAuthenticate(suite.database);
  const expired = await makeKey(new Date(Date.now() - 1000));
  const revoked = await makeKey();
  await revokeApiKey(suite.database, keyIdOf(revoked));
  const refusals = [undefined, '', 'nonsense', generateApiKey(), expired, revoked].map((key) =>
    authenticate(key).then(
      () => 'accepted',
      (error: Error) => error.message,
    ),
  );
  expect(new Set(await Promise.all(refusals))).toEqual(
    new Set(['The x-api-key header must hold a valid API key.']),
  );
});

test('a key in use stops working within a second of its revocation', async () => {
  const { authenticate } = createAuthenticate(suite.database);
  const key = await makeKey();
  await authenticate(key);
  await revokeApiKey(suite.database, keyIdOf(key));
  await vi.waitFor(() => expect(authenticate(key)).rejects.toThrow('valid API key'), {
    timeout: 1_500,
    interval: 50,
  });
});

test('ownerOf returns the account of a key from its first successful check until it is refused', async () => {
  const { authenticate, ownerOf } = createAuthenticate(suite.database);
  const key = await makeKey();
  const before = ownerOf(key);
  await authenticate(key);
  expect([before, ownerOf(key), ownerOf(generateApiKey())]).toEqual(['', accountId, '']);
  await revokeApiKey(suite.database, keyIdOf(key));
  await vi.waitFor(() => expect(authenticate(key)).rejects.toThrow(), { timeout: 1_500, interval: 50 });
  expect(ownerOf(key)).toBe('');
});

test('a thousand keys, all but one made up, are looked up with fewer than four statements', async () => {
  let statements = 0;
  const counted = suite.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1;
      return result;
    },
  });
  const { authenticate, lookUpUnknownKey, ownerOf } = createAuthenticate(counted);
  const key = await makeKey();
  const keys = Array.from({ length: 1_000 }, generateApiKey).with(500, key);
  await Promise.all(keys.map(lookUpUnknownKey));
  expect(new Set(keys.map(ownerOf))).toEqual(new Set(['', accountId]));
  expect(ownerOf(key)).toBe(accountId);
  await Promise.allSettled(keys.map(authenticate));
  expect(statements).toBeLessThan(4);
  expect([key, '', `${key}0`].map(lookUpUnknownKey)).toEqual([undefined, undefined, undefined]);
});

test('a malformed key or one with a wrong checksum costs no query', async () => {
  const closed = await createTestDatabase();
  await closed.close();
  const key = generateApiKey();
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  await expect(createAuthenticate(closed.database).authenticate(wrong)).rejects.toThrow('valid API key');
});

test('the database holds hashes, from which no key can be computed', async () => {
  const key = await makeKey();
  const rows = JSON.stringify(await suite.database.selectFrom('api_keys').selectAll().execute());
  expect(rows).not.toContain(key);
  expect(rows).not.toContain(key.split('_')[2]);
  expect((await listApiKeys(suite.database)).some(({ id }) => id === keyIdOf(key))).toBe(true);
});
