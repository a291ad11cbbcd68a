/** The rate limit of a server that is killed with its lease. */
import { expect, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { keepService } from '../../harness/service/kept-service.ts';
import { createKey } from '../../harness/service/opened-account.ts';
import { startSecondServer } from '../../harness/service/service-process.ts';

const service = await keepService({ settings: { RATE_LIMIT_PER_MINUTE: '200' } });

/** Sends requests until one is refused, some at once. Returns the number of those that passed. */
async function passToEnd({ address }: { address: string }, apiKey: string): Promise<number> {
  const { request: send } = createCaller({ address, apiKey });
  const passInTurn = async (): Promise<number> => {
    const { status } = await send('getBalance');
    expect([200, 429]).toContain(status);
    return status === 200 ? 1 + (await passInTurn()) : 0;
  };
  const passed = await Promise.all(Array.from({ length: 8 }, passInTurn));
  return passed.reduce((sum, count) => sum + count);
}

test('two server processes, one killed with its lease, answer two hundred requests, or a tenth less', async () => {
  const larger = { RATE_LIMIT_PER_MINUTE: '200' };
  const start = () => startSecondServer(service.dataDirectory, larger);
  const [killed, other] = await Promise.all([start(), start()]);
  try {
    const apiKey = await createKey('default', service);
    const { request: send } = createCaller({ address: killed.address, apiKey });
    for (let count = 0; count < 50; count++) expect((await send('getBalance')).status).toBe(200);
    await killed.kill();
    const passed = 50 + (await passToEnd(other, apiKey));
    expect(passed).toBeGreaterThanOrEqual(180);
    expect(passed).toBeLessThanOrEqual(200);
  } finally {
    await Promise.all([killed.stop(), other.stop()]);
  }
});
