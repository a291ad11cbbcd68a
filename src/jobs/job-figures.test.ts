/** The figures of each queue: how many jobs wait, and for how long. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createLog } from '../telemetry/log.ts';
import { readJobFigures } from './job-figures.ts';
import { openJobQueue } from './job-queue.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: Awaited<ReturnType<typeof openJobQueue>>;
beforeAll(async () => {
  server = await createTestDatabase();
  jobs = await openJobQueue(server.connection, createLog('silent'));
});
afterAll(async () => {
  await jobs.stop();
  await server.close();
});

const figuresOf = async (queue: string) =>
  (await readJobFigures(server.database)).find((figures) => figures.queue === queue);

test('lists empty queues too, with no waiting job', async () => {
  const figures = await readJobFigures(server.database);
  expect(figures.map(({ queue }) => queue)).toEqual([
    'give-up-import',
    'import-file',
    'purge-knowledge-base',
    'sweep-storage',
  ]);
  expect(await figuresOf('import-file')).toMatchObject({ waiting: 0, oldestWaitingSeconds: 0 });
});

test('counts waiting jobs and those that wait for a retry, with the age of the oldest, but no ended jobs', async () => {
  const ids = [uuidv7(), uuidv7(), uuidv7()];
  const accountId = uuidv7();
  for (const id of ids)
    await jobs.queue.enqueueImport(server.database, { knowledgeBaseId: uuidv7(), id, accountId });
  const age = async (id = '', seconds: number, state: string) =>
    await sql`
      UPDATE pgboss.job SET created_on = now() - make_interval(secs => ${seconds}), state = ${state}::pgboss.job_state
      WHERE data ->> 'id' = ${id}`.execute(server.database);
  await age(ids[0], 9_000, 'completed');
  await age(ids[1], 600, 'retry');
  await age(ids[2], 30, 'created');
  const figures = await figuresOf('import-file');
  expect(figures?.waiting).toBe(2);
  expect(figures?.oldestWaitingSeconds).toBeGreaterThanOrEqual(600);
  expect(figures?.oldestWaitingSeconds).toBeLessThan(660);
});
