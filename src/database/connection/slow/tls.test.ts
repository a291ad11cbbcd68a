/**
 * Connections to a PostgreSQL with TLS: each sslmode does what it does for libpq, and a refusal says what to change.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../../config/config.ts';
import { findPrograms } from '../../../embedded-postgres/embedded-postgres-insides.ts';
import { startPlainPostgres } from '../../../embedded-postgres/testing/plain-postgres.ts';
import { createDatabase } from '../database.ts';
import { createPool } from '../pool.ts';
import { requireUsableDatabase } from '../usable-database.ts';

let folder: string;
let postgres: Awaited<ReturnType<typeof startPlainPostgres>>;

const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
const fileOf = (name: string): string => join(folder, name);

/** Makes an authority: `NAME.crt`. */
const makeAuthority = (name: string) =>
  openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
    ...['-keyout', `${name}.key`, '-out', `${name}.crt`],
  );

/** Makes a certificate by the authority `own`: `NAME.crt`, for a host or a user. */
function makeCertificate(name: string, subject: string): void {
  const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${subject}`];
  openssl(...request, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  writeFileSync(fileOf('names'), `subjectAltName=DNS:${subject}`);
  const sign = ['x509', '-req', '-days', '2', '-CA', 'own.crt', '-CAkey', 'own.key', '-CAcreateserial'];
  openssl(...sign, '-in', `${name}.csr`, '-out', `${name}.crt`, '-extfile', 'names');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  makeAuthority('own');
  makeAuthority('other');
  makeCertificate('server', 'localhost');
  makeCertificate('client', 'postgres');
  makeCertificate('stranger', 'somebody');
  const text = (name: string) => readFileSync(fileOf(name), 'utf8');
  postgres = await startPlainPostgres(dirname(findPrograms().postgres), {
    settings: { ssl: 'on', ssl_ca_file: 'own.crt' },
    files: { 'own.crt': text('own.crt'), 'server.crt': text('server.crt'), 'server.key': text('server.key') },
    // Whoever asks for the database template1 needs a certificate.
    hba: [
      'hostssl template1 all all cert',
      'hostssl all bound all scram-sha-256',
      'hostssl all plain all password',
      'hostssl all all all trust',
    ].join('\n'),
  });
  const administrator = new pg.Client({ connectionString: postgres.url, ssl: { rejectUnauthorized: false } });
  await administrator.connect();
  for (const role of ['bound', 'plain']) await administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`);
  await administrator.end();
});
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true });
});

/** Connects as the service does. `encrypted`: as the server says. @throws the sentence for the operator */
async function connect(
  parameters: string,
  { host = 'localhost', database = 'postgres', user = 'postgres', environment = {} } = {},
) {
  const address = `postgres://${user}:pw@${host}:${postgres.port}/${database}?${parameters.replaceAll('DIR', folder)}`;
  const { databaseUrl } = readConfig({ DATABASE_URL: address, ...environment });
  const opened = createDatabase(createPool({ connectionString: databaseUrl as string }, 2, () => {}));
  try {
    await requireUsableDatabase(opened);
    const { rows } = await sql<{ encrypted: boolean }>`
      SELECT ssl AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(opened);
    return rows[0];
  } finally {
    await opened.destroy();
  }
}

test.each([
  ['sslmode=prefer', {}],
  ['sslmode=require', {}],
  ['sslmode=require', { host: '127.0.0.1' }],
  ['sslmode=verify-ca&sslrootcert=DIR/own.crt', {}],
  ['sslmode=verify-ca&sslrootcert=DIR/own.crt', { host: '127.0.0.1' }],
  ['sslmode=verify-full&sslrootcert=DIR/own.crt', {}],
  ['sslmode=require&sslcert=DIR/client.crt&sslkey=DIR/client.key', { database: 'template1' }],
  [
    'sslmode=verify-full&sslrootcert=DIR/own.crt&sslcert=DIR/client.crt&sslkey=DIR/client.key',
    { database: 'template1' },
  ],
  ['sslmode=require&channel_binding=require', { user: 'bound' }],
  ['sslmode=require&channel_binding=require&target_session_attrs=primary', { user: 'bound' }],
  ['sslmode=require&channel_binding=prefer', { user: 'plain' }],
])('%s %j connects, encrypted', async (parameters, where) => {
  expect(await connect(parameters, where)).toEqual({ encrypted: true });
});

test('the variables of libpq name mode, authority, certificate and key', async () => {
  const files = {
    PGSSLROOTCERT: fileOf('own.crt'),
    PGSSLCERT: fileOf('client.crt'),
    PGSSLKEY: fileOf('client.key'),
  };
  const environment = { PGSSLMODE: 'verify-full', ...files };
  expect(await connect('', { database: 'template1', environment })).toEqual({ encrypted: true });
});

test.each([
  ['sslmode=disable', {}, /refuses the connection|with encryption only.* Add sslmode=require/],
  ['sslmode=verify-full', {}, /certificate that can be trusted: .*Add sslrootcert=FILE/],
  [
    'sslmode=verify-ca&sslrootcert=DIR/other.crt',
    {},
    /certificate that can be trusted: .*Add sslrootcert=FILE/,
  ],
  [
    'sslmode=require&sslrootcert=DIR/other.crt',
    {},
    /certificate that can be trusted: .*Add sslrootcert=FILE/,
  ],
  [
    'sslmode=verify-full&sslrootcert=DIR/own.crt',
    { host: '127.0.0.1' },
    /Set the host .* that the certificate names/,
  ],
  [
    'sslmode=verify-ca&sslrootcert=DIR/none.crt',
    {},
    /cannot be read: \S+none\.crt \(ENOENT\)\. Set the right path/,
  ],
  [
    'sslmode=require',
    { database: 'template1' },
    /asks for a certificate of this user.*sslcert=FILE&sslkey=FILE/,
  ],
  [
    'sslmode=require&sslcert=DIR/stranger.crt&sslkey=DIR/stranger.key',
    { database: 'template1' },
    /asks for a certificate of this user.*common name is the user/,
  ],
  ['sslmode=require&channel_binding=require', {}, /not bound to TLS.*or remove channel_binding/],
  ['sslmode=require&channel_binding=require', { user: 'plain' }, /not bound to TLS/],
  [
    'sslmode=require&sslcert=DIR/client.crt&sslkey=DIR/stranger.key',
    { database: 'template1' },
    /certificate or key that DATABASE_URL names cannot be used.*sslkey its own key/,
  ],
])('%s %j is refused, with the remedy', async (parameters, where, sentence) => {
  await expect(connect(parameters, where)).rejects.toThrow(sentence);
});
