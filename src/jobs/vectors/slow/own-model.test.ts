/** A service with a model: its documents get vectors, and it says how far that is. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { readGenerations } from '../../../database/rows/vector-generations.ts';
import { createMigratedDatabase } from '../../../database/testing/test-database.ts';
import {
  embedAll,
  embeddingsAnswer,
  type Respond,
  startStub,
} from '../../../meaning/model/testing/stub-server.ts';
import { startTestService, type TestService } from '../../../serve/testing/test-service.ts';
import { generateApiKey } from '../../../terms/api-key.ts';

const SOON = { timeout: 30_000, interval: 100 };

type Options = Pick<NonNullable<Parameters<typeof startTestService>[0]>, 'connection'>;

/** Of all servers of a database. */
const KEY = generateApiKey();

async function startService(respond: Respond, options: Options = {}): Promise<TestService> {
  const { url } = await startStub(respond);
  const model = { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: 'small' };
  const settings = { ...model, BOOTSTRAP_API_KEY: KEY };
  const service = await startTestService({ ...options, settings });
  const close = onlyOnce(() => service.close());
  onTestFinished(close);
  return { ...service, close };
}

/** Answers every request. */
const answer: Respond = (request) => embedAll(request);

function onlyOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}

/** Imports a text into a new knowledge base. Returns functions that ask how far it is. */
async function importInto({ call }: TestService) {
  const created = await call('createKnowledgeBase', { name: 'Rules' });
  const knowledgeBaseId = created.body.data.id;
  const imported = await call('importTextContent', {
    knowledgeBaseId,
    title: 'Hotels',
    content: 'Employees stay in hotels of at most three stars.',
  });
  expect(imported.body.data).toMatchObject({ status: 'processed' });
  const statusOf = () => call(`getDocumentStatus?documentId=${imported.body.data.id}`);
  const count = () => call(`getKnowledgeBase?knowledgeBaseId=${knowledgeBaseId}`);
  return {
    readVectors: async () => (await statusOf()).body.data.vectors,
    readCount: async () => (await count()).body.data.documentsWithoutVectors,
  };
}

const generationsOf = ({ service }: TestService) => readGenerations(service.database);

test('without a model nothing is said of vectors', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { readVectors, readCount } = await importInto(service);
  expect([await readVectors(), await readCount()]).toEqual([undefined, undefined]);
});

test('a document is processed at once, and says how many of its passages have vectors', async () => {
  const held: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => void held.push(resolve));
  const service = await startService(async (request) => {
    if (request.body.input.some((text: string) => text.includes('hotels'))) await hold();
    return embedAll(request);
  });
  await expect.poll(() => service.service.wantedGeneration(), SOON).toBe(2);
  const { readVectors, readCount } = await importInto(service);
  expect([await readVectors(), await readCount()]).toEqual([{ made: 0, of: 1 }, 1]);
  const { data } = (await service.call('listKnowledgeBases')).body as unknown as { data: object[] };
  expect(data).toMatchObject([{ documentsWithoutVectors: 1 }]);
  await expect.poll(() => held.length, SOON).toBe(1);
  for (const resolve of held) resolve();
  await expect.poll(readVectors, SOON).toEqual({ made: 1, of: 1 });
  await expect.poll(readCount, SOON).toBe(0); // the document leaves the queue by a statement of its own
});

test('while the model has never answered, documents are found by words, and get their vectors later', async () => {
  let isAway = true;
  const service = await startService((request) => (isAway ? { status: 503, text: '' } : embedAll(request)));
  const { readVectors } = await importInto(service);
  expect(await readVectors()).toBeUndefined();
  isAway = false;
  await expect.poll(readVectors, SOON).toEqual({ made: 1, of: 1 });
});

test('a model that has moved is the same one, and another one under its name is not', async () => {
  const { connection, drop } = await createMigratedDatabase();
  onTestFinished(drop);
  const first = await startService(answer, { connection });
  const { readVectors } = await importInto(first);
  await expect.poll(readVectors, SOON).toEqual({ made: 1, of: 1 });

  const moved = await startService(answer, { connection });
  const { url } = (await generationsOf(first)).wanted ?? {};
  await first.close();
  await expect.poll(async () => (await generationsOf(moved)).wanted?.url, SOON).not.toBe(url);
  expect((await generationsOf(moved)).wanted?.generation).toBe(2);
  await moved.close();

  const negative: Respond = (request) => {
    const { json } = embedAll(request) as { json: { data: { embedding: number[] }[] } };
    return { json: embeddingsAnswer(json.data.map(({ embedding }) => embedding.map((number) => -number))) };
  };
  const other = await startService(negative, { connection });
  await expect.poll(async () => (await generationsOf(other)).wanted?.generation, SOON).toBe(3);
  await expect.poll(async () => (await generationsOf(other)).current?.generation, SOON).toBe(3);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM passage_vectors WHERE generation = 3`.execute(other.service.database);
  expect(rows).toEqual([{ count: 1 }]);
});
