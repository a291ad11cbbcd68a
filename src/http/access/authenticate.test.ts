/** Only live keys may call, and only what their scope permits. A revoked key stops working within a second. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Filter } from '../../../generated/types.gen.ts';
import { createAccount } from '../../database/rows/accounts.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from '../../database/rows/api-keys.ts';
import { endSession } from '../../database/rows/ended-sessions.ts';
import type { KeyScope } from '../../database/schema/tables.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createAccessTokens } from '../../terms/access-token.ts';
import { generateApiKey, readApiKey } from '../../terms/api-key.ts';
import { createAuthenticate, type RequiredScope, requireScope } from './authenticate.ts';
import { createConsoleSessions } from './console-session.ts';

type Permissions = { scope?: KeyScope; knowledgeBaseIds?: string[]; filter?: Filter };

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let accountId: string;

beforeAll(async () => {
  suite = await createTestDatabase();
  accountId = await createAccount(suite.database, 'account', 0);
});
afterAll(() => suite.close());

async function makeKey(expiresAt: Date | null = null, permissions: Permissions = {}): Promise<string> {
  const key = generateApiKey();
  await insertApiKey(suite.database, key, { accountId, name: 'test', expiresAt, ...permissions });
  return key;
}

/** The database, with a counter of the statements that it runs. */
function countStatements() {
  const counted = { statements: 0, database: suite.database };
  counted.database = suite.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      counted.statements += 1;
      return result;
    },
  });
  return counted;
}

afterEach(() => void vi.useRealTimers());

const keyIdOf = (key: string) => readApiKey(key)?.keyId ?? '';

test('a live key returns its account', async () => {
  const key = await makeKey();
  expect(await createAuthenticate(suite.database).authenticate(key)).toEqual({
    accountId,
    keyId: keyIdOf(key),
    scope: 'write',
    allowedKnowledgeBases: undefined,
  });
});

test('a key may do what its scope and its bounds permit', async () => {
  const { authenticate } = createAuthenticate(suite.database);
  const permitted = async (permissions: Permissions) => {
    const caller = await authenticate(await makeKey(null, permissions));
    const mayCall = (required: RequiredScope) => {
      try {
        requireScope(caller, { required, heed: 'visible' });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ errorCode: 'KEY_NOT_PERMITTED', status: 403 });
        return false;
      }
    };
    return (['search', 'write', 'account'] as const).filter(mayCall);
  };
  const knowledgeBaseIds = [uuidv7()];
  expect(await permitted({})).toEqual(['search', 'write', 'account']);
  expect(await permitted({ scope: 'search' })).toEqual(['search']);
  expect(await permitted({ knowledgeBaseIds })).toEqual(['search', 'write']);
  expect(await permitted({ scope: 'search', knowledgeBaseIds })).toEqual(['search']);
  await expect(makeKey(null, { knowledgeBaseIds: [] })).rejects.toThrow('check constraint');
});

test('the use of a key is written once a day, however often and wherever it is used', async () => {
  const key = await makeKey();
  const lastUse = async () => {
    const keys = await listApiKeys(suite.database);
    return keys.find(({ id }) => id === keyIdOf(key))?.last_used_at;
  };
  const setLastUse = (time: Date) =>
    suite.database
      .updateTable('api_keys')
      .set({ last_used_at: time })
      .where('id', '=', keyIdOf(key))
      .execute();
  expect(await lastUse()).toBe(null);
  const counted = countStatements();
  const { authenticate } = createAuthenticate(counted.database);
  for (let request = 0; request < 100; request += 1) await authenticate(key);
  await vi.waitFor(async () => expect(await lastUse()).not.toBe(null));
  await vi.waitFor(() => expect(counted.statements).toBe(2)); // the look-up, and the use
  const first = await lastUse();
  await createAuthenticate(counted.database).authenticate(key);
  expect([counted.statements, await lastUse()]).toEqual([3, first]); // another look-up
  await setLastUse(new Date(Date.now() - 86_400_000));
  await createAuthenticate(suite.database).authenticate(key);
  await vi.waitFor(async () => expect((await lastUse())?.getTime()).toBeGreaterThan(first?.getTime() ?? 0));
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
  vi.useFakeTimers({ toFake: ['performance'] });
  const { authenticate } = createAuthenticate(suite.database);
  const key = await makeKey();
  await authenticate(key);
  await revokeApiKey(suite.database, keyIdOf(key));
  vi.advanceTimersByTime(1_000);
  await expect(authenticate(key)).rejects.toThrow('valid API key');
});

test('a sign-out ends its session at once on every server, and no other session of its key', async () => {
  const sessions = createConsoleSessions('secret');
  const keyId = keyIdOf(await makeKey());
  const [ended, other] = [sessions.issue(keyId), sessions.issue(keyId)];
  const servers = [1, 2].map(() => createAuthenticate(suite.database, { sessions }).authenticate);
  for (const authenticate of servers) expect(await authenticate(ended)).toMatchObject({ accountId, keyId });
  const { sessionId: id = '', expiresAt = new Date() } = sessions.read(ended) ?? {};
  await endSession(suite.database, { id, expiresAt });
  for (const authenticate of servers) {
    await expect(authenticate(ended)).rejects.toThrow('valid API key');
    expect(await authenticate(other)).toMatchObject({ keyId });
  }
});

