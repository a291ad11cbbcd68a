/** BOOTSTRAP_API_KEY is a key of the first account. A new value revokes the previous key. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { findLiveApiKeys, listApiKeys, revokeApiKey } from '../database/rows/api-keys.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { generateApiKey, readApiKey } from '../terms/api-key.ts';
import { ensureFirstAccount } from './bootstrap.ts';
import { greet } from './greeting.ts';
import { apiKeyFile } from './secrets/secret-files.ts';
import { offerSignInCode } from './secrets/sign-in-code.ts';

let DATA_DIR: string;
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
beforeEach(async () => {
  DATA_DIR = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-first-start-'));
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await testDatabase.close();
  rmSync(DATA_DIR, { recursive: true });
});

/** Starts with this setting. Returns the warnings in the log. */
async function start(BOOTSTRAP_API_KEY = ''): Promise<string> {
  const warned: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void warned.push(line) });
  await ensureFirstAccount(testDatabase.database, readConfig({ DATA_DIR, BOOTSTRAP_API_KEY }), log);
  return warned.join('');
}

/** The printed sentence about the key, and the key in the printed request. */
async function greetWith(settings: Record<string, string> = {}): Promise<[string, string]> {
  const config = readConfig({ DATA_DIR, ...settings });
  const greeting = await greet('http://a', testDatabase.database, { config });
  return [greeting.split('\n')[1] ?? '', /x-api-key: (.*?)" /.exec(greeting)?.[1] ?? ''];
}

const opens = async (key: string) =>
  (await findLiveApiKeys(testDatabase.database, [readApiKey(key)?.keyId ?? ''])).size > 0;

test('a new value revokes the previous one, and no other key', async () => {
  await start();
  const made = (await readFile(apiKeyFile(readConfig({ DATA_DIR })), 'utf8')).trim();
  const [first, second] = [generateApiKey(), generateApiKey()];
  await start(first);
  expect([await opens(made), await opens(first)]).toEqual([true, true]);
  expect(await start(second)).toContain('revoked');
  expect([await opens(made), await opens(first), await opens(second)]).toEqual([true, false, true]);
  expect(await listApiKeys(testDatabase.database)).toHaveLength(3);
});

test('the start on another, empty database keeps the key in the file', async () => {
  await start();
  const file = apiKeyFile(readConfig({ DATA_DIR }));
  const key = await readFile(file, 'utf8');
  await testDatabase.close();
  testDatabase = await createTestDatabase();
  await start();
  expect(await readFile(file, 'utf8')).toBe(key);
  expect(await opens(key.trim())).toBe(true);
});

test('a restart with the old value does not revoke the new key', async () => {
  const [before, after] = [generateApiKey(), generateApiKey()];
  for (const value of [before, before, after, before, after, before]) await start(value);
  expect([await opens(before), await opens(after)]).toEqual([false, true]);
  expect(await start(before)).toContain('BOOTSTRAP_API_KEY is a revoked key');
});

test('when two servers start at the same time with different values, one of the keys works', async () => {
  await start(generateApiKey());
  const values = [generateApiKey(), generateApiKey()];
  await Promise.all(values.map((value) => start(value)));
  expect((await Promise.all(values.map(opens))).filter(Boolean)).toHaveLength(1);
});

test('the start prints where a working key is, or why it does not work and the remedy', async () => {
  await start();
  const file = apiKeyFile(readConfig({ DATA_DIR }));
  const key = (await readFile(file, 'utf8')).trim();
  expect(await greetWith()).toEqual([`The API key is in ${file}`, `$(cat ${file})`]);
  await revokeApiKey(testDatabase.database, readApiKey(key)?.keyId ?? '');
  const remedy = `Put a new one there: \`npx knowledge-retrieval keys create > ${file}\`; or remove the file.`;
  expect(await greetWith()).toEqual([
    `The API key in ${file} opens nothing: it was revoked. ${remedy}`,
    '$API_KEY',
  ]);
  expect((await greetWith({ BOOTSTRAP_API_KEY: key }))[0]).toMatch(
    /^The API key in BOOTSTRAP_API_KEY opens nothing: it was revoked\. .* `npx knowledge-retrieval keys generate`/,
  );
  await writeFile(file, generateApiKey());
  expect((await greetWith())[0]).toContain('opens nothing: this database does not know it.');
  await writeFile(file, 'rubbish');
  expect((await greetWith())[0]).toBe(`${file} holds no API key that can be read. ${remedy}`);
  await rm(file);
  expect((await greetWith())[0]).toContain('The API key is not stored here: ');
});

test('a start offers a code for its key only where no other machine reaches the service', async () => {
  await start();
  const file = apiKeyFile(readConfig({ DATA_DIR }));
  const key = (await readFile(file, 'utf8')).trim();
  const offer = (settings: Record<string, string> = {}) =>
    offerSignInCode(testDatabase.database, readConfig({ DATA_DIR, ...settings }));
  for (const HOST of ['127.0.0.1', 'localhost', '::1']) {
    const offered = await offer({ HOST });
    expect(await offered?.redeem(offered.code)).toBe(key);
  }
  for (const HOST of ['0.0.0.0', '::', '192.168.0.7', '127.example.org'])
    expect(await offer({ HOST })).toBeUndefined();
  expect(await offer({ BASE_URL: 'https://kr.example.org' })).toBeUndefined();
  expect(await offer({ BOOTSTRAP_API_KEY: generateApiKey() })).toBeUndefined();
  await revokeApiKey(testDatabase.database, readApiKey(key)?.keyId ?? '');
  expect(await offer()).toBeUndefined();
});
