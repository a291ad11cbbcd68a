/** A query gets its vector within the time limit, or a reason; equal queries share a call, accounts nothing. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EmbeddingsServer } from './embeddings-server.ts';
import { BatchRefused, ModelUnavailable, RateLimited, WrongAnswer } from './model-failures.ts';
import { createQueryEmbeddings } from './query-embeddings.ts';

const TIMEOUT_MS = 300;
const VECTOR = Float32Array.from({ length: 16 }, (_, i) => i + 1);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

type Embed = (text: string) => Float32Array | Promise<Float32Array>;
const after = <Result>(ms: number, act: () => Result) =>
  new Promise<void>((resolve) => void setTimeout(resolve, ms)).then(act);
const fail = (error: Error): Embed => {
  return () => Promise.reject(error);
};

/** A server whose behaviour a test may change, and the texts that it was asked. */
function createTested(embed: Embed) {
  const asked: string[] = [];
  const tested = { embed };
  const server: EmbeddingsServer = {
    async embed([text = ''], { kind }) {
      expect(kind).toBe('query');
      asked.push(text);
      return [await tested.embed(text)];
    },
  };
  const queries = createQueryEmbeddings(server, { timeoutMs: TIMEOUT_MS });
  return {
    asked,
    tested,
    ask: (query: string, accountId = 'a', view?: string) => queries.embed(query, { accountId, view }),
  };
}

/** How long an answer takes, by the faked clock. */
async function timed<Result>(answer: Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const startedAtMs = performance.now();
  const ended = answer.then((result) => ({ result, tookMs: performance.now() - startedAtMs }));
  await vi.advanceTimersByTimeAsync(2 * TIMEOUT_MS);
  return await ended;
}

test('equal queries of an account share one call, and its vector is kept', async () => {
  const { ask, asked } = createTested(() => after(50, () => VECTOR));
  const answers = Promise.all([ask('hotel'), ask('hotel'), ask('inn')]);
  await vi.advanceTimersByTimeAsync(50);
  expect(await answers).toEqual([{ vector: VECTOR }, { vector: VECTOR }, { vector: VECTOR }]);
  expect(await ask('hotel')).toEqual({ vector: VECTOR });
  expect(asked).toEqual(['hotel', 'inn']);
});

test('accounts, and keys that see a part of one, share neither calls nor vectors', async () => {
  const { ask, asked } = createTested(() => after(50, () => VECTOR));
  const answers = Promise.all([ask('hotel', 'a'), ask('hotel', 'b')]);
  await vi.advanceTimersByTimeAsync(50);
  await answers;
  expect(asked).toEqual(['hotel', 'hotel']);
  const third = ask('hotel', 'c');
  const limited = ask('hotel', 'a', 'a key of one team');
  await vi.advanceTimersByTimeAsync(50);
  await Promise.all([third, limited]);
  expect(asked).toHaveLength(4);
  await ask('hotel', 'a', 'a key of one team');
  expect(asked).toHaveLength(4);
});

test('a query waits no longer than the limit; the late answer serves the next one', async () => {
  const { ask, asked } = createTested(() => after(5_000, () => VECTOR));
  const { result, tookMs } = await timed(ask('hotel'));
  expect(result).toEqual({
    degraded: 'timeout',
    message: 'The embeddings server did not answer within 300 ms.',
  });
  expect(tookMs).toBe(TIMEOUT_MS);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await ask('hotel')).toEqual({ vector: VECTOR });
  expect(asked).toHaveLength(1);
});

test.each([
  ['unavailable', new ModelUnavailable('away')],
  ['limited', new RateLimited('slow down', 5_000)],
  ['wrong', new WrongAnswer('numbers that are none')],
  ['wrong', new BatchRefused('no')],
])('%s: the failure becomes a reason', async (degraded, failure) => {
  const { ask } = createTested(fail(failure));
  expect(await ask('hotel')).toEqual({ degraded, message: failure.message });
});

test('a server that hangs is asked five times, and then rarely; the others do not wait for it', async () => {
  const { ask, asked, tested } = createTested(() => new Promise(() => {}));
  for (let i = 0; i < 5; i++) expect((await timed(ask(`q${i}`))).tookMs).toBe(TIMEOUT_MS);
  const waits: number[] = [];
  for (let i = 0; i < 100; i++) waits.push((await timed(ask(`r${i}`))).tookMs);
  // A minute has passed: trials after pauses of 1, 2, 4, 8, 16 and 32 s.
  expect(asked.length).toBeLessThanOrEqual(12);
  expect(waits.filter((ms) => ms > 0)).toHaveLength(asked.length - 5);
  tested.embed = () => VECTOR;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await ask('back')).toEqual({ vector: VECTOR });
  expect(await ask('again')).toEqual({ vector: VECTOR });
});

test('a limit of an hour is kept: no query waits, and the server is left alone', async () => {
  const { ask, asked } = createTested(fail(new RateLimited('slow down', 3_600_000)));
  for (let minute = 0; minute < 60; minute++) {
    expect(await ask(`q${minute}`)).toMatchObject({ degraded: 'limited' });
    await vi.advanceTimersByTimeAsync(59_000);
  }
  expect(asked).toHaveLength(1);
});

test('a query that is too long is cut until it is taken', async () => {
  const { ask, asked } = createTested((text) => {
    if (text.length > 100) throw new BatchRefused('too long');
    return VECTOR;
  });
  expect(await ask('wort '.repeat(60))).toEqual({ vector: VECTOR });
  expect(asked.map(({ length }) => length)).toEqual([300, 150, 75]);
});

test('queries that are refused do not keep others from the server', async () => {
  const { ask, tested } = createTested(fail(new BatchRefused('no')));
  for (let i = 0; i < 20; i++) await ask(`q${i}`);
  tested.embed = () => VECTOR;
  expect(await ask('hotel')).toEqual({ vector: VECTOR });
});

test('an account with many queries leaves half of the calls to another one', async () => {
  const { ask, asked } = createTested(() => after(200, () => VECTOR));
  const first = ask('other', 'b');
  const many = Array.from({ length: 50 }, (_, i) => ask(`q${i}`, 'a'));
  const second = ask('another', 'b');
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toContain('another');
  await vi.advanceTimersByTimeAsync(2 * TIMEOUT_MS);
  expect(await Promise.all([first, second])).toEqual([{ vector: VECTOR }, { vector: VECTOR }]);
  const ended = await Promise.all(many);
  expect(ended.filter((answer) => 'degraded' in answer && answer.degraded === 'limited')).not.toEqual([]);
});

test('the cache keeps what was used last, within its bytes', async () => {
  const long = new Float32Array(8_192).fill(1);
  const { ask, asked } = createTested(() => long);
  for (let i = 0; i < 1_000; i++) {
    await ask(`q${i}`);
    await ask('often');
  }
  expect(asked.filter((text) => text === 'often')).toHaveLength(1);
  await ask('q0');
  expect(asked.filter((text) => text === 'q0')).toHaveLength(2);
});
