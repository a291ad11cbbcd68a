/** Each thing that can be wrong with a deployment is provoked, and told with what helps; nothing else is told. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { uploadSecretFile } from '../first-start.ts';
import { drain, listen } from '../server.ts';
import { createServiceApp } from '../service-app.ts';
import type { Connection } from '../storage/database.ts';
import { startS3Server } from '../testing/s3-server.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import { startTestService, type TestService } from '../testing/test-service.ts';
import { checkDataDirectory, checkNode } from './check-machine.ts';
import { examine } from './doctor.ts';

/** As DATABASE_URL names it; `changes` go into the address. */
function addressOf(
  connection: Connection,
  changes: { user?: string; password?: string; database?: string } = {},
): string {
  const url =
    'connectionString' in connection
      ? new URL(connection.connectionString)
      : new URL(
          `postgres://${connection.user}@localhost/${connection.database}?host=${connection.host}&port=${connection.port}`,
        );
  if (changes.user !== undefined) url.username = changes.user;
  if (changes.password !== undefined) url.password = changes.password;
  if (changes.database !== undefined) url.pathname = `/${changes.database}`;
  return url.href;
}

let server: { connection: Connection; drop(): Promise<void> };
let suite: TestService;
/** The settings of `suite`, which nothing is wrong with. */
let healthy: Record<string, string>;
beforeAll(async () => {
  server = await createEmptyDatabase();
  suite = await startTestService({ connection: server.connection });
  healthy = {
    DATABASE_URL: addressOf(server.connection),
    DATA_DIR: suite.service.config.dataDir,
    PORT: new URL(suite.address).port,
    BASE_URL: suite.address,
  };
});
afterAll(async () => {
  await suite.close();
  await server.drop();
});

/** What is wrong with the healthy deployment after these changes: `part: problem` of each, in order. */
async function examineWith(changes: Record<string, string> = {}, answers = false): Promise<string[]> {
  const problems: string[] = [];
  for await (const finding of examine({ environment: { ...healthy, ...changes }, server: answers })) {
    for (const { problem, remedy } of finding.problems) {
      expect(remedy).not.toBe('');
      problems.push(`${finding.part}: ${problem}`);
    }
  }
  return problems;
}

test('nothing is wrong with a service that runs', async () => {
  expect(await examineWith({}, true)).toEqual([]);
});

test('an installation before its first start has nothing wrong, and is left as it is', async () => {
  const DATA_DIR = join(tmpdir(), `knowledge-retrieval-doctor-${uuidv7()}`);
  expect(await examineWith({ DATABASE_URL: '', DATA_DIR })).toEqual([]);
  await expect(readFile(DATA_DIR)).rejects.toThrow('ENOENT');
});

test('every wrong setting, without its value', async () => {
  const problems = await examineWith({ PORT: 'hunter2', UPLOAD_SECRET: 'hunter2' });
  expect(problems).toEqual([
    expect.stringContaining('settings: PORT'),
    expect.stringContaining('settings: UPLOAD_SECRET'),
  ]);
  expect(problems.join()).not.toContain('hunter2');
});

test.each([
  ['https://user:word@example.org', '', 'more than an origin'],
  ['https://example.org/?a=b', '', 'more than an origin'],
  ['http://0.0.0.0:8080', '', 'where nobody can send'],
  ['http://localhost:8080', '0.0.0.0', 'send their uploads to themselves'],
])('BASE_URL %s', async (BASE_URL, HOST, problem) => {
  expect(await examineWith({ BASE_URL, HOST })).toEqual([expect.stringContaining(problem)]);
});

test('a Node that is too old', () => {
  expect(checkNode('22.18.0')).toEqual([
    expect.objectContaining({ problem: expect.stringContaining('22.18.0') }),
  ]);
  expect(checkNode('24.0.0')).toEqual([]);
});

