/** Documents get the vectors of the wanted model, whatever its server, their owners and other servers do meanwhile. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Queryable } from '../../../database/connection/database.ts';
import { lockDocument } from '../../../database/rows/documents/documents.ts';
import type { OwnedKnowledgeBase } from '../../../database/rows/knowledge-bases.ts';
import {
  readGenerations,
  type VectorGeneration,
  wantGeneration,
} from '../../../database/rows/vector-generations.ts';
import { createTestDatabase } from '../../../database/testing/test-database.ts';
import { analyseDocument } from '../../../indexing/analyse-document.ts';
import { deleteDocuments } from '../../../indexing/delete-documents.ts';
import { createStem } from '../../../indexing/stems.ts';
import { readStoredPassages, replacePassages } from '../../../indexing/store-passages.ts';
import { createModelSpace } from '../../../meaning/model/model-space.ts';
import { passageText } from '../../../meaning/model/passage-text.ts';
import {
  embedAll,
  embeddingsAnswer,
  numbersOf,
  type Respond,
  type StubRequest,
  startStub,
} from '../../../meaning/model/testing/stub-server.ts';
import { noVectors, packVector } from '../../../meaning/passage-vectors.ts';
import { madeUpVectors } from '../../../meaning/testing/made-up-vectors.ts';
import { importText, makeKnowledgeBase } from '../../../search/testing/imported-texts.ts';
import { createLog } from '../../../telemetry/log.ts';
import { embedDocuments } from '../embed-documents.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;
/** How many documents had no vectors, each time that this was told. */
let told: (number | undefined)[];

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());
beforeEach(async () => {
  await sql`TRUNCATE knowledge_bases, vector_generations CASCADE`.execute(suite.database);
  owned = await makeKnowledgeBase(suite.database);
  told = [];
});

const DIMENSIONS = 16;
const TEXTS = [
  { title: 'Zebras', content: 'Zebras graze in the evening, and drink water at the river.' },
  { title: 'Signs', content: '!!!' },
  {
    title: 'A large text',
    content: '## Of zebras\n\nZebras graze in the evening by the river. '.repeat(1_000),
  },
];

const importAll = async (texts = TEXTS, owner = owned): Promise<string[]> => {
  const ids: string[] = [];
  for (const text of texts) ids.push(await importText(suite.database, owner, text, noVectors));
  return ids;
};

const meanFor = (model: string, dimensions: number) => Float32Array.from(numbersOf(model, dimensions));

/** Wants a model, as a server does at its start. */
async function want(model = 'small', dimensions = DIMENSIONS): Promise<VectorGeneration> {
  const wanted = { url: 'http://localhost', model, queryPrefix: '', passagePrefix: '' };
  const mean = meanFor(model, dimensions);
  const generation = await wantGeneration(suite.database, { ...wanted, mean });
  if (generation === undefined) throw new Error('no generation');
  return generation;
}

/** Begins a run of a worker. Returns a function that ends it, as a server that stops. */
async function work(own: VectorGeneration, respond: Respond = answer(own)) {
  const { url, requests } = await startStub(respond);
  const { model } = own;
  const settings = {
    apiKey: undefined,
    dimensions: undefined,
    queryPrefix: '',
    passagePrefix: '',
    timeoutMs: 300,
  };
  const context = {
    database: suite.database,
    embeddings: { url, model, ...settings, batch: 8, perMinute: undefined },
    telemetry: { documentsWithoutVectors: (count?: number) => void told.push(count), vectorIndexes() {} },
    log: createLog('silent'),
  };
  const stopping = new AbortController();
  const run = embedDocuments(context, own, stopping.signal);
  const ended = run.catch((error) => error);
  const asked = (): string[] => requests.flatMap(({ body }) => body.input);
  const stop = async () => {
    stopping.abort(new Error('the server stops'));
    expect(await ended).toHaveProperty('message', 'the server stops');
  };
  return { asked, requests, run, stop };
}

const answer =
  ({ dimensions }: Pick<VectorGeneration, 'dimensions'>): Respond =>
  (request) =>
    embedAll(request, dimensions);

const readQueue = async () => {
  const { rows } = await sql<{
    id: string;
    tries: number;
    isDue: boolean;
    after: number;
    generation: number;
  }>`
    SELECT document_id AS id, tries, due_at <= now() AS "isDue", after_position AS after, generation
    FROM documents_without_vectors ORDER BY document_id`.execute(suite.database);
  return rows;
};
const SOON = { timeout: 20_000, interval: 100 };
const untilAllDone = () => expect.poll(readQueue, SOON).toEqual([]);

