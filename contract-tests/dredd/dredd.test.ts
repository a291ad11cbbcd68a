/** Runs `npm run contract:dredd`: against a service of its own, against an address, and against the mock. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { createCaller } from '../harness/calling.ts';
import { openAccount } from '../harness/opened-account.ts';
import { responses } from '../harness/read-spec.ts';
import { environmentOf, root, startMock } from '../harness/service-process.ts';
import { findGaps } from './find-gaps.ts';
import { nameOf, TRANSACTIONS } from './transactions.ts';

/** Exit code and output of `npm run contract:dredd`. */
async function runCommand(args: string[], settings: Record<string, string> = {}) {
  const env = environmentOf(inject('dataDirectory'), settings);
  const command = ['--no-warnings', 'scripts/contract-dredd.ts', ...args];
  return await promisify(execFile)(process.execPath, command, { cwd: root, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

const all = responses.length;

/** Each test starts programs, which takes long on a busy machine. */
const SLOW = { timeout: 180_000 };

test(
  'a fresh service keeps the contract: every operation with every documented status, none skipped',
  SLOW,
  async () => {
    const { code, output } = await runCommand([]);
    expect(output).toContain(`${all} passing, 0 failing, 0 errors, 0 skipped, ${all} total`);
    expect(output).toContain(`The contract is kept: ${all} of ${all} transactions passed\n`);
    expect(code).toBe(0);
  },
);

test(
  'at an address, the statuses that need an operator are listed; all others run, and no data remains',
  SLOW,
  async () => {
    const { address, apiKey, api } = await openAccount();
    const { code, output } = await runCommand(['--address', `${address}/`], { API_KEY: apiKey });
    const left = TRANSACTIONS.filter(({ status }) => ['402', '403', '410', '429', '503'].includes(status));
    const run = all - left.length;
    expect(output).toContain(
      `The contract is kept: ${run} of ${run} transactions passed; ` +
        `${left.length} more need the operator and were not run\n`,
    );
    expect(output).toContain(`need the service's operator: ${left.map(nameOf).join(', ')}\n`);
    expect(code).toBe(0);
    expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, storageUsed: 0 });
  },
);

test('the mock keeps the contract as a service does, and remembers what it promises to', SLOW, async () => {
  const mock = await startMock();
  try {
    const { api } = createCaller({ address: mock.address, apiKey: 'any' });
    const before = await api.getUsage();
    const { code, output } = await runCommand(['--address', mock.address], { API_KEY: 'any' });
    expect(output).toContain('The contract is kept: ');
    expect(code).toBe(0);
    expect(await api.getUsage()).toEqual(before);
  } finally {
    await mock.stop();
  }
});

test('an unexpected status breaks the contract; the output does not contain the key', SLOW, async () => {
  const { address, apiKey } = await openAccount({ credits: 0 });
  const { code, output } = await runCommand(['--address', address], { API_KEY: apiKey });
  expect(output).toContain("query 200: statusCode: Expected status code '200', but got '402'.");
  expect(output).toContain('The contract is broken');
  expect(output).not.toContain(apiKey);
  expect(code).toBe(1);
});

test('a wrong address or a missing key is explained in a sentence', SLOW, async () => {
  const cases: [string[], string][] = [
    [
      ['--address', 'http://127.0.0.1:2', '--key', 'kr_0'],
      'nothing answers at http://127.0.0.1:2 (connect ECONNREFUSED 127.0.0.1:2); start the service there',
    ],
    [['--address', inject('address'), '--key', 'kr_0'], 'refuses the key; pass another one'],
    [['--address', `${inject('address')}/docs`, '--key', 'kr_0'], '/docs/v1/getUsage answers 404'],
    [['--address', inject('address')], 'an address needs a key'],
  ];
  for (const [args, sentence] of cases)
    expect(await runCommand(args)).toMatchObject({ code: 1, output: expect.stringContaining(sentence) });
});

test('a run that leaves a transaction out, skips one or adds one is incomplete', () => {
  const complete = {
    error: undefined,
    stats: { tests: all, passes: all, failures: 0, errors: 0, skipped: 0 },
    ran: TRANSACTIONS,
    failures: [],
  };
  expect(findGaps(complete, TRANSACTIONS)).toEqual([]);
  const [first, ...rest] = TRANSACTIONS;
  expect(findGaps({ ...complete, ran: rest }, TRANSACTIONS).join()).toContain('query 200');
  expect(findGaps({ ...complete, ran: [...rest, ...rest.slice(0, 1)] }, TRANSACTIONS)).toHaveLength(1);
  const skipping = { ...complete, stats: { ...complete.stats, skipped: 1, passes: all - 1 } };
  expect(findGaps(skipping, TRANSACTIONS).join()).toContain('skipped 1');
  expect(findGaps(complete, first === undefined ? [] : [...TRANSACTIONS, first])).not.toEqual([]);
});
