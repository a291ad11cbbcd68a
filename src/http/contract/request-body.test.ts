/** The time limit of a small body, and clients that leave before its end. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readJsonBody } from './request-body.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('408 REQUEST_TIMEOUT: a small body that is not complete after twenty seconds', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '60000' };
  const request = Object.assign(new PassThrough(), { headers });
  const reading = readJsonBody(request as unknown as IncomingMessage, { limitBytes: 100_000 }, undefined);
  const refused = expect(reading).rejects.toMatchObject({
    errorCode: 'REQUEST_TIMEOUT',
    headers: { connection: 'close' },
  });
  for (let second = 0; second < 20; second++) {
    request.write(' ');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await refused;
});

test('a client that has hung up before its body is read, or hangs up meanwhile, ends the reading', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '10' };
  const begin = () => Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage;
  const gone = begin().destroy();
  await expect(readJsonBody(gone, { limitBytes: 100 }, undefined)).rejects.toThrow('broke off');
  const leaving = begin();
  const reading = expect(readJsonBody(leaving, { limitBytes: 100 }, undefined)).rejects.toThrow('aborted');
  leaving.destroy(new Error('aborted'));
  await reading;
});
