/** No job is lost: it runs once, is tried again after a failure, and becomes a dead letter after its last try. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createLog } from '../telemetry/log.ts';
import type { ScopedId } from '../terms/ids.ts';
import { type JobHandlers, openJobQueue } from './job-queue.ts';
import { enqueueMissingJobs, enqueueVectors } from './missing-jobs.ts';
import { type Attempt, Postponed } from './workers.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: ReturnType<typeof openJobQueue>;
beforeEach(async () => {
  server = await createTestDatabase();
  jobs = openJobQueue(server.connection, createLog('silent'));
});
afterEach(async () => {
  await jobs.stop(1);
  await server.close();
});

const idle: JobHandlers = {
  importFile: async () => {},
  giveUpImport: async () => {},
  fetchUrl: async () => {},
  purgeKnowledgeBase: async () => {},
  collectGarbage: async () => {},
  fillVectors: async () => {},
};

const accountId = uuidv7();
const newDocument = () => ({ knowledgeBaseId: uuidv7(), id: uuidv7() });

const enqueue = async (owner: string, ...documents: ScopedId[]) => {
  for (const document of documents)
    await jobs.queue.enqueueImport(server.database, { ...document, accountId: owner });
};
const newDocuments = (count: number) => Array.from({ length: count }, newDocument);

test('an import that fails at its last try becomes a dead letter', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  await sql`UPDATE knowledge_jobs SET tries = 5`.execute(server.database);
  const importFile = vi.fn(async () => {
    throw new Error('disk on fire');
  });
  const giveUpImport = vi.fn(async () => {});
  jobs.work({ ...idle, importFile, giveUpImport }, 1);
  await vi.waitUntil(() => giveUpImport.mock.calls.length > 0, { timeout: 60_000 });
  expect(importFile).toHaveBeenCalledOnce();
  expect(giveUpImport).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
});

/** The connections by which jobs are looked for. */
const OF_JOBS = sql`FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE ${'%knowledge_jobs%'}`;

test('a lost connection is news until the work ends, as when a database stops with its server', async () => {
  const lines: string[] = [];
  const log = createLog('warn', (line) => {
    lines.push(line);
    return '';
  });
  const news = () => lines.filter((line) => line.includes('database connection of the jobs lost')).length;
  const connections = async () => (await sql`SELECT pid ${OF_JOBS}`.execute(server.database)).rows.length;
  const loseConnections = async () =>
    await sql`SELECT pg_terminate_backend(pid, 5000) ${OF_JOBS}`.execute(server.database);
  const other = openJobQueue(server.connection, log);
  other.work(idle, 1);
  // One that is lost while it reads the queue is another news.
  await expect
    .poll(async () => {
      await loseConnections();
      return news();
    })
    .toBeGreaterThan(0);
  await expect.poll(connections).toBeGreaterThan(0);
  other.endWork();
  const before = news();
  await loseConnections();
  await expect.poll(connections).toBe(0);
  await other.stop(1);
  expect(news()).toBe(before);
});

test('an import that is postponed waits again as the same job, with all its tries', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  importFile.mockRejectedValueOnce(new Postponed('not now'));
  jobs.work({ ...idle, importFile }, 1);
  await vi.waitUntil(() => importFile.mock.calls.length === 2, { timeout: 60_000 });
  expect(importFile).toHaveBeenLastCalledWith(expect.objectContaining({ payload: document }));
  const readJobs = async () => {
    const { rows } = await sql`
      SELECT tries, ended_at IS NOT NULL AS "hasEnded", created_at < started_at - interval '4 seconds' AS "hasWaited"
      FROM knowledge_jobs`.execute(server.database);
    return rows;
  };
  await expect.poll(readJobs).toEqual([{ tries: 1, hasEnded: true, hasWaited: true }]);
});

