/** The doctor reports each fault of a deployment with its remedy, and nothing else. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { NIL, v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEmptyDatabase } from '../../database/testing/test-database.ts';
import { startS3Server } from '../../files/testing/s3-server.ts';
import { drain, listen } from '../../http/server/server.ts';
import { apiKeyFile, uploadSecretFile } from '../../serve/secrets/secret-files.ts';
import { createServiceApp } from '../../serve/service-app.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { addressOf, startHealthyDeployment } from '../testing/healthy-deployment.ts';
import { checkDataDirectory } from './check-machine.ts';
import { examine } from './doctor.ts';

let deployment: Awaited<ReturnType<typeof startHealthyDeployment>>;
beforeAll(async () => {
  deployment = await startHealthyDeployment();
});
afterAll(() => deployment.close());

test('reports no problem of a running service', async () => {
  expect(await deployment.examineWith({}, { server: true, files: true })).toEqual([]);
});

test('names the word vectors where they are on, and has no problem with their tables', async () => {
  const parts = [];
  const environment = {
    DATA_DIR: join(tmpdir(), `knowledge-retrieval-doctor-${uuidv7()}`),
    WORD_VECTORS: 'on',
  };
  for await (const { part, problems } of examine({ environment, server: false, files: false }))
    if (part.includes('WORD_VECTORS')) parts.push({ part, problems });
  expect(parts).toEqual([{ part: 'word vectors (WORD_VECTORS is on)', problems: [] }]);
});

test('before the first start it warns of the missing database, and creates nothing', async () => {
  const DATA_DIR = join(tmpdir(), `knowledge-retrieval-doctor-${uuidv7()}`);
  expect(await deployment.examineWith({ DATABASE_URL: '', DATA_DIR })).toEqual([
    expect.stringContaining(`database: There is no database in DATA_DIR (${DATA_DIR}) yet`),
  ]);
  await expect(readFile(DATA_DIR)).rejects.toThrow('ENOENT');
});

test('reports all wrong settings, without their values', async () => {
  const problems = await deployment.examineWith({ PORT: 'hunter2', UPLOAD_SECRET: 'hunter2' });
  expect(problems).toEqual([
    expect.stringContaining('settings: PORT'),
    expect.stringContaining('settings: UPLOAD_SECRET'),
  ]);
  expect(problems.join()).not.toContain('hunter2');
});

test('warns of a variable that resembles a setting: it may belong to another program', async () => {
  expect(await deployment.examineWith({ RATE_LIMIT: '5', LOGNAME: 'root' })).toEqual([
    'warning of settings: RATE_LIMIT is no setting and changes nothing: did you mean RATE_LIMIT_PER_MINUTE?',
  ]);
});

test.each([
  ['http://0.0.0.0:8080', '', 'to which clients cannot connect'],
  ['http://localhost:8080', '0.0.0.0', 'send their uploads to themselves'],
])('reports the BASE_URL %s', async (BASE_URL, HOST, problem) => {
  expect(await deployment.examineWith({ BASE_URL, HOST })).toEqual([expect.stringContaining(problem)]);
});

describe('on disk', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-doctor-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('reports a data directory that is a file, or below one', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    for (const DATA_DIR of [file, join(file, 'below')])
      expect(await deployment.examineWith({ DATA_DIR })).toEqual([
        `data directory: DATA_DIR (${DATA_DIR}) cannot be used: ${file} is not a directory.`,
      ]);
  });

  test('reports a data directory that not even root can write to', async () => {
    for (const DATA_DIR of ['/proc', '/proc/x'])
      expect((await deployment.examineWith({ DATA_DIR }))[0]).toContain(
        `data directory: DATA_DIR (${DATA_DIR}) cannot be used: `,
      );
  });

  test('reports a disk that is nearly full', async () => {
    const problems = await checkDataDirectory(deployment.service.config, { minFreeBytes: Infinity });
    expect(problems).toEqual([
      expect.objectContaining({ problem: expect.stringMatching(/^Only \d+ MiB are free/) }),
    ]);
  });

  test('reports secrets that other users may read, and an incomplete one', async () => {
    const path = uploadSecretFile(deployment.service.config);
    const secret = await readFile(path);
    await chmod(path, 0o644);
    expect(await deployment.examineWith()).toEqual([`secrets: Other users may read the secret in ${path}.`]);
    await chmod(path, 0o600);
    await writeFile(path, 'half');
    expect(await deployment.examineWith()).toEqual([
      expect.stringContaining('holds no secret, or half of one'),
    ]);
    await writeFile(path, secret);
    expect(await deployment.examineWith()).toEqual([]);
  });

  test('warns of a stored key and a BOOTSTRAP_API_KEY that are not valid', async () => {
    const file = apiKeyFile(deployment.service.config);
    const key = await readFile(file, 'utf8');
    const { database } = deployment.service;
    const revoke = (time: string) => sql`UPDATE api_keys SET revoked_at = ${sql.raw(time)}`.execute(database);
    await revoke('now()');
    expect(await deployment.examineWith({ BOOTSTRAP_API_KEY: key.trim() })).toEqual([
      'warning of API key: The API key in BOOTSTRAP_API_KEY opens nothing: it was revoked.',
      `warning of API key: The API key in ${file} opens nothing: it was revoked.`,
    ]);
    await revoke('NULL');
    await writeFile(file, '');
    expect(await deployment.examineWith({ BOOTSTRAP_API_KEY: generateApiKey() })).toEqual([
      `warning of API key: ${file} holds no API key that can be read.`,
    ]);
    await writeFile(file, key);
    expect(await deployment.examineWith()).toEqual([]);
  });

  test('reports a file store that cannot be written to', async () => {
    const DATA_DIR = join(directory, 'broken');
    await mkdir(DATA_DIR);
    await writeFile(join(DATA_DIR, 'files'), '');
    expect(await deployment.examineWith({ DATA_DIR })).toEqual([
      expect.stringMatching(/^files of this database: This could not be checked/),
      expect.stringMatching(/^files: /),
    ]);
  });

  test('reports a data directory of its own, without the files of the database, and creates none', async () => {
    const DATA_DIR = join(directory, 'own');
    const knowledgeBase = await deployment.call('createKnowledgeBase', { name: 'files' });
    const { id } = knowledgeBase.body.data;
    const upload = { knowledgeBaseId: id, fileName: 'a.txt', size: 1 };
    const ticket = await deployment.call('presignUploadUrl', upload);
    await fetch(String(ticket.body.data.uploadUrl), { method: 'PUT', body: 'a' });
    expect(await deployment.examineWith({ DATA_DIR })).toEqual([
      `files of this database: The files in ${DATA_DIR}/files are not those of this database: ` +
        'of 1 that were looked up, 1 are missing there.',
    ]);
    expect(existsSync(DATA_DIR)).toBe(false);
    expect(await deployment.examineWith()).toEqual([]);
    await deployment.call('deleteKnowledgeBase', { knowledgeBaseId: id });
  });
});

describe('an S3 store', () => {
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

  test('a working store is unchanged after the check', async () => {
    expect(await deployment.examineWith(settings())).toEqual([]);
    expect(store.objects.size).toBe(0);
  });

  test('reports a store that does not answer, and one that refuses the credentials', async () => {
    const gone = { ...settings(), S3_ENDPOINT: 'http://127.0.0.1:1' };
    expect(await deployment.examineWith(gone)).toEqual([
      expect.stringMatching(/^files of this database: This could not be checked: .*ECONNREFUSED/),
      expect.stringMatching(/^files: .*ECONNREFUSED/),
    ]);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    expect(await deployment.examineWith(settings())).toEqual([
      expect.stringMatching(/^files of this database: This could not be checked/),
      expect.stringMatching(/^files: The file store does not/),
    ]);
  });
});

test('reports dead letters, and waiting jobs of a queue without progress', async () => {
  const { database } = deployment.service;
  const deadLetters = expect.stringContaining('jobs: 1 imports failed at every try');
  for (const queue of ['import-file', 'give-up-import']) {
    // Starts far in the future, so that running workers do not take it.
    await sql`
      INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, created_at, due_at)
      VALUES (${queue}, ${NIL}, ${uuidv7()}, ${uuidv7()}, now() - interval '10 minutes',
        now() + interval '1 day')`.execute(database);
  }
  const other = uuidv7();
  const change = (columns: string) =>
    sql`UPDATE knowledge_jobs SET ${sql.raw(columns)} WHERE id = ${other}`.execute(database);
  await sql`
    INSERT INTO knowledge_jobs (id, queue, account_id, knowledge_base_id, document_id, tries, created_at, due_at,
      started_at, ended_at)
    VALUES (${other}, 'import-file', ${NIL}, ${NIL}, ${other}, 1, now(), now() + interval '1 day',
      now() - interval '10 minutes', now())`.execute(database);
  expect(await deployment.examineWith()).toEqual([deadLetters]);
  await change('started_at = now(), ended_at = NULL');
  expect(await deployment.examineWith()).toEqual([deadLetters]);
  // A failing job begins again and again, while all others wait.
  for (const stuck of ['tries = 2', `tries = 1, started_at = now() - interval '10 minutes'`]) {
    await change(stuck);
    expect(await deployment.examineWith()).toEqual([
      deadLetters,
      expect.stringContaining('jobs: 1 jobs of import-file wait, the oldest for 10 minutes'),
    ]);
  }
  await sql`DELETE FROM knowledge_jobs WHERE due_at > now() + interval '1 hour'`.execute(database);
});

describe('at the server’s address', () => {
  const anyPort = { host: '127.0.0.1', port: 0 };

  test('reports that no server answers, there or at the public address', async () => {
    const nobody = await listen(() => {}, anyPort);
    await drain(nobody.server, 0);
    expect(
      await deployment.examineWith(
        { PORT: new URL(nobody.address).port, BASE_URL: nobody.address },
        { server: true },
      ),
    ).toEqual([
      expect.stringContaining('server: No server answers'),
      expect.stringContaining('public address: No server answers'),
    ]);
    // Nothing has named a port: the default one would mislead.
    expect(await deployment.examineWith({ HOST: '127.77.0.1', PORT: '' }, { server: true })).toEqual([
      expect.stringContaining('server: No server runs on DATA_DIR ('),
    ]);
  });

  test('reports another program', async () => {
    const { server: listening, address } = await listen(
      (_request, response) => response.end('<h1>It works!</h1>'),
      anyPort,
    );
    expect(
      await deployment.examineWith({ PORT: new URL(address).port, BASE_URL: address }, { server: true }),
    ).toEqual([
      expect.stringContaining('server: Another program'),
      expect.stringContaining('public address: Another program'),
    ]);
    await drain(listening, 0);
  });

  test('reports a server of another deployment, after a mistyped DATA_DIR, database or secret', async () => {
    const { connection, drop } = await createEmptyDatabase();
    const never = join(tmpdir(), `knowledge-retrieval-doctor-${uuidv7()}`);
    const changes: Record<string, string>[] = [
      { DATABASE_URL: '', DATA_DIR: never },
      { DATABASE_URL: addressOf(connection) },
      { UPLOAD_SECRET: 's'.repeat(32) },
    ];
    for (const change of changes)
      expect((await deployment.examineWith(change, { server: true })).at(-1)).toContain(
        'runs with other settings',
      );
    await drop();
  });

  test('warns of a server of another version, such as one that was not restarted after an upgrade', async () => {
    const app = await createServiceApp(deployment.service, new AbortController().signal);
    const { server: listening, address } = await listen((request, response) => {
      if (request.url === '/') response.end('{"success": true, "data": {"version": "0.0.1"}}');
      else app(request, response);
    }, anyPort);
    const settings = { PORT: new URL(address).port, BASE_URL: '' };
    expect(await deployment.examineWith(settings, { server: true })).toEqual([
      expect.stringMatching(
        /^warning of server: The server at .* is version 0\.0\.1, and this command is version /,
      ),
    ]);
    await drain(listening, 0);
  });

  test('reports a server that is stopping', async () => {
    const app = await createServiceApp(deployment.service, AbortSignal.abort());
    const { server: listening, address } = await listen(app, anyPort);
    expect(await deployment.examineWith({ PORT: new URL(address).port }, { server: true })).toEqual([
      expect.stringContaining('is not ready'),
    ]);
    await drain(listening, 0);
  });
});
