/** The rate limit of a key at two servers, under constant load: in each window exactly `LIMIT` requests pass. */
import { afterAll, expect, test } from 'vitest';
import { createCaller } from '../../src/contract-check/requests/calling.ts';
import { keepService } from '../harness/service/kept-service.ts';
import { createKey } from '../harness/service/opened-account.ts';
import { startSecondServer } from '../harness/service/service-process.ts';

const LIMIT = 50;
const WINDOWS = 2;
const WINDOW_MS = 60_000;
/** Concurrent senders at each server. */
const SENDERS = 2;

const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT) };
const service = await keepService({ settings });
const second = await startSecondServer(service.dataDirectory, settings);
afterAll(second.stop);

test(`${LIMIT} requests pass at two servers in each of ${WINDOWS} windows, each with another value of r`, async () => {
  const apiKey = await createKey('default', service);
  const remaining: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  // Requests run for two seconds more than the windows, so a third window may begin.
  const isGoing = () => performance.now() - startedAt < WINDOWS * WINDOW_MS + 2_000;
  const sendToEnd = async (address: string) => {
    const { request } = createCaller({ address, apiKey });
    while (isGoing()) {
      const { status, headers } = await request('getBalance');
      if (status === 200) remaining.push(Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]));
      else refused += 1;
      if (status === 429) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  };
  const senders = Array.from({ length: SENDERS }, () =>
    [service, second].map(({ address }) => sendToEnd(address)),
  );
  await Promise.all(senders.flat());

  const times = (number: number) => remaining.filter((each) => each === number).length;
  // Two whole windows, and perhaps the beginning of a third.
  for (let number = 0; number < LIMIT; number++) {
    expect(times(number)).toBeGreaterThanOrEqual(WINDOWS);
    expect(times(number)).toBeLessThanOrEqual(WINDOWS + 1);
  }
  expect(refused).toBeGreaterThan(LIMIT);
});
