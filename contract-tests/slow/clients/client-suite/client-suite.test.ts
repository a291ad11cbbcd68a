/**
 * What clients may rely on, at both kinds of mock, the service, and the service behind Prism's proxy. Those that store
 * something keep the promises of every operation. Behind the proxy, and at the mock with --fixed, which stores nothing,
 * the answers of the generated client agree with each other.
 */
import { createServer } from 'node:http';
import { afterAll, describe, expect, inject, test } from 'vitest';
import * as sdk from '../../../../generated/sdk.gen.ts';
import { OPERATION_IDS } from '../../../../src/contract-check/spec/routes.ts';
import { expectPromises } from '../../../harness/promises.ts';
import { startMock } from '../../../harness/service/service-process.ts';
import { BREAKS, breakAnswers } from './breaks.ts';
import { CHECKS } from './checks.ts';
import { REFUSALS } from './refusals.ts';
import type { Target } from './target.ts';
import {
  clientAt,
  mockTarget,
  openAccounts,
  recordViolations,
  serviceTarget,
  startProxy,
} from './targets.ts';

const SUITE = Object.entries({ ...CHECKS, ...REFUSALS });
const REFUSING = Object.entries(REFUSALS);

/** An upstream whose answers all break the contract: the balance is not a number. */
const brokenServer = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"success":true,"data":{"balance":"a lot"}}');
});
await new Promise<void>((resolve) => void brokenServer.listen(0, '127.0.0.1', resolve));
const brokenPort = (brokenServer.address() as { port: number }).port; // listening on TCP

const [accounts, mock, fixedMock, proxy, brokenProxy] = await Promise.all([
  openAccounts(),
  startMock(),
  startMock('--fixed'),
  startProxy(),
  startProxy(`http://127.0.0.1:${brokenPort}`),
]);
afterAll(async () => {
  await Promise.all([mock.stop(), fixedMock.stop(), proxy.stop(), brokenProxy.stop()]);
  brokenServer.close();
});

const testSuite = (target: Target, suite = SUITE) =>
  test.each(suite)('%s', async (_, check) => {
    expect.hasAssertions();
    await check(target);
  });

/** Tests that each operation keeps its promises for the account of this key. */
const testPromises = (address: string, apiKey: string) =>
  test.each(OPERATION_IDS)('%s keeps its promises', async (operationId) => {
    await expectPromises(operationId, { address, apiKey });
  });

describe('the mock', () => {
  testPromises(mock.address, 'any');
  testSuite(mockTarget(mock.address), REFUSING);
});

describe('the mock with --fixed', () => testSuite(mockTarget(fixedMock.address)));

// The tests of operations run its promises.
describe('the service', () => testSuite(serviceTarget(inject('address'), accounts), REFUSING));

describe('the service behind prism proxy --errors', () => {
  const violations: string[] = [];
  const send = recordViolations(violations);
  testSuite(serviceTarget(proxy.address, accounts, send));

  test('reports no violation in the whole suite', () => {
    expect(violations).toEqual([]);
  });

  test('reports a request that violates the spec', async () => {
    const client = clientAt(proxy.address, { 'x-api-key': accounts.free }, send);
    await sdk.query({ client, body: { query: 'restart', limit: 51 } });
    expect(violations.splice(0)).toEqual([expect.stringContaining('limit')]);
  });

  test('reports an answer that violates the spec', async () => {
    const client = clientAt(brokenProxy.address, { 'x-api-key': accounts.free }, send);
    const { error } = await sdk.getBalance({ client });
    expect(error).toBeDefined();
    expect(violations.splice(0)).toEqual([expect.stringContaining('balance')]);
  });
});

describe('the suite at a broken mock', () => {
  test.each(BREAKS)('fails: $name', async (broken) => {
    const target = mockTarget(fixedMock.address, breakAnswers(broken));
    const failures: string[] = [];
    for (const [name, check] of SUITE) await check(target).catch(() => failures.push(name));
    expect(failures).not.toEqual([]);
  });

  test('passes while nothing is broken', async () => {
    const unbroken = breakAnswers({ name: 'nothing', operation: 'any', change: (body) => body });
    const target = mockTarget(fixedMock.address, unbroken);
    for (const [, check] of SUITE) await check(target);
  });
});