test('a purge is enqueued once for each knowledge base', async () => {
  const [one, other] = [uuidv7(), uuidv7()];
  for (const id of [one, one, other]) await jobs.queue.enqueuePurge(server.database, id);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM knowledge_jobs WHERE queue = 'purge-knowledge-base'`.execute(
    server.database,
  );
  expect(rows[0]?.count).toBe(2);
});

test('a job enqueued by a transaction that is rolled back does not run', async () => {
  const document = newDocument();
  const rolledBack = server.database.transaction().execute(async (transaction) => {
    await jobs.queue.enqueueImport(transaction, { ...newDocument(), accountId });
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  jobs.work({ ...idle, importFile }, 1);
  await vi.waitUntil(() => importFile.mock.calls.length > 0, { timeout: 60_000 });
  expect(importFile).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
});

test('a worker takes the next job immediately after it has finished one', async () => {
  const documents = Array.from({ length: 40 }, newDocument);
  for (const document of documents) await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  jobs.work({ ...idle, importFile }, 1);
  // At one job a poll this would take 80 seconds.
  await vi.waitUntil(() => importFile.mock.calls.length === documents.length, { timeout: 60_000 });
});

test('small imports of an account are taken together; one that fails is tried again alone', async () => {
  const [large, ...small] = newDocuments(5);
  const [failing, postponed, ...others] = small;
  await enqueue(accountId, large as ScopedId);
  for (const document of small)
    await jobs.queue.enqueueImport(server.database, { ...document, accountId, isSmall: true });
  await jobs.queue.enqueueImport(server.database, { ...newDocument(), accountId: uuidv7(), isSmall: true });
  const importFile = vi.fn(async (_: Attempt<ScopedId>) => {});
  const importSmallFiles = vi.fn((attempts: Attempt<ScopedId>[]) =>
    attempts.map(async ({ payload: { id } }) => {
      if (id === failing?.id) throw new Error('disk on fire');
      if (id === postponed?.id) throw new Postponed('not now');
    }),
  );
  jobs.work({ ...idle, importFile, importSmallFiles }, 1);
  const readJobs = async () => {
    const { rows } = await sql<{ id: string; tries: number }>`
      SELECT document_id AS id, tries FROM knowledge_jobs WHERE ended_at IS NOT NULL`.execute(
      server.database,
    );
    return new Map(rows.map(({ id, tries }) => [id, tries]));
  };
  await vi.waitUntil(async () => (await readJobs()).size === 6, { timeout: 60_000, interval: 50 });
  const together = importSmallFiles.mock.calls.map(([attempts]) => attempts.map(({ payload }) => payload.id));
  expect(together).toEqual([idsOf(small)]);
  const alone = importFile.mock.calls.map(([{ payload }]) => payload.id);
  expect(alone).toEqual(expect.arrayContaining([large?.id, failing?.id, postponed?.id]));
  const ended = await readJobs();
  expect([failing, postponed, ...others].map((one) => ended.get(one?.id ?? ''))).toEqual([2, 1, 1, 1]);
});

/** Imports that last until the test ends them; `begun` lists their documents in the order of their start. */
function createLasting() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const importFile: JobHandlers['importFile'] = async ({ payload: { id }, signal }) => {
    begun.push(id);
    await new Promise<void>((resolve, reject) => {
      ends.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  return { begun, importFile, end: (id: string) => ends.get(id)?.() };
}

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 10 });
const idsOf = (documents: ScopedId[]) => documents.map(({ id }) => id);

test("an account's import begins at once although another account has all importers", async () => {
  const lasting = createLasting();
  const [theirs, mine] = [newDocuments(5), newDocuments(1)];
  await enqueue(uuidv7(), ...theirs);
  jobs.work({ ...idle, importFile: lasting.importFile }, 2);
  await until(() => lasting.begun.length === 2);
  await enqueue(accountId, ...mine);
  await until(() => lasting.begun.length === 3);
  expect(lasting.begun).toEqual([...idsOf(theirs.slice(0, 2)), ...idsOf(mine)]);
});

test('an account gets all importers while no other waits, and half of them while others wait', async () => {
  const lasting = createLasting();
  const [a, b] = [newDocuments(6), newDocuments(2)];
  await enqueue(uuidv7(), ...a);
  jobs.work({ ...idle, importFile: lasting.importFile }, 4);
  await until(() => lasting.begun.length === 4);
  await enqueue(accountId, ...b);
  await until(() => lasting.begun.length === 5);
  for (const id of lasting.begun.slice(0, 2)) lasting.end(id);
  await until(() => lasting.begun.length === 6);
  expect(lasting.begun.slice(4)).toEqual(idsOf(b));
  for (const id of idsOf(b)) lasting.end(id);
  await until(() => lasting.begun.length === 8);
  expect(lasting.begun.slice(6)).toEqual(idsOf(a.slice(4)));
});

test('accounts take turns across all servers, including the jobs of a killed server', async () => {
  const owners = [uuidv7(), uuidv7(), uuidv7()];
  const owned = new Map<string, number>();
  for (const [owner, name] of owners.entries()) {
    const documents = newDocuments(10);
    await enqueue(name, ...documents);
    for (const id of idsOf(documents)) owned.set(id, owner);
  }
  // The state after a server was killed: jobs run, and their lease has ended.
  await sql`
    UPDATE knowledge_jobs SET tries = 1, started_at = now(), due_at = now() - interval '1 second'
    WHERE created_at IN (SELECT min(created_at) FROM knowledge_jobs GROUP BY account_id)`.execute(
    server.database,
  );
  const lasting = createLasting();
  const { begun } = lasting;
  const other = openJobQueue(server.connection, createLog('silent'));
  for (const one of [jobs, other]) one.work({ ...idle, importFile: lasting.importFile }, 1);
  // Each server has an importer for each account. What runs in a round lasts until all have begun.
  for (let round = 1; round <= 5; round++) {
    await until(() => begun.length === 6 * round);
    const inRound = begun.slice(-6);
    expect(inRound.map((id) => owned.get(id)).toSorted()).toEqual([0, 0, 1, 1, 2, 2]);
    for (const id of inRound) lasting.end(id);
  }
  expect(new Set(begun).size).toBe(30);
  await other.stop();
});

test('imports that do not end in time go back to the queue when the worker stops', async () => {
  const lasting = createLasting();
  const document = newDocument();
  await enqueue(accountId, document);
  jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 1);
  await jobs.stop(1);
  jobs = openJobQueue(server.connection, createLog('silent'));
  jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 2);
  lasting.end(document.id);
  expect(lasting.begun).toEqual([document.id, document.id]);
});

test('an import that workers have to stop again and again keeps its tries', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  for (let stops = 1; stops <= 8; stops++) {
    const lasting = createLasting();
    jobs.work({ ...idle, importFile: lasting.importFile }, 1);
    await until(() => lasting.begun.length === 1);
    await jobs.stop(1);
    jobs = openJobQueue(server.connection, createLog('silent'));
  }
});

/** Moves the ends of all leases into the past, as if the workers had died. */
const endLeases = () =>
  sql`UPDATE knowledge_jobs SET due_at = now() - interval '1 second' WHERE started_at IS NOT NULL`.execute(
    server.database,
  );

test('a hundred jobs run once each, although six servers take them', async () => {
  const documents = newDocuments(100);
  await enqueue(accountId, ...documents);
  const begun: string[] = [];
  const importFile: JobHandlers['importFile'] = async ({ payload: { id } }) => void begun.push(id);
  const servers = Array.from({ length: 6 }, () => openJobQueue(server.connection, createLog('silent')));
  for (const one of servers) one.work({ ...idle, importFile }, 2);
  await until(() => begun.length >= documents.length);
  await Promise.all(servers.map((one) => one.stop()));
  expect(begun.toSorted()).toEqual(idsOf(documents).toSorted());
});

test('the job of a killed worker runs again after its lease, and its late result counts for nothing', async () => {
  const lasting = createLasting();
  await enqueue(accountId, newDocument());
  jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 1);
  const other = openJobQueue(server.connection, createLog('silent'));
  const importFile = vi.fn(() => new Promise<void>(() => {}));
  other.work({ ...idle, importFile }, 1);
  await endLeases();
  await until(() => importFile.mock.calls.length === 1);
  for (const id of lasting.begun) lasting.end(id);
  await jobs.stop(1);
  const { rows } = await sql`SELECT tries, ended_at AS "endedAt" FROM knowledge_jobs`.execute(
    server.database,
  );
  await other.stop(1);
  expect(rows).toEqual([{ tries: 2, endedAt: null }]);
});

test('an import whose last try has lost its worker becomes a dead letter, and is not tried again', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  await sql`UPDATE knowledge_jobs SET tries = 6, started_at = now()`.execute(server.database);
  await endLeases();
  const [importFile, giveUpImport] = [vi.fn(async () => {}), vi.fn(async () => {})];
  jobs.work({ ...idle, importFile, giveUpImport }, 1);
  await until(() => giveUpImport.mock.calls.length > 0);
  expect(giveUpImport).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
  expect(importFile).not.toHaveBeenCalled();
});

test('a document that is enqueued again has one job: the worker of the former one has lost it', async () => {
  const lasting = createLasting();
  const document = newDocument();
  await enqueue(accountId, document);
  jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 1);
  await enqueue(accountId, document);
  lasting.end(document.id);
  await until(() => lasting.begun.length === 2);
  lasting.end(document.id);
  const readJobs = async () => {
    const { rows } = await sql`SELECT tries, ended_at IS NOT NULL AS "hasEnded" FROM knowledge_jobs`.execute(
      server.database,
    );
    return rows;
  };
  await expect.poll(readJobs).toEqual([{ tries: 1, hasEnded: true }]);
});

test('garbage is collected at once and every ten minutes, by one worker of all, also after a failure', async () => {
  const collectGarbage = vi.fn(async () => {
    throw new Error('disk on fire');
  });
  const other = openJobQueue(server.connection, createLog('silent'));
  for (const one of [jobs, other]) one.work({ ...idle, collectGarbage }, 1);
  for (let i = 0; i < 2; i++) await enqueueMissingJobs(server.database);
  await until(() => collectGarbage.mock.calls.length === 1);
  const readJobs = async () => {
    const { rows } = await sql`
      SELECT queue, tries, started_at AS "startedAt", due_at BETWEEN now() + interval '9 minutes'
        AND now() + interval '10 minutes' AS "isSoon" FROM knowledge_jobs WHERE queue = 'sweep-storage'`.execute(
      server.database,
    );
    return rows;
  };
  await expect.poll(readJobs).toEqual([{ queue: 'sweep-storage', tries: 0, startedAt: null, isSoon: true }]);
  await other.stop();
  expect(collectGarbage).toHaveBeenCalledOnce();
});

describe('missing vectors', () => {
  const WORDS = { hasWordVectors: true, embeddings: undefined };
  const { fillVectors: _, ...without } = idle;
  const readJob = async () => {
    const { rows } = await sql<{ tries: number; isTaken: boolean; isSoon: boolean }>`
      SELECT tries, started_at IS NOT NULL AS "isTaken", due_at < now() + interval '2 minutes' AS "isSoon"
      FROM knowledge_jobs WHERE queue = 'fill-vectors'`.execute(server.database);
    return rows[0];
  };

  test('are not run by a server without vectors, and one with vectors makes them', async () => {
    const collectGarbage = vi.fn(async () => {});
    jobs.work({ ...without, collectGarbage }, 1);
    await enqueueMissingJobs(server.database);
    await enqueueVectors(server.database, WORDS);
    await until(() => collectGarbage.mock.calls.length === 1);
    expect(await readJob()).toMatchObject({ tries: 0, isTaken: false });
    const fillVectors = vi.fn(async () => {});
    const other = openJobQueue(server.connection, createLog('silent'));
    other.work({ ...idle, fillVectors }, 1);
    await until(() => fillVectors.mock.calls.length === 1);
    await other.stop();
  });

  test('are made on by another server where one was killed, and soon after a failure', async () => {
    const killed = vi.fn(() => new Promise<void>(() => {}));
    jobs.work({ ...idle, fillVectors: killed }, 1);
    await enqueueVectors(server.database, WORDS);
    await until(() => killed.mock.calls.length === 1);
    const failing = vi.fn(async () => {
      throw new Error('the database is away');
    });
    const other = openJobQueue(server.connection, createLog('silent'));
    other.work({ ...idle, fillVectors: failing }, 1);
    await endLeases();
    await until(() => failing.mock.calls.length > 0);
    await expect.poll(async () => (await readJob())?.isTaken).toBe(false);
    await other.stop();
    expect(await readJob()).toMatchObject({ isSoon: true });
    expect((await readJob())?.tries).toBeGreaterThanOrEqual(2);
  });
});