describe('on disk', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-doctor-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('a data directory that is a file, or below one', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    for (const DATA_DIR of [file, join(file, 'below')])
      expect(await examineWith({ DATA_DIR })).toEqual([`data directory: ${file} is no directory.`]);
  });

  test('a data directory that nobody may write to, root neither', async () => {
    const problems = await examineWith({ DATA_DIR: '/proc' });
    expect(problems[0]).toMatch(/^data directory: Nothing can be written into \//);
  });

  test('a disk that is nearly full', async () => {
    const problems = await checkDataDirectory(suite.service.config, { leastFreeBytes: Infinity });
    expect(problems).toEqual([
      expect.objectContaining({ problem: expect.stringMatching(/^Only \d+ MiB are free/) }),
    ]);
  });

  test('secrets that others may read, and one that is none', async () => {
    const path = uploadSecretFile(suite.service.config);
    const secret = await readFile(path);
    await chmod(path, 0o644);
    expect(await examineWith()).toEqual([`secrets: Other users may read the secret in ${path}.`]);
    await chmod(path, 0o600);
    await writeFile(path, 'half');
    expect(await examineWith()).toEqual([expect.stringContaining('holds no secret, or half of one')]);
    await writeFile(path, secret);
    expect(await examineWith()).toEqual([]);
  });

  test('a store of files that cannot be written to', async () => {
    const DATA_DIR = join(directory, 'broken');
    await mkdir(DATA_DIR);
    await writeFile(join(DATA_DIR, 'files'), '');
    expect(await examineWith({ DATA_DIR })).toEqual([expect.stringMatching(/^files: /)]);
  });
});

describe('a store of S3', () => {
  const credentials = { accessKeyId: 'doctor', secretAccessKey: 'of the tests' };
  let store: Awaited<ReturnType<typeof startS3Server>>;
  beforeAll(async () => {
    store = await startS3Server(credentials);
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await store.close();
  });
  const settings = () => ({
    S3_BUCKET: store.bucket,
    S3_ENDPOINT: store.endpoint,
    S3_REGION: 'eu-central-1',
  });

  test('one that works is left as it was', async () => {
    expect(await examineWith(settings())).toEqual([]);
    expect(store.objects.size).toBe(0);
  });

  test('one that is not there, and keys that it does not know', async () => {
    const gone = { ...settings(), S3_ENDPOINT: 'http://127.0.0.1:1' };
    expect(await examineWith(gone)).toEqual([expect.stringMatching(/^files: .*ECONNREFUSED/)]);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    expect(await examineWith(settings())).toEqual([
      expect.stringMatching(/^files: The store of files does not/),
    ]);
  });
});

