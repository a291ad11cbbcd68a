/** The command line's lists, and its refusals: each names the reason and changes nothing. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { runCommand } from '../../harness/service/command-line.ts';

const run = (...args: string[]) => runCommand(inject('dataDirectory'), ...args);

/** The account of this file. Other tests do not use it. */
const ACCOUNT = `command-line-${randomUUID()}`;
await run('accounts', 'create', ACCOUNT, '--storage-limit-bytes', '7');
await run('keys', 'create', '--account', ACCOUNT);

/** The lines of both lists that contain the account's name. */
async function listOwn(): Promise<string[]> {
  const lists = [await run('keys', 'list'), await run('accounts', 'list')].join('\n');
  return lists
    .replaceAll(/ +/g, ' ')
    .split('\n')
    .filter((line) => line.includes(ACCOUNT));
}

const before = await listOwn();

test('accounts list shows used and allowed amounts, and which limits are defaults', () => {
  expect(before[1]).toContain(' 0 of 1000 (default) 0 of 7 ');
});

test('with --json, lists are one object a line', async () => {
  const lists = [await run('accounts', 'list', '--json'), await run('keys', 'list', '--json')];
  const [accounts = [], keys = []] = lists.map((list) => list.split('\n').map((line) => JSON.parse(line)));
  expect(accounts.filter(({ name }) => name === ACCOUNT)).toEqual([
    {
      name: ACCOUNT,
      credits: 1_000_000_000,
      knowledgeBaseCount: 0,
      knowledgeBaseLimit: null,
      storageUsed: 0,
      storageLimitBytes: 7,
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect(keys.filter(({ account }) => account === ACCOUNT)).toEqual([
    expect.objectContaining({ scope: 'write', expiresAt: null, lastUsedOn: null, knowledgeBaseIds: null }),
  ]);
});

test('completion knows the commands', async () => {
  const script = await run('completion', 'bash');
  expect(script).toContain("'/keys/create --scope') choose 'search write'");
  expect(script).toMatch(/'\/import'\) offer '[^']*--kb /);
});

test.each([
  [
    'a key for ten thousand years',
    ['keys', 'create', '--account', ACCOUNT, '--expires-in-days', '4000000'],
    'from 1 to 36500',
  ],
  [
    'a key that is expired from the start',
    ['keys', 'create', '--account', ACCOUNT, '--expires-in-days', '0'],
    'from 1 to 36500',
  ],
  [
    'a key whose name has two lines',
    ['keys', 'create', '--account', ACCOUNT, '--name', 'CI\nof Zoë'],
    'visible characters',
  ],
  [
    'a key with the name of a setting',
    ['keys', 'create', '--account', ACCOUNT, '--name', 'BOOTSTRAP_API_KEY'],
    'that setting',
  ],
  ['an account without a name', ['accounts', 'create', ''], 'visible characters'],
  ['an account with a blank name', ['accounts', 'create', ' \u00a0'], 'visible characters'],
  [
    'an account with a name that moves the cursor',
    ['accounts', 'create', '\u001b[2Ja'],
    'visible characters',
  ],
  ['an account with a name of 201 characters', ['accounts', 'create', 'a'.repeat(201)], 'visible characters'],
  [
    'more credits than can be counted exactly',
    ['accounts', 'set', ACCOUNT, '--credits', '9007199254740992'],
    'to 9007199254740991',
  ],
  [
    'more knowledge bases than a limit can have',
    ['accounts', 'set', ACCOUNT, '--knowledge-base-limit', '2147483648'],
    'to 2147483647',
  ],
  ['accounts set without a change', ['accounts', 'set', ACCOUNT], 'No change was given'],
])('refuses %s', async (_what, args, reason) => {
  await expect(run(...args)).rejects.toThrow(reason);
});

test('the refused commands have changed nothing', async () => {
  expect(before).toHaveLength(2);
  expect(await listOwn()).toEqual(before);
});

test.each([
  ['fsck'],
  ['keys', 'list'],
  ['keys', 'create'],
  ['accounts', 'list'],
  ['migrate'],
  ['backup', 'copy'],
])('in a directory without a database, `%s %s` creates none', async (...args) => {
  const parent = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-mistyped-'));
  try {
    const directory = join(parent, 'data');
    await expect(runCommand(directory, ...args)).rejects.toThrow(`There is no database in ${directory}`);
    expect(existsSync(directory)).toBe(false);
  } finally {
    await rm(parent, { recursive: true });
  }
});
