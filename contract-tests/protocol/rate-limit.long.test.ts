/** The limit of a key over two windows, at two servers under constant load: exactly as many requests pass in each. */
import { afterAll, expect, test } from 'vitest';
import { createCaller } from '../harness/calling.ts';
import { keepService } from '../harness/kept-service.ts';
import { createKey } from '../harness/opened-account.ts';
import { startSecondServer } from '../harness/service-process.ts';

const LIMIT = 50;
const WINDOWS = 2;
const WINDOW_MS = 60_000;
/** Lanes at each server. */
const LANES = 2;

const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT) };
const service = await keepService({ settings });
const second = await startSecondServer(service.dataDirectory, settings);
afterAll(second.stop);

test(`in each of ${WINDOWS} windows two servers pass ${LIMIT} requests, each with its own number`, async () => {
  const apiKey = await createKey('default', service);
  const remaining: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  // Requests run for two seconds more than the windows, so a third window may begin.
  const isGoing = () => performance.now() - startedAt < WINDOWS * WINDOW_MS + 2_000;
  const ask = async (address: string) => {
    const { request } = createCaller({ address, apiKey });
    while (isGoing()) {
      const { status, headers } = await request('getBalance');
      if (status === 200) remaining.push(Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]));
      else refused += 1;
      if (status === 429) expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  };
  const lanes = Array.from({ length: LANES }, () => [service, second].map(({ address }) => ask(address)));
  await Promise.all(lanes.flat());

  const times = (number: number) => remaining.filter((each) => each === number).length;
  // Two whole windows, and perhaps the beginning of a third.
  for (let number = 0; number < LIMIT; number++) {
    expect(times(number)).toBeGreaterThanOrEqual(WINDOWS);
    expect(times(number)).toBeLessThanOrEqual(WINDOWS + 1);
  }
  expect(refused).toBeGreaterThan(LIMIT);
});
