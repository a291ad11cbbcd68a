/** All texts get their vectors, whatever the server does: it is waited for, and no text keeps the others. */
import { expect, test } from 'vitest';
import type { EmbeddingsServer } from './embeddings-server.ts';
import {
  AnswerLate,
  BatchRefused,
  type ModelFailure,
  ModelUnavailable,
  RateLimited,
  WrongAnswer,
} from './model-failures.ts';
import { type Clock, createPassageEmbeddings, type PassageVector } from './passage-embeddings.ts';

const vectorOf = (text: string) => Float32Array.of(text.length, text.charCodeAt(0));

/** Throws where the server fails. `call`: from 1. */
type Behave = (texts: readonly string[], call: number) => void;

/** Passages of a server that behaves so, with a clock that only waits make go on. */
function createTested(
  behave: Behave,
  settings: { batch?: number; perMinute?: number; callMs?: number } = {},
) {
  const { batch = 32, perMinute, callMs = 0 } = settings;
  const [calls, waits]: [string[][], [ModelFailure, number][]] = [[], []];
  let nowMs = 0;
  const server: EmbeddingsServer = {
    async embed(texts, { kind }) {
      expect(kind).toBe('passage');
      calls.push([...texts]);
      nowMs += callMs;
      behave(texts, calls.length);
      return texts.map(vectorOf);
    },
  };
  const clock: Clock = {
    nowMs: () => nowMs,
    async wait(ms, signal) {
      signal.throwIfAborted();
      nowMs += ms;
    },
  };
  const onWait = (failure: ModelFailure, ms: number) => void waits.push([failure, ms]);
  const passages = createPassageEmbeddings(server, { batch, perMinute, clock, onWait });
  return {
    calls,
    waits,
    nowMs: () => nowMs,
    async embed(texts: string[], signal = new AbortController().signal): Promise<PassageVector[]> {
      const made: PassageVector[] = [];
      for await (const vector of passages.embedAll(texts, signal)) made.push(vector);
      return made;
    },
  };
}

const textsOf = (count: number) => Array.from({ length: count }, (_, i) => `${i} is a text`);
const complete = (texts: string[]): PassageVector[] =>
  texts.map((text, index) => ({ index, vector: vectorOf(text), isCut: false, problem: undefined }));

test('texts are sent in batches, and their vectors come in order', async () => {
  const { embed, calls, waits } = createTested(() => {});
  const texts = textsOf(70);
  expect(await embed(texts)).toEqual(complete(texts));
  expect(calls.map(({ length }) => length)).toEqual([32, 32, 6]);
  expect(waits).toEqual([]);
  expect(await embed([])).toEqual([]);
});

test('a batch that is refused is halved at once, and the size that worked is kept', async () => {
  const { embed, calls, waits } = createTested((texts) => {
    if (texts.length > 10) throw new BatchRefused('too many');
  });
  const texts = textsOf(64);
  expect(await embed(texts)).toEqual(complete(texts));
  expect(calls.map(({ length }) => length)).toEqual([32, 16, 8, 8, 8, 8, 8, 8, 8, 8]);
  expect(await embed(textsOf(4))).toHaveLength(4);
  expect(waits).toEqual([]);
});

test('a batch that takes too long is halved, and the next one waits', async () => {
  const { embed, calls, waits } = createTested((texts) => {
    if (texts.length > 10) throw new AnswerLate('60 s');
  });
  const texts = textsOf(32);
  expect(await embed(texts)).toEqual(complete(texts));
  expect(calls.map(({ length }) => length)).toEqual([32, 16, 8, 8, 8, 8]);
  expect(waits.map(([, ms]) => ms)).toEqual([1_000, 2_000]);
});

test('a single text that takes too long is tried again as a whole', async () => {
  const { embed, calls, waits } = createTested((_, call) => {
    if (call === 1) throw new AnswerLate('60 s');
  });
  expect(await embed(['one text'])).toEqual(complete(['one text']));
  expect(calls).toEqual([['one text'], ['one text']]);
  expect(waits).toHaveLength(1);
});

test('a text that is too long is cut until it is taken; the others are whole, in batches as before', async () => {
  const texts = textsOf(200).with(40, 'long '.repeat(100)).with(41, 'long '.repeat(200));
  const { embed, calls, waits } = createTested((batch) => {
    if (batch.some(({ length }) => length > 150)) throw new BatchRefused('less than 512 tokens');
  });
  const made = await embed(texts);
  expect(made.filter(({ isCut }) => isCut).map(({ index, vector }) => [index, vector?.[0]])).toEqual([
    [40, 125],
    [41, 125],
  ]);
  expect(made.map(({ index }) => index)).toEqual(texts.map((_, i) => i));
  expect(made.every(({ problem }) => problem === undefined)).toBe(true);
  expect(waits).toEqual([]);
  expect(calls.at(-2)).toHaveLength(32);
});

