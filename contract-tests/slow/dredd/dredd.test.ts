/** Runs `npm run contract:dredd`: against a service of its own, against an address, and against the mock. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { nameOf, TRANSACTIONS, type Transaction } from '../../../src/contract-check/runner/transactions.ts';
import { responses } from '../../../src/contract-check/spec/read-spec.ts';
import { findGaps } from '../../dredd/find-gaps.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { environmentOf, root, startMock } from '../../harness/service/service-process.ts';

/** Exit code and output of `npm run contract:dredd`. */
async function runCommand(args: string[], settings: Record<string, string> = {}) {
  const env = environmentOf(inject('dataDirectory'), settings);
  const command = ['--no-warnings', 'scripts/contract-dredd.ts', ...args];
  return await promisify(execFile)(process.execPath, command, { cwd: root, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-dredd-'));
afterAll(() => rmSync(folder, { recursive: true }));

const all = responses.length;

/** Each test starts programs, which takes long on a busy machine. */
const SLOW = { timeout: 180_000 };

test(
  'a fresh service keeps the contract: every operation with every documented status, none skipped',
  SLOW,
  async () => {
    const { code, output } = await runCommand([]);
    expect(output).toContain(`The contract is kept: ${all} of ${all} checks passed.\n`);
    expect(code).toBe(0);
  },
);

test(
  'at an address, the statuses that need an operator are listed; all others run, and no data remains',
  SLOW,
  async () => {
    const { address, apiKey, api } = await openAccount();
    const args = ['--url', `${address}/`, '--report', join(folder, 'kept.txt')];
    const { code, output } = await runCommand(args, { KNOWLEDGE_API_KEY: apiKey });
    const left = TRANSACTIONS.filter(({ status }) => ['402', '403', '410', '429', '503'].includes(status));
    const run = all - left.length;
    expect(output).toContain(
      `The contract is kept: ${run} of ${run} checks passed; ${left.length} need the operator.\n`,
    );
    expect(readFileSync(join(folder, 'kept.txt'), 'utf8')).toContain(
      `need the service's operator: ${left.map(nameOf).join(', ')}\n`,
    );
    expect(code).toBe(0);
    expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, storageUsed: 0 });
  },
);

test('the mock keeps the contract as a service does, and remembers what it promises to', SLOW, async () => {
  const mock = await startMock();
  try {
    const { api } = createCaller({ address: mock.address, apiKey: 'any' });
    const before = await api.getUsage();
    const { code, output } = await runCommand(['--url', mock.address], { KNOWLEDGE_API_KEY: 'any' });
    expect(output).toContain('The contract is kept: ');
    expect(code).toBe(0);
    expect(await api.getUsage()).toEqual(before);
  } finally {
    await mock.stop();
  }
});

test('an unexpected status breaks the contract; the output does not contain the key', SLOW, async () => {
  const { address, apiKey } = await openAccount({ credits: 0 });
  const { code, output } = await runCommand(['--url', address], { KNOWLEDGE_API_KEY: apiKey });
  expect(output).toMatch(
    /^\d+ × query answered 402|^\d+ × answered 402 instead of 200 \(INSUFFICIENT_CREDITS: /m,
  );
  expect(output).toContain('The account has no credits left');
  expect(output).toContain('The contract is broken');
  expect(output).not.toContain(apiKey);
  expect(code).toBe(1);
});

test('an address without a key, or one that is none, is explained in a sentence', SLOW, async () => {
  expect(await runCommand(['--url', inject('address')])).toMatchObject({
    code: 2,
    output: expect.stringContaining('an address needs a key'),
  });
  expect(await runCommand(['--url', 'nonsense', '--key', 'k'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('An address, please'),
  });
});

test('a run that leaves a transaction out, skips one or adds one is incomplete', () => {
  const stats = { tests: all, passes: all, failures: 0, errors: 0, skipped: 0 };
  const passed = (transactions: Transaction[]) =>
    transactions.map((transaction) => ({ transaction, problem: undefined, durationMs: 1 }));
  const complete = { transactions: TRANSACTIONS, outcomes: passed(TRANSACTIONS) };
  expect(findGaps(stats, complete)).toEqual([]);
  const [first, ...rest] = TRANSACTIONS;
  expect(findGaps(stats, { ...complete, outcomes: passed(rest) }).join()).toContain('query 200');
  const twice = passed([...rest, ...rest.slice(0, 1)]);
  expect(findGaps(stats, { ...complete, outcomes: twice })).toHaveLength(1);
  const skipping = { ...stats, skipped: 1, passes: all - 1 };
  expect(findGaps(skipping, complete).join()).toContain('skipped 1');
  const more = first === undefined ? [] : [...TRANSACTIONS, first];
  expect(findGaps(stats, { ...complete, transactions: more })).not.toEqual([]);
});
