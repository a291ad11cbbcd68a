/**
 * An upgrade of 0.1.0 in a database of an operator's PostgreSQL, where another program has tables, and jobs in the
 * schema of the queue, pg-boss. 0.1.0 and 0.2.0 had their queue there. The role of the service has no special rights.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { bytesOf, importBytes, untilFinal } from '../../harness/calls/uploading.ts';
import { startForeignPostgres } from '../../harness/service/foreign-postgres.ts';
import { withDatabase } from '../../harness/service/service-database.ts';
import {
  makeEmbeddedDirectory,
  type RunningService,
  removeDataDirectory,
  startService,
} from '../../harness/service/service-process.ts';
import { searchEach, viewAccount } from './account-view.ts';
import { copyData, RENEW_TIMES, recorded } from './released.ts';

let dataDirectory: string;
let postgres: Awaited<ReturnType<typeof startForeignPostgres>>;

/** Tables with names of ours, which this version makes, in a schema on the search path; and one beside ours. */
const TABLES_OF_ANOTHER_PROGRAM = `
  CREATE SCHEMA theirs
    CREATE TABLE webhooks (id int) CREATE TABLE knowledge_jobs (id int) CREATE TABLE kysely_migration (name text);
  CREATE TABLE public.customers (name text);
  INSERT INTO public.customers VALUES ('ada')`;

beforeAll(async () => {
  postgres = await startForeignPostgres();
  dataDirectory = await makeEmbeddedDirectory();
  await copyData({ dataDirectory, databaseUrl: postgres.ours });
  await query(RENEW_TIMES);
  await query(TABLES_OF_ANOTHER_PROGRAM, postgres.theirs);
});
afterAll(async () => {
  await removeDataDirectory(dataDirectory);
  await postgres.remove();
});

const query = (statement: string, url = postgres.ours) =>
  withDatabase(url, async (client) => (await client.query(statement)).rows);

async function withServer(
  options: string[],
  use: (caller: Caller, server: RunningService) => Promise<void>,
): Promise<void> {
  const settings = { DATABASE_URL: postgres.ours };
  const server = await startService(dataDirectory, { settings, options });
  await use(createCaller(server), server).finally(() => server.stop());
}

/** Makes all unfinished documents' jobs the jobs of a server of the former version. The last job's server has died. */
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

const readOthers = () =>
  query(
    `
    SELECT to_jsonb(tables) AS row FROM pg_tables AS tables WHERE schemaname IN ('pgboss', 'theirs')
    UNION ALL SELECT to_jsonb(customers) FROM public.customers
    UNION ALL SELECT to_jsonb(job) FROM pgboss.job
    UNION ALL SELECT to_jsonb(queue) FROM pgboss.queue
    UNION ALL SELECT to_jsonb(version) FROM pgboss.version
    UNION ALL SELECT to_jsonb(schedule) FROM pgboss.schedule ORDER BY row`,
    postgres.superuser,
  );

test('waiting and running imports of 0.1.0 go on, and nothing of the other program changes', async () => {
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
  const before = await readOthers();
  await withServer([], async ({ api }) => {
    for (const id of ids) expect((await untilFinal(api, id)).status).toBe('processed');
    expect(await api.query({ query: 'chimera' })).toMatchObject([{ document_id: ids.at(-1) }]);
  });
  expect(await readOthers()).toEqual(before);
});

test('documents are as recorded, and found by their own words', async () => {
  const [account] = recorded.accounts;
  if (account === undefined) throw new Error('answers.json has accounts');
  const { documents, knowledgeBases } = account.view;
  await withServer([], async (_caller, { address }) => {
    const access = { address, apiKey: account.apiKey };
    const now = await viewAccount(access);
    const { [recorded.unfinished.knowledgeBaseId]: _unfinished, ...finished } = documents;
    expect(now.documents).toMatchObject(finished);
    expect(now.knowledgeBases).toMatchObject(knowledgeBases);
    const found = await searchEach(
      access,
      account.searches.map(({ query }) => query),
    );
    expect(found.map(({ found: { document_id } }) => document_id)).toEqual(
      account.searches.map(({ found: { document_id } }) => document_id),
    );
  });
});

test('imports need no schema of pg-boss', async () => {
  await query('DROP SCHEMA pgboss CASCADE');
  await withServer([], async ({ api }) => {
    const { knowledgeBaseId } = recorded.unfinished;
    const file = { knowledgeBaseId, fileName: 'new.txt', bytes: bytesOf('The sphinx asks.') };
    expect((await untilFinal(api, (await importBytes(api, file)).id)).status).toBe('processed');
  });
});