test('a text that the server takes in no length is left without vector, and the reason is told', async () => {
  const poison = `poison ${'x'.repeat(500)}`;
  const texts = textsOf(50).with(7, poison);
  const { embed } = createTested((batch) => {
    if (batch.some((text) => text.startsWith('poison'))) throw new BatchRefused('it is poison');
  });
  const made = await embed(texts);
  const left = { index: 7, vector: undefined, isCut: false, problem: 'it is poison' };
  expect(made).toEqual(complete(texts).with(7, left));
});

test.each<[string, () => Error]>([
  ['makes the server fail', () => new ModelUnavailable('status 500', true)],
  ['has a wrong vector', () => new WrongAnswer('numbers that are none')],
])('a text that %s keeps no other one', async (_, failure) => {
  const texts = textsOf(50).with(20, 'poison');
  const { embed } = createTested((batch) => {
    if (batch.includes('poison')) throw failure();
  });
  const made = await embed(texts);
  expect(made[20]).toMatchObject({ vector: undefined, problem: expect.stringMatching(/./) });
  const others = (each: PassageVector[]) => each.filter(({ index }) => index !== 20);
  expect(others(made)).toEqual(others(complete(texts)));
});

test.each<[string, ModelFailure]>([
  ['away', new ModelUnavailable('cannot be reached (ECONNREFUSED)')],
  ['failing', new ModelUnavailable('status 500', true)],
  ['refusing all', new BatchRefused('no such model')],
  ['answering with wrong vectors', new WrongAnswer('16 dimensions instead of 384')],
])(
  'a server that is %s for a day is waited for, with growing pauses, and no text is given up',
  async (_, failure) => {
    const DAY_MS = 86_400_000;
    const tested = createTested(() => {
      if (tested.nowMs() < DAY_MS) throw failure;
    });
    const texts = textsOf(40);
    expect(await tested.embed(texts)).toEqual(complete(texts));
    expect(tested.waits.slice(0, 3).map(([, ms]) => ms)).toEqual([1_000, 2_000, 4_000]);
    expect(tested.waits.every(([reason, ms]) => reason === failure && ms <= 60_000)).toBe(true);
    // Hardly more than a request and a probe a minute.
    expect(tested.calls.length).toBeLessThan(2 * 24 * 60 + 100);
    expect(tested.nowMs()).toBeLessThan(DAY_MS + 120_000);
  },
);

test('a limit is kept as long as the server asks, an hour too', async () => {
  const { embed, calls, waits, nowMs } = createTested((_, call) => {
    if (call === 1) throw new RateLimited('slow down', 3_600_000);
  });
  const texts = textsOf(32);
  expect(await embed(texts)).toEqual(complete(texts));
  expect(waits.map(([, ms]) => ms)).toEqual([3_600_000]);
  expect([calls.length, nowMs()]).toEqual([2, 3_600_000]);
});

test('where the limit has no time, the pauses grow, and requests become smaller', async () => {
  const { embed, calls } = createTested((texts) => {
    // As of tokens a minute: what is too large alone is refused for ever.
    if (texts.length > 8) throw new RateLimited('tokens per minute', undefined);
  });
  const texts = textsOf(40);
  expect(await embed(texts)).toEqual(complete(texts));
  expect(calls.slice(0, 5).map(({ length }) => length)).toEqual([32, 32, 16, 16, 8]);
});

test('requests are spread over the minute', async () => {
  const { embed, nowMs, calls } = createTested(() => {}, { batch: 1, perMinute: 30, callMs: 500 });
  await embed(textsOf(31));
  expect(calls).toHaveLength(31);
  expect(nowMs()).toBe(60_500);
});

test('it ends at once with its signal, while it waits and while it asks', async () => {
  const ending = new AbortController();
  const { embed, calls } = createTested(() => {
    if (calls.length === 3) ending.abort(new Error('the server stops'));
    throw new ModelUnavailable('away');
  });
  await expect(embed(textsOf(40), ending.signal)).rejects.toThrow('the server stops');
  expect(calls).toHaveLength(3);
  await expect(embed(textsOf(1), ending.signal)).rejects.toThrow('the server stops');
  expect(calls).toHaveLength(3);
});

test('a fault of ours is not waited for', async () => {
  const { embed } = createTested(() => {
    throw new TypeError('not a function');
  });
  await expect(embed(textsOf(1))).rejects.toThrow('not a function');
});
