/**
 * The imports that the version before has left in the schema of its queue, pg-boss, and the jobs of another program
 * that uses the same schema. 0.1.0 and 0.2.0 had their queue there.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { bytesOf, importBytes, untilFinal } from '../../harness/calls/uploading.ts';
import { createDatabase, withDatabase } from '../../harness/service/service-database.ts';
import {
  makeEmbeddedDirectory,
  removeDataDirectory,
  startService,
} from '../../harness/service/service-process.ts';
import { copyData, type Place, RENEW_TIMES, recorded } from './released.ts';

let place: Place;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createDatabase(inject('dataDirectory'));
  drop = database.drop;
  place = { dataDirectory: await makeEmbeddedDirectory(), databaseUrl: database.url };
  await copyData(place);
  await query(RENEW_TIMES);
});
afterAll(async () => {
  await removeDataDirectory(place.dataDirectory);
  await drop();
});

const query = (statement: string) =>
  withDatabase(place.databaseUrl, async (client) => (await client.query(statement)).rows);

async function withServer(options: string[], use: (caller: Caller) => Promise<void>): Promise<void> {
  const server = await startService(place.dataDirectory, {
    settings: { DATABASE_URL: place.databaseUrl },
    options,
  });
  await use(createCaller(server)).finally(() => server.stop());
}

/** Makes all unfinished documents' jobs the jobs of a server of the last version. The last one was killed. */
const LEAVE_TO_PG_BOSS = `
  INSERT INTO pgboss.job (name, data, state, started_on, heartbeat_on)
    SELECT 'import-file', json_build_object('knowledgeBaseId', knowledge_base_id, 'id', document_id), 'active', now(),
      now()
    FROM knowledge_jobs ORDER BY created_at DESC LIMIT 1;
  UPDATE documents SET status = 'processing', processing_since = now()
    WHERE id = (SELECT document_id FROM knowledge_jobs ORDER BY created_at DESC LIMIT 1);
  INSERT INTO pgboss.job (name, data)
    SELECT 'import-file', json_build_object('knowledgeBaseId', knowledge_base_id, 'id', document_id)
    FROM knowledge_jobs ORDER BY created_at DESC OFFSET 1;
  DELETE FROM knowledge_jobs`;

/** Two of its queues have the names of ours. One job waits, one runs, and one was left by a worker that was killed. */
const ADD_JOBS_OF_ANOTHER_PROGRAM = `
  SELECT pgboss.create_queue('mail', '{"policy": "standard"}');
  INSERT INTO pgboss.job (name, data, state, started_on, heartbeat_on, heartbeat_seconds) VALUES
    ('mail', '{"to": "ada"}', 'created', NULL, NULL, NULL),
    ('import-file', '{"mine": 1}', 'created', NULL, NULL, NULL),
    ('import-file', '{"mine": 2}', 'active', now(), now(), 20),
    ('import-file', '{"mine": 3}', 'active', now() - interval '1 day', now() - interval '1 day', 20),
    ('sweep-storage', '{"mine": 4}', 'created', NULL, NULL, NULL)`;

const readPgBoss = () =>
  query(`
    SELECT to_jsonb(job) AS row FROM pgboss.job
    UNION ALL SELECT to_jsonb(queue) FROM pgboss.queue
    UNION ALL SELECT to_jsonb(version) FROM pgboss.version
    UNION ALL SELECT to_jsonb(schedule) FROM pgboss.schedule ORDER BY row`);

test('waiting and running imports of the version before go on, and nothing in its schema changes', async () => {
  const { pendingId, knowledgeBaseId } = recorded.unfinished;
  const ids = [pendingId];
  await withServer(['--no-worker'], async ({ api }) => {
    for (const text of ['The hydra waits.', 'The chimera is read.']) {
      const file = { knowledgeBaseId, fileName: 'left.txt', bytes: bytesOf(text) };
      ids.push((await importBytes(api, file)).id);
    }
  });
  await query(LEAVE_TO_PG_BOSS);
  await query(ADD_JOBS_OF_ANOTHER_PROGRAM);
  const before = await readPgBoss();
  await withServer([], async ({ api }) => {
    for (const id of ids) expect((await untilFinal(api, id)).status).toBe('processed');
    expect(await api.query({ query: 'chimera' })).toMatchObject([{ document_id: ids.at(-1) }]);
  });
  expect(await readPgBoss()).toEqual(before);
});

test('imports need no schema of pg-boss', async () => {
  await query('DROP SCHEMA pgboss CASCADE');
  await withServer([], async ({ api }) => {
    const { knowledgeBaseId } = recorded.unfinished;
    const file = { knowledgeBaseId, fileName: 'new.txt', bytes: bytesOf('The sphinx asks.') };
    expect((await untilFinal(api, (await importBytes(api, file)).id)).status).toBe('processed');
  });
});