/** An empty database with these options, as `CREATE DATABASE` takes them. */
async function withDatabase<T>(options: string, use: (address: string) => Promise<T>): Promise<T> {
  const name = `doctor_${uuidv7().replaceAll('-', '')}`;
  const { database } = suite.service;
  await database.executeQuery(CompiledQuery.raw(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`));
  try {
    return await use(addressOf(server.connection, { database: name }));
  } finally {
    await database.executeQuery(CompiledQuery.raw(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}

/**
 * Lets the database take functions of schema `doctor` for PostgreSQL's own of the same names, and undoes that.
 * So it says what an old server, or one with another clock, says.
 */
async function withFunction<T>(definition: string, use: () => Promise<T>): Promise<T> {
  const { database } = suite.service;
  const { rows } = await sql<{ name: string }>`SELECT current_database() AS name`.execute(database);
  const onDatabase = (change: string) => CompiledQuery.raw(`ALTER DATABASE ${rows[0]?.name} ${change}`);
  await database.executeQuery(CompiledQuery.raw('CREATE SCHEMA doctor'));
  await database.executeQuery(CompiledQuery.raw(`CREATE FUNCTION doctor.${definition}`));
  await database.executeQuery(onDatabase('SET search_path = doctor, pg_catalog, public'));
  try {
    return await use();
  } finally {
    await database.executeQuery(onDatabase('RESET search_path'));
    await database.executeQuery(CompiledQuery.raw('DROP SCHEMA doctor CASCADE'));
  }
}

describe('in the database', () => {
  test('one that is away, and one that does not exist', async () => {
    const away = await examineWith({ DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/nothing' });
    expect(away).toEqual(['database: The database does not answer: connect ECONNREFUSED 127.0.0.1:1.']);
    const DATABASE_URL = addressOf(server.connection, { database: 'doctor_nowhere' });
    expect(await examineWith({ DATABASE_URL })).toEqual([expect.stringContaining('does not exist')]);
  });

  test('an encoding that holds few letters', async () => {
    const problems = await withDatabase("ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc", (DATABASE_URL) =>
      examineWith({ DATABASE_URL }),
    );
    expect(problems[0]).toContain('stores text as LATIN1');
  });

  test('a locale that folds English letters only', async () => {
    const problems = await withDatabase("ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER libc", (DATABASE_URL) =>
      examineWith({ DATABASE_URL }),
    );
    expect(problems[0]).toContain('English letters only');
  });

  test('a version that is too old', async () => {
    const old = `current_setting(text) RETURNS text LANGUAGE sql AS
      $$ SELECT CASE $1 WHEN 'server_version_num' THEN '140012' WHEN 'server_version' THEN '14.12'
        ELSE pg_catalog.current_setting($1) END $$`;
    expect(await withFunction(old, () => examineWith())).toEqual([
      expect.stringContaining('is PostgreSQL 14.12'),
    ]);
  });

  test.each(['+', '-'])('a clock that differs (%s an hour)', async (sign) => {
    const off = `clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
      $$ SELECT pg_catalog.clock_timestamp() ${sign} interval '1 hour' $$`;
    expect(await withFunction(off, () => examineWith())).toEqual([
      expect.stringMatching(/^clocks: .* differ by (3599|3600|3601) seconds/),
    ]);
  });

  test('a schema that is not there yet, and one of a newer version', async () => {
    const none = await withDatabase('', (DATABASE_URL) => examineWith({ DATABASE_URL }));
    expect(none).toEqual([expect.stringContaining('lacks 0001-initial')]);
    const { database } = suite.service;
    await sql`INSERT INTO kysely_migration VALUES ('9999-later', '')`.execute(database);
    expect(await examineWith()).toEqual([expect.stringContaining('has 9999-later')]);
    await sql`DELETE FROM kysely_migration WHERE name = '9999-later'`.execute(database);
  });

  test('a pool larger than the server’s connections, and than the role’s', async () => {
    expect(await examineWith({ DATABASE_POOL_SIZE: '1000' })).toEqual([
      expect.stringMatching(/^connections: .*max_connections leaves \d+ connections, .* up to 1005/),
    ]);
    const { database } = suite.service;
    const role = `doctor_${uuidv7().replaceAll('-', '')}`;
    const act = (statement: string) => database.executeQuery(CompiledQuery.raw(statement));
    await act(`CREATE ROLE ${role} LOGIN PASSWORD 'doctor' CONNECTION LIMIT 7`);
    await act(`GRANT pg_read_all_data TO ${role}`);
    const DATABASE_URL = addressOf(server.connection, { user: role, password: 'doctor' });
    expect(await examineWith({ DATABASE_URL })).toEqual([
      expect.stringContaining('limit of the role leaves 7 connections'),
    ]);
    await act(`DROP ROLE ${role}`);
  });

  test('jobs that nobody takes, and dead letters', async () => {
    const { database } = suite.service;
    for (const queue of ['import-file', 'give-up-import']) {
      // Far in the future for the workers that run here.
      await sql`
        INSERT INTO pgboss.job (id, name, created_on, start_after)
        VALUES (${uuidv7()}, ${queue}, now() - interval '10 minutes', now() + interval '1 day')`.execute(
        database,
      );
    }
    expect(await examineWith()).toEqual([
      expect.stringContaining('jobs: 1 imports were given up'),
      expect.stringContaining('jobs: 1 jobs of import-file wait, the oldest for 10 minutes'),
    ]);
    await sql`DELETE FROM pgboss.job WHERE start_after > now() + interval '1 hour'`.execute(database);
  });
});

describe('at the server’s address', () => {
  const anyPort = { host: '127.0.0.1', port: 0 };

  test('nobody, at the public address neither', async () => {
    const nobody = await listen(() => {}, anyPort);
    await drain(nobody.server, 0);
    expect(await examineWith({ PORT: new URL(nobody.address).port, BASE_URL: nobody.address }, true)).toEqual(
      [
        expect.stringContaining('server: No server answers'),
        expect.stringContaining('public address: Nothing answers'),
      ],
    );
  });

  test('somebody else', async () => {
    const { server: listening, address } = await listen(
      (_request, response) => response.end('<h1>It works!</h1>'),
      anyPort,
    );
    expect(await examineWith({ PORT: new URL(address).port, BASE_URL: address }, true)).toEqual([
      expect.stringContaining('server: Something else'),
      expect.stringContaining('public address: Something else'),
    ]);
    await drain(listening, 0);
  });

  test('a server that is about to end', async () => {
    const app = await createServiceApp(suite.service, AbortSignal.abort());
    const { server: listening, address } = await listen(app.callback(), anyPort);
    expect(await examineWith({ PORT: new URL(address).port }, true)).toEqual([
      expect.stringContaining('is not ready'),
    ]);
    await drain(listening, 0);
  });
});
