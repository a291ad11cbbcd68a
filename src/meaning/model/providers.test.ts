/** Each of the common servers and providers gives all texts their vectors, with its own limits and ways to refuse. */
import { expect, test } from 'vitest';
import type { EmbeddingsSettings } from '../../config/model-settings.ts';
import { modelOf } from './embeddings-model.ts';
import { createEmbeddingsServer } from './embeddings-server.ts';
import type { ModelFailure } from './model-failures.ts';
import { createPassageEmbeddings, type PassageVector } from './passage-embeddings.ts';
import { createQueryEmbeddings } from './query-embeddings.ts';
import { PROVIDER_KEY, PROVIDERS, type Provider } from './testing/providers.ts';
import { numbersOf, startStub } from './testing/stub-server.ts';

const TOO_LONG = 'word '.repeat(9_000).trim();
const TEXTS = Array.from({ length: 120 }, (_, i) => `text ${i}`).with(70, TOO_LONG);
const SHORT = TEXTS.toSpliced(70, 1);
const EACH = PROVIDERS.map((provider): [string, Provider] => [provider.name, provider]);

function named(name: string): Provider {
  const provider = PROVIDERS.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return provider;
}

/** The server as the settings would have it, and what its passages waited for. */
async function startProvider(provider: Provider, change: Partial<EmbeddingsSettings> = {}) {
  const stub = await startStub(provider.create());
  const settings = {
    url: `${stub.url}${provider.path}`,
    model: provider.model,
    apiKey: PROVIDER_KEY,
    dimensions: undefined,
    queryPrefix: undefined,
    passagePrefix: undefined,
    batch: 64,
    perMinute: undefined,
    timeoutMs: 300,
    ...change,
  };
  const model = modelOf(settings);
  const waits: [ModelFailure, number][] = [];
  const clock = { nowMs: () => 0, wait: async () => {} };
  const onWait = (failure: ModelFailure, ms: number) => void waits.push([failure, ms]);
  const server = createEmbeddingsServer(model);
  return {
    ...stub,
    model,
    waits,
    server,
    async embed(texts: readonly string[], signal = new AbortController().signal): Promise<PassageVector[]> {
      const made: PassageVector[] = [];
      const passages = createPassageEmbeddings(server, { ...settings, clock, onWait });
      for await (const vector of passages.embedAll(texts, signal)) made.push(vector);
      return made;
    },
  };
}

test.each(EACH)('%s: all passages get their vectors, a long one by its beginning', async (_, provider) => {
  const { embed, model } = await startProvider(provider);
  const made = await embed(TEXTS);
  expect(made.map(({ index }) => index)).toEqual(TEXTS.map((_, i) => i));
  for (const { index, vector, isCut, problem } of made) {
    expect([index, isCut, problem]).toEqual([
      index,
      index === 70 && provider.tokens !== undefined,
      undefined,
    ]);
    if (index === 70) continue;
    const sent = `${model.passagePrefix}${TEXTS[index]}`;
    expect(vector).toEqual(Float32Array.from(numbersOf(sent, provider.dimensions)));
  }
});

test.each(EACH)('%s: a query gets the vector that it would have as the only text', async (_, provider) => {
  const { server, model } = await startProvider(provider);
  const queries = createQueryEmbeddings(server, { timeoutMs: 60_000 });
  const expected = Float32Array.from(numbersOf(`${model.queryPrefix}hotel`, provider.dimensions));
  // At first some of them load, or are busy.
  await expect
    .poll(() => queries.embed('hotel', { accountId: 'account' }), { interval: 300 })
    .toEqual({ vector: expected });
});

test('what a provider asks for is waited for: Retry-After, and growing pauses without it', async () => {
  const waitsOf = async (name: string) => {
    const { embed, waits } = await startProvider(named(name), { batch: 32 });
    await embed(SHORT);
    return waits.map(([, ms]) => ms);
  };
  expect(await waitsOf('OpenAI')).toEqual([20_000]);
  expect(await waitsOf('TEI')).toEqual([1_000]);
  expect(await waitsOf('llama.cpp')).toEqual([1_000, 2_000, 4_000]);
});

test('what is wrong is told in the words of the provider, without any part of the key', async () => {
  const firstWait = async (name: string, change: Partial<EmbeddingsSettings>): Promise<string> => {
    const ended = new AbortController();
    const { embed, waits } = await startProvider(named(name), change);
    const made = embed(['a text'], ended.signal);
    await expect.poll(() => waits.length).toBeGreaterThan(0);
    ended.abort(new Error('enough'));
    await expect(made).rejects.toThrow('enough');
    const message = waits[0]?.[0].message ?? '';
    expect(message).not.toContain('sk-');
    return message;
  };
  expect(await firstWait('Ollama', { model: 'x' })).toContain('model "x" not found, try pulling it first');
  expect(await firstWait('vLLM', { model: 'x' })).toContain('The model `x` does not exist.');
  expect(await firstWait('vLLM', { dimensions: 256 })).toContain('does not support matryoshka');
  expect(await firstWait('vLLM', { apiKey: undefined })).toContain('status 401: it refuses the key');
  expect(await firstWait('OpenAI', { apiKey: 'sk-wrong-key-of-another' })).toContain('it refuses the key');
});

test('an address with the wrong path is told', async () => {
  const failureAt = async (name: string, path: string): Promise<string> => {
    const { server } = await startProvider({ ...named(name), path });
    const made = server.embed(['a'], { kind: 'query', signal: new AbortController().signal });
    return await made.then(() => '', String);
  };
  expect(await failureAt('Infinity', '')).toContain('/v1/embeddings answered with status 404: Not Found');
  expect(await failureAt('LM Studio', '/api')).toContain('Unexpected endpoint or method');
});

test('OpenAI makes vectors as short as they shall be', async () => {
  const { embed } = await startProvider(named('OpenAI'), { dimensions: 256 });
  expect((await embed(['a']))[0]?.vector).toHaveLength(256);
});
