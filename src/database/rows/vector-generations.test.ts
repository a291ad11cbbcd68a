/** Which model's vectors are made, and which ones are compared. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/test-database.ts';
import {
  createCurrentGeneration,
  readCurrentGeneration,
  readGenerations,
  recordAlone,
  retireOthers,
  switchGeneration,
  wantGeneration,
} from './vector-generations.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

beforeEach(async () => {
  await sql`TRUNCATE vector_generations, documents_without_vectors`.execute(suite.database);
});

const MEAN = Float32Array.of(0.5, -0.25, 0.125);
const MODEL = {
  url: 'http://localhost:8080',
  model: 'small',
  queryPrefix: 'query: ',
  passagePrefix: '',
};
const LARGE = { ...MODEL, model: 'large', mean: Float32Array.of(0.1, 0.2, 0.3, 0.4) };

const want = async (model: Parameters<typeof wantGeneration>[1]) =>
  (await wantGeneration(suite.database, model))?.generation;
const read = async () => {
  const { current, wanted } = await readGenerations(suite.database);
  return [current?.generation, wanted?.generation];
};
const switchTo = (generation: number) => switchGeneration(suite.database, generation, 'now');
/** Lets the time pass for which the vectors of the former generation stay. */
const waitLong = () =>
  sql`UPDATE vector_generations SET current_since = current_since - interval '61 seconds'`.execute(
    suite.database,
  );

test('the first generation is current at once, with all that its server needs', async () => {
  expect(await readCurrentGeneration(suite.database)).toBeUndefined();
  expect(await want(MODEL)).toBeUndefined(); // its mean is not known yet
  expect(await want({ ...MODEL, mean: MEAN })).toBe(2);
  const expected = { ...MODEL, generation: 2, dimensions: 3, mean: MEAN };
  expect(await readGenerations(suite.database)).toEqual({ current: expected, wanted: expected });
});

test('the same model is the same generation, wherever it answers, and without having been asked', async () => {
  await want({ ...MODEL, mean: MEAN });
  expect(await want({ ...MODEL, url: 'https://elsewhere' })).toBe(2);
  expect(await want({ ...MODEL, dimensions: 3, mean: MEAN.map((number) => number * 1.01) })).toBe(2);
  expect((await readCurrentGeneration(suite.database))?.url).toBe(MODEL.url);
});

test.each([
  ['name', { ...MODEL, model: 'other', mean: MEAN }],
  ['prefix of queries', { ...MODEL, queryPrefix: '', mean: MEAN }],
  ['prefix of passages', { ...MODEL, passagePrefix: 'passage: ', mean: MEAN }],
  ['number of dimensions', { ...MODEL, dimensions: 4, mean: LARGE.mean }],
  ['mean: another model has the name', { ...MODEL, mean: MEAN.map((number) => -number) }],
])('another %s is another generation, beside the current one', async (_, other) => {
  await want({ ...MODEL, mean: MEAN });
  expect(await want(other)).toBe(3);
  expect(await read()).toEqual([2, 3]);
});

test('a generation becomes current when nothing waits that was there before', async () => {
  await want({ ...MODEL, mean: MEAN });
  await want(LARGE);
  const [accountId, knowledgeBaseId, id] = [1, 2, 3].map((n) => `00000000-0000-0000-0000-00000000000${n}`);
  await sql`ALTER TABLE documents_without_vectors DISABLE TRIGGER ALL`.execute(suite.database);
  const queue = (queuedAt: string, tries: number) => sql`
    INSERT INTO documents_without_vectors
      (knowledge_base_id, document_id, account_id, generation, tries, queued_at, due_at)
    VALUES (${knowledgeBaseId}, ${id}, ${accountId}, 3, ${tries}, ${queuedAt}::timestamptz, now())
    ON CONFLICT (knowledge_base_id, document_id) DO UPDATE SET tries = excluded.tries, queued_at = excluded.queued_at`;
  await queue('2020-01-01', 0).execute(suite.database);
  expect(await switchTo(3)).toBe(false);
  await queue('2100-01-01', 0).execute(suite.database); // imported since
  expect(await switchTo(2)).toBe(false);
  expect(await switchTo(3)).toBe(true);
  expect(await read()).toEqual([3, 3]);
  expect(await switchTo(3)).toBe(false);
  await want(MODEL);
  await queue('2020-01-01', 1).execute(suite.database); // refused by the model
  expect(await switchTo(2)).toBe(true);
  expect(await read()).toEqual([2, 2]);
});

test('others are retired a minute after the switch, and their numbers not used again', async () => {
  await want({ ...MODEL, mean: MEAN });
  await want(LARGE);
  await waitLong();
  expect(await retireOthers(suite.database, 2)).toBe(false); // another one is wanted
  await switchTo(3);
  expect(await retireOthers(suite.database, 3)).toBe(false); // servers may still compare with the former one
  await waitLong();
  expect(await retireOthers(suite.database, 3)).toBe(true);
  expect(await retireOthers(suite.database, 3)).toBe(true); // a killed worker has not removed all
  await recordAlone(suite.database, 3);
  expect(await retireOthers(suite.database, 3)).toBe(false);
  expect(await want(MODEL)).toBeUndefined();
  expect(await want({ ...MODEL, mean: MEAN })).toBe(4);
  await want(LARGE); // back, before it was complete
  expect(await retireOthers(suite.database, 3)).toBe(true);
  expect(await want({ ...MODEL, mean: MEAN })).toBe(5);
  expect(await read()).toEqual([3, 5]);
});

test('servers that want at the same time have one generation', async () => {
  const wanting = Array.from({ length: 5 }, () => want({ ...MODEL, mean: MEAN }));
  expect(await Promise.all(wanting)).toEqual([2, 2, 2, 2, 2]);
});

test('a server knows the current generation without asking each time, and after a failure again', async () => {
  const failing = await createTestDatabase();
  const reader = createCurrentGeneration(failing.database);
  expect(await reader.current()).toBeUndefined();
  await wantGeneration(failing.database, { ...MODEL, mean: MEAN });
  expect(await reader.current()).toBeUndefined();
  const other = createCurrentGeneration(failing.database);
  expect(await other.current()).toMatchObject({ generation: 2 });
  await sql`ALTER TABLE vector_generations RENAME TO away`.execute(failing.database);
  const broken = createCurrentGeneration(failing.database);
  await expect(broken.wanted()).rejects.toThrow();
  await sql`ALTER TABLE away RENAME TO vector_generations`.execute(failing.database);
  expect(await broken.wanted()).toMatchObject({ generation: 2 });
  await failing.close();
});
