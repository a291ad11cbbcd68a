/**
 * The address that a start prints opens the console signed in: once, from this machine, and without a trace in the log.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { openConsole } from '../../harness/calls/open-console.ts';
import {
  makeDataDirectory,
  type RunningService,
  removeDataDirectory,
  startService,
} from '../../harness/service/service-process.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const dataDirectory = await makeDataDirectory();
let service: RunningService;
let code: string;
let log = '';

beforeAll(async () => {
  const onLog = (text: string) => {
    log += text;
  };
  service = await startService(dataDirectory, { settings: { LOG_LEVEL: 'trace' }, onLog });
  code = await vi.waitUntil(() => /#code=([\w-]+)/.exec(service.output.join('\n'))?.[1]);
});
afterAll(async () => {
  await removeDataDirectory(dataDirectory);
});

const redeem = (authorization: string, headers = {}) =>
  exchange(service.address, {
    method: 'POST',
    path: '/console/sign-in',
    headers: { authorization, ...headers },
  });

test('401 UNAUTHORIZED: another code, none, and one that came through a proxy', async () => {
  for (const wrong of ['', 'Bearer ', `Bearer ${code}x`, `Bearer ${service.apiKey}`])
    expectRefusal(await redeem(wrong), 401, 'UNAUTHORIZED');
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    expectRefusal(await redeem(`Bearer ${code}`, { [name]: '127.0.0.1' }), 401, 'UNAUTHORIZED');
});

test('403 KEY_NOT_PERMITTED: a page whose name leads here, and one of another origin, redeem nothing', async () => {
  const rebound = 'http://evil.example:8080';
  const pages = [
    { host: 'evil.example:8080' },
    { host: 'evil.example:8080', origin: rebound },
    { origin: rebound },
  ];
  for (const headers of pages)
    expectRefusal(await redeem(`Bearer ${code}`, headers), 403, 'KEY_NOT_PERMITTED');
});

test('405 METHOD_NOT_ALLOWED: a code in an address is never read', async () => {
  const answer = await exchange(service.address, { method: 'GET', path: `/console/sign-in?code=${code}` });
  expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
  expect(answer.headers.allow).toBe('POST');
});

test.skipIf(browser === undefined)(
  'the printed address signs in, also an open tab, and loses its code; the second time it says why not',
  async () => {
    if (browser === undefined) return;
    const open = () => openConsole(browser, { address: service.address, hash: `#code=${code}` });
    // As by somebody who opens the page first, and pastes the address into the same tab.
    const first = await openConsole(browser, { address: service.address });
    await first.page.getByLabel('API key').waitFor();
    await first.page.evaluate(`location.hash = '#code=${code}'`);
    await first.page.getByRole('heading', { name: 'Create your first knowledge base' }).waitFor();
    expect(first.page.url()).toBe(`${service.address}/#/`);
    expect(await first.page.evaluate('history.length')).toBeLessThanOrEqual(3); // an empty tab, the sign-in, this page
    const second = await open();
    await second.page.getByText('opens the console once').waitFor();
    await second.page.getByLabel('API key').waitFor();
    expect([...first.complaints, ...first.strayRequests, ...second.complaints]).toEqual([]);
  },
);

test('neither the code nor the key is in the log, at its most talkative', () => {
  expect(log).toContain('/console/sign-in');
  expect(log).not.toContain(code);
  expect(log).not.toContain(service.apiKey);
});
