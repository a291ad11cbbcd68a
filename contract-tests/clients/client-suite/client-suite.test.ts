/** One suite of the generated client, unchanged against the mock, the service, and the service behind Prism's proxy. */
import { createServer } from 'node:http';
import { afterAll, describe, expect, inject, test } from 'vitest';
import * as sdk from '../../../generated/sdk.gen.ts';
import { startMock } from '../../harness/service-process.ts';
import { BREAKS, breaking } from './breaks.ts';
import { CHECKS } from './checks.ts';
import { REFUSALS } from './refusals.ts';
import type { Target } from './target.ts';
import {
  clientAt,
  mockTarget,
  notingViolations,
  openAccounts,
  serviceTarget,
  startProxy,
} from './targets.ts';

const SUITE = Object.entries({ ...CHECKS, ...REFUSALS });

/** An upstream of which every answer breaks the contract: the balance is no number. */
const liar = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"success":true,"data":{"balance":"a lot"}}');
});
await new Promise<void>((resolve) => void liar.listen(0, '127.0.0.1', resolve));
const liarPort = (liar.address() as { port: number }).port; // listening on TCP

const [accounts, mock, proxy, lyingProxy] = await Promise.all([
  openAccounts(),
  startMock(),
  startProxy(),
  startProxy(`http://127.0.0.1:${liarPort}`),
]);
afterAll(async () => {
  await Promise.all([mock.stop(), proxy.stop(), lyingProxy.stop()]);
  liar.close();
});

const testSuite = (target: Target) =>
  test.each(SUITE)('%s', async (_, check) => {
    expect.hasAssertions();
    await check(target);
  });

describe('the mock', () => testSuite(mockTarget(mock.address)));

describe('the service', () => testSuite(serviceTarget(inject('address'), accounts)));

describe('the service behind prism proxy --errors', () => {
  const violations: string[] = [];
  const send = notingViolations(violations);
  testSuite(serviceTarget(proxy.address, accounts, send));

  test('has seen no violation in all of this', () => {
    expect(violations).toEqual([]);
  });

  test('would have told of a request against the spec', async () => {
    const client = clientAt(proxy.address, { 'x-api-key': accounts.free }, send);
    await sdk.query({ client, body: { query: 'restart', limit: 51 } });
    expect(violations.splice(0)).toEqual([expect.stringContaining('limit')]);
  });

  test('would have told of an answer against the spec', async () => {
    const client = clientAt(lyingProxy.address, { 'x-api-key': accounts.free }, send);
    const { error } = await sdk.getBalance({ client });
    expect(error).toBeDefined();
    expect(violations.splice(0)).toEqual([expect.stringContaining('balance')]);
  });
});

describe('the suite fails for a mock of which', () => {
  test.each(BREAKS)('$what', async (broken) => {
    const target = mockTarget(mock.address, breaking(broken));
    const failures: string[] = [];
    for (const [name, check] of SUITE) await check(target).catch(() => failures.push(name));
    expect(failures).not.toEqual([]);
  });

  test('nothing is broken: then it passes', async () => {
    const unbroken = breaking({ what: 'nothing', operation: 'any', change: (body) => body });
    const target = mockTarget(mock.address, unbroken);
    for (const [, check] of SUITE) await check(target);
  });
});