/** The passages, each with what its vector must be, and what it is. */
async function readVectors({ generation, dimensions, model }: VectorGeneration) {
  const { rows } = await sql<{
    title: string;
    headings: string[];
    content: string;
    document: string;
    vector: string | null;
    found: boolean;
  }>`
    SELECT title, headings, content, documents.id AS document, vector, vectors.position IS NOT NULL AS found
    FROM documents JOIN passages ON passages.document_id = documents.id
      LEFT JOIN passage_vectors AS vectors
        ON vectors.document_id = documents.id AND vectors.position = passages.position AND generation = ${generation}
    ORDER BY documents.id, passages.position`.execute(suite.database);
  const space = createModelSpace(meanFor(model, dimensions));
  return rows.map(({ title, headings, content, document, vector, found }) => {
    const numbers = numbersOf(passageText(title, headings, content), dimensions);
    const packed = packVector(space.toSpace(Float32Array.from(numbers)) ?? new Float32Array(0));
    const expected = [...packed].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    return { document, found, isRight: vector === expected };
  });
}

/** Waits until all passages have the vectors of a generation. */
const untilAllRight = (own: VectorGeneration) =>
  expect.poll(async () => (await readVectors(own)).every(({ isRight }) => isRight), SOON).toBe(true);

/** Expects all passages to have the vectors of a generation, and no others to be there. */
async function expectAllRight(own: VectorGeneration): Promise<void> {
  const vectors = await readVectors(own);
  expect(vectors.filter(({ isRight }) => !isRight)).toEqual([]);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM passage_vectors WHERE generation = ${own.generation}`.execute(
    suite.database,
  );
  expect(rows).toEqual([{ count: vectors.length }]);
}

const inTransaction = (act: (transaction: Queryable) => Promise<unknown>) =>
  suite.database.transaction().execute(act);

const remove = (id: string) =>
  inTransaction((transaction) => deleteDocuments(transaction, { ...owned, ids: [id] }));

const retitle = async (id: string, title: string) => {
  const document = { ...owned, id };
  const passages = await readStoredPassages(suite.database, document);
  const stem = createStem(suite.database);
  await inTransaction(async (transaction) => {
    await lockDocument(transaction, document);
    await transaction.updateTable('documents').set({ title }).where('id', '=', id).execute();
    const batches = analyseDocument({ title, format: 'passages', passages }, stem, noVectors);
    await replacePassages(transaction, document, batches);
  });
};

/** Runs `act` before the first answer to a request that has a text with these words. */
function interrupted(own: VectorGeneration, words: string, act: () => Promise<unknown>): Respond {
  let isDone = false;
  return async (request, response) => {
    if (!isDone && request.body.input.some((text: string) => text.includes(words))) {
      isDone = true;
      await act();
    }
    return await answer(own)(request, response);
  };
}

test('no document waits while no model is wanted', async () => {
  await importAll();
  expect(await readQueue()).toEqual([]);
});

test('documents of before and of after get their vectors, and it is told how many wait', async () => {
  await importAll();
  const own = await want();
  const { stop, asked } = await work(own);
  await untilAllRight(own);
  await importAll([{ title: 'Later', content: 'Lions sleep at noon.' }]);
  await untilAllDone();
  await expectAllRight(own);
  await expect.poll(() => told.at(-1), SOON).toBe(0);
  await stop();
  expect(told.at(-1)).toBeUndefined();
  const passages = await readVectors(own);
  expect(asked()).toHaveLength(passages.length);
  expect(asked()).toContain('Zebras\nZebras graze in the evening, and drink water at the river.');
  expect(asked().at(-1)).toBe('Later\nLions sleep at noon.');
});

test('an account with many documents does not keep another one waiting', async () => {
  const own = await want();
  for (let i = 0; i < 60; i++) await importAll([{ title: `${i}`, content: 'Zebras graze.' }]);
  for (let i = 0; i < 2; i++)
    await importAll([{ title: 'Mine', content: 'Lions sleep.' }], await makeKnowledgeBase(suite.database));
  const { stop, asked } = await work(own);
  await untilAllDone();
  await stop();
  expect(asked().filter((text) => text.startsWith('Mine')).length).toBe(2);
  expect(asked().findLastIndex((text) => text.startsWith('Mine'))).toBeLessThan(16);
});

test('while the model is unreachable or answers nonsense nothing fails, and then it goes on', async () => {
  const own = await want();
  await importAll();
  const failures = [{ status: 503, text: '<html>' }, { json: embeddingsAnswer([[1, 2]]) }, { status: 429 }];
  const { stop } = await work(own, (request, response) => failures.shift() ?? answer(own)(request, response));
  await expect.poll(() => failures.length, SOON).toBe(0);
  await expect.poll(readQueue, { timeout: 30_000 }).toEqual([]);
  await stop();
  await expectAllRight(own);
});

test('a killed worker loses at most a request, also in the middle of a document', async () => {
  const own = await want();
  await importAll();
  let requests = 0;
  const killing: Respond = (request, response) =>
    ++requests > 4 ? undefined : answer(own)(request, response); // then it hangs
  const first = await work(own, killing);
  await expect.poll(() => requests, SOON).toBe(5);
  await first.stop();
  const made = (await readVectors(own)).filter(({ found }) => found).length;
  expect(made).toBeGreaterThan(2);
  expect((await readQueue()).map(({ after }) => after > 0)).toContain(true);
  const second = await work(own);
  await untilAllDone();
  await second.stop();
  await expectAllRight(own);
  const total = (await readVectors(own)).length;
  expect(second.asked()).toHaveLength(total - made);
});

test('a document that is retitled meanwhile has the vectors of its new title alone', async () => {
  const own = await want();
  const [, , large = ''] = await importAll();
  const { stop } = await work(
    own,
    interrupted(own, 'A large text', () => retitle(large, 'Lions')),
  );
  await untilAllRight(own);
  await untilAllDone();
  await stop();
  await expectAllRight(own);
});

test('a document that is deleted meanwhile has no vectors, and the others get theirs', async () => {
  const own = await want();
  const [zebras = '', , large = ''] = await importAll();
  const act = async () => {
    await remove(large);
    await remove(zebras);
  };
  const { stop } = await work(own, interrupted(own, 'A large text', act));
  await untilAllDone();
  await stop();
  await expectAllRight(own);
  expect(await readVectors(own)).toHaveLength(1);
});

test('of a deleted knowledge base the model is asked nothing', async () => {
  const own = await want();
  await importAll();
  await sql`UPDATE knowledge_bases SET deleted_at = now()`.execute(suite.database);
  const [id] = await importAll(
    [{ title: 'Mine', content: 'Lions sleep.' }],
    await makeKnowledgeBase(suite.database),
  );
  const { stop, asked } = await work(own);
  await expect.poll(async () => (await readQueue()).some((queued) => queued.id === id), SOON).toBe(false);
  await stop();
  expect(asked()).toEqual(['Mine\nLions sleep.']);
});

test('a document that is locked is not waited for', async () => {
  const own = await want();
  const [zebras = ''] = await importAll();
  const { stop } = await work(own);
  await inTransaction(async (transaction) => {
    await lockDocument(transaction, { ...owned, id: zebras });
    await expect.poll(readQueue, SOON).toMatchObject([{ id: zebras, isDue: false, tries: 0 }]);
  });
  await untilAllDone();
  await stop();
  await expectAllRight(own);
});

test('a document with a passage that the model refuses keeps its other vectors, and is tried a day later', async () => {
  const own = await want();
  const [, , large = ''] = await importAll();
  await importAll([{ title: 'Poison', content: 'Toadstools. '.repeat(400) }]);
  let isPoison = (text: string) => text.startsWith('Poison');
  const refusing: Respond = (request: StubRequest, response) =>
    request.body.input.some(isPoison) ? { status: 400, text: '{}' } : answer(own)(request, response);
  const { stop } = await work(own, refusing);
  const left = { isDue: false, tries: 1, after: 0 };
  await expect.poll(readQueue, SOON).toMatchObject([left]);
  expect((await readQueue())[0]?.id).not.toBe(large);
  await sql`UPDATE documents_without_vectors SET due_at = now()`.execute(suite.database);
  isPoison = () => false;
  await untilAllDone();
  await stop();
  await expectAllRight(own);
});

test('another model is built beside the first, which stays current until then and is removed afterwards', async () => {
  await importText(suite.database, owned, { title: 'Words', content: 'zebra' }, madeUpVectors);
  await importAll();
  const small = await want();
  const first = await work(small);
  await untilAllRight(small);
  await first.stop();
  const large = await want('large', 24);
  await importAll([{ title: 'Later', content: 'Lions sleep at noon.' }]);
  const current = async () => (await readGenerations(suite.database)).current?.generation;
  expect(await current()).toBe(small.generation);
  let requests = 0;
  const killed = await work(large, (request, response) =>
    ++requests > 3 ? undefined : answer(large)(request, response),
  );
  await expect.poll(() => requests, SOON).toBe(4);
  await killed.stop();
  expect(await current()).toBe(small.generation);
  expect((await readVectors(small)).filter(({ isRight }) => !isRight)).toHaveLength(1); // the later one has only words

  const second = await work(large);
  await expect.poll(current, SOON).toBe(large.generation);
  await expectAllRight(large);
  const generations = async () =>
    (
      await sql<{ generation: number }>`SELECT DISTINCT generation FROM passage_vectors ORDER BY 1`.execute(
        suite.database,
      )
    ).rows;
  expect(await generations()).toEqual(
    [1, small.generation, large.generation].map((generation) => ({ generation })),
  );
  await sql`UPDATE vector_generations SET current_since = current_since - interval '2 minutes'`.execute(
    suite.database,
  );
  await expect.poll(generations, SOON).toEqual([{ generation: large.generation }]);
  await second.stop();
  await expectAllRight(large);
});

test('a run ends when another server wants another model', async () => {
  const own = await want();
  await importAll();
  const { run } = await work(own, () => undefined); // hangs
  const other = await want('large', 24);
  expect(await run).toBe(false);
  const { stop } = await work(other);
  await untilAllDone();
  await stop();
  await expectAllRight(other);
});

test('two workers at once make the same', async () => {
  const own = await want();
  await importAll();
  const [one, two] = await Promise.all([work(own), work(own)]);
  await untilAllDone();
  await one.stop();
  await two.stop();
  await expectAllRight(own);
});