test('a key in use ends its sessions within a second of its revocation', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const sessions = createConsoleSessions('secret');
  const { authenticate } = createAuthenticate(suite.database, { sessions });
  const keyId = keyIdOf(await makeKey());
  const token = sessions.issue(keyId);
  await authenticate(token);
  await revokeApiKey(suite.database, keyId);
  vi.advanceTimersByTime(1_000);
  await expect(authenticate(token)).rejects.toThrow('valid API key');
});

test('ownerOf returns the account of a key from its first successful check until it is refused', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { authenticate, ownerOf } = createAuthenticate(suite.database);
  const key = await makeKey();
  const before = ownerOf(key);
  await authenticate(key);
  expect([before, ownerOf(key), ownerOf(generateApiKey())]).toEqual(['', accountId, '']);
  await revokeApiKey(suite.database, keyIdOf(key));
  vi.advanceTimersByTime(1_000);
  await expect(authenticate(key)).rejects.toThrow();
  expect(ownerOf(key)).toBe('');
});

test('a thousand keys, all but one made up, are looked up with few statements', async () => {
  const counted = countStatements();
  const { authenticate, lookUpUnknownKey, ownerOf } = createAuthenticate(counted.database);
  const key = await makeKey();
  const keys = Array.from({ length: 1_000 }, generateApiKey).with(500, key);
  await Promise.all(keys.map(lookUpUnknownKey));
  expect(new Set(keys.map(ownerOf))).toEqual(new Set(['', accountId]));
  expect(ownerOf(key)).toBe(accountId);
  await Promise.allSettled(keys.map(authenticate));
  expect(counted.statements).toBeLessThan(5); // one of them records the use
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

test('a key with a filter only reads, and servers of earlier versions take it for an expired one', async () => {
  const { authenticate } = createAuthenticate(suite.database);
  const filter = { type: 'eq', key: 'team', value: 'sales' } as const;
  const key = await makeKey(null, { scope: 'search', filter });
  expect(await authenticate(key)).toMatchObject({
    scope: 'search',
    restriction: { path: expect.stringContaining('"team"') },
  });
  const { rows } = await sql`SELECT FROM api_keys WHERE id = ${keyIdOf(key)}
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`.execute(suite.database);
  expect(rows).toEqual([]);
  await expect(authenticate(await makeKey(new Date(0), { scope: 'search', filter }))).rejects.toMatchObject({
    errorCode: 'UNAUTHORIZED',
  });
  await expect(makeKey(null, { filter })).rejects.toThrow('check constraint');
});

test('a token reads what its filter and that of its key match, until its time or the end of its key', async () => {
  const tokens = createAccessTokens('secret');
  const { authenticate, lookUpUnknownKey, ownerOf } = createAuthenticate(suite.database, { tokens });
  const key = await makeKey(null, { scope: 'search', filter: { type: 'eq', key: 'team', value: 'sales' } });
  const keyId = keyIdOf(key);
  const filter = { type: 'eq', key: 'year', value: 2026 } as const;
  const inAnHour = new Date(Date.now() + 3_600_000);
  const token = tokens.issue({ keyId, filter, expiresAt: inAnHour });
  expect(ownerOf(token)).toBe('');
  expect(await lookUpUnknownKey(token)).toBe(true);
  expect(ownerOf(token)).toBe(accountId);
  const { restriction, ...caller } = await authenticate(token);
  expect(restriction?.path).toMatch(/"team".* && .*"year"/);
  expect(caller).toMatchObject({ accountId, keyId, scope: 'search', token: { keyId, filter } });

  const ofWriter = tokens.issue({ keyId: keyIdOf(await makeKey()), expiresAt: inAnHour });
  expect(await authenticate(ofWriter)).toMatchObject({ scope: 'search', restriction: undefined });
  const [, id, content, signature] = /^krt_(\w+?)_(.+)_([\w-]{43})$/.exec(token) ?? [];
  const other = Buffer.from(JSON.stringify({ exp: 9_999_999_999 })).toString('base64url');
  for (const forged of [
    `krt_${id}_${other}_${signature}`,
    `krt_${keyIdOf(await makeKey())}_${content}_${signature}`,
    createAccessTokens('another secret').issue({ keyId, expiresAt: inAnHour }),
    tokens.issue({ keyId, expiresAt: new Date(Date.now() - 1_000) }),
  ])
    await expect(authenticate(forged)).rejects.toMatchObject({ errorCode: 'UNAUTHORIZED' });
  await revokeApiKey(suite.database, keyId);
  const { authenticate: later } = createAuthenticate(suite.database, { tokens });
  await expect(later(token)).rejects.toMatchObject({ errorCode: 'UNAUTHORIZED' });
});
