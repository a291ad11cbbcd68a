/** Addresses of PostgreSQL, as libpq and people write them. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { addressesOf } from '../database/connection/hosts.ts';
import { readConfig } from './config.ts';

const read = (address: string, environment = {}) =>
  readConfig({ DATABASE_URL: address, ...environment }).databaseUrl as string;

const targetOf = (address: string) => {
  const { host, port, user, database } = new pg.Client(read(address));
  return { host, port, user, database };
};

test.each([
  ['postgres://own@/d?host=/run/postgresql', { host: '/run/postgresql', database: 'd', user: 'own' }],
  ['postgresql://own:pw@/d?host=/run/postgresql&port=5433', { host: '/run/postgresql', port: 5433 }],
  ['postgres:///d?host=/run/postgresql&user=own', { host: '/run/postgresql', database: 'd', user: 'own' }],
  ['postgres://own@%2Frun%2Fpostgresql/d', { host: '/run/postgresql', database: 'd' }],
  ['postgres://own:pw@[::1]:5433/d', { host: '::1', port: 5433 }],
  ['postgres://own@db.example.org', { host: 'db.example.org', database: 'own' }],
  ['postgres://own:p%40%3A%2F%25%23%3F%26%3D@db/d', { host: 'db', user: 'own', database: 'd' }],
])('%s', (address, target) => {
  expect(targetOf(address)).toMatchObject(target);
});

/** The hosts to which connections lead in turn, and what they have to be. */
const hostsOf = (address: string, name = 'DATABASE_URL') => {
  const { databaseUrl, databaseReadUrl } = readConfig({ DATABASE_URL: address, [name]: address });
  const read = (name === 'DATABASE_URL' ? databaseUrl : databaseReadUrl) as string;
  const hosts = addressesOf(read).map((each) => {
    const { host, port, database, user } = new pg.Client(each);
    return `${user}@${host}:${port}/${database}`;
  });
  return [...hosts, new URL(read).searchParams.get('target_session_attrs')];
};

test.each([
  ['postgres://own:p%2Css@a,b/d', ['own@a:5432/d', 'own@b:5432/d', 'primary']],
  [
    'postgres://own@a:5433,b:5434/d?target_session_attrs=read-write',
    ['own@a:5433/d', 'own@b:5434/d', 'read-write'],
  ],
  ['postgres://own@a,b:5434,c/d', ['own@a:5432/d', 'own@b:5434/d', 'own@c:5432/d', 'primary']],
  ['postgres://own@a,b/d?port=5433', ['own@a:5433/d', 'own@b:5433/d', 'primary']],
  ['postgres://own@[::1]:5433,[fe80::1]/d', ['own@::1:5433/d', 'own@fe80::1:5432/d', 'primary']],
  ['postgres://own@/d?host=/run/a,/run/b&port=1,2', ['own@/run/a:1/d', 'own@/run/b:2/d', 'primary']],
  ['postgres://own@%2Frun%2Fa,b/d', ['own@/run/a:5432/d', 'own@b:5432/d', 'primary']],
  ['postgres:///?host=a,b&user=own&dbname=d', ['own@a:5432/d', 'own@b:5432/d', 'primary']],
  ['postgres://own@c/d?host=a,b&target_session_attrs=any', ['own@a:5432/d', 'own@b:5432/d', 'any']],
  ['postgres://own@a,b?dbname=d', ['own@a:5432/d', 'own@b:5432/d', 'primary']],
  ['postgres://own@a, b/d', ['own@a:5432/d', 'own@b:5432/d', 'primary']],
  ['postgres://own@db?dbname=d%20e', ['own@db:5432/d e', null]],
  ['postgres://own@db/d?hostaddr=10.0.0.1', ['own@10.0.0.1:5432/d', null]],
])('%s', (address, hosts) => {
  expect(hostsOf(address)).toEqual(hosts);
});

test('of several hosts of DATABASE_READ_URL, a standby is meant', () => {
  expect(hostsOf('postgres://own@a,b/d', 'DATABASE_READ_URL')).toEqual([
    'own@a:5432/d',
    'own@b:5432/d',
    'standby',
  ]);
});

const tlsOf = (address: string, environment = {}) => {
  const { ssl } = new pg.Client(read(address, environment)) as { ssl: unknown };
  if (typeof ssl !== 'object' || ssl === null) return ssl;
  const { rejectUnauthorized = true, checkServerIdentity } = ssl as Record<string, unknown>;
  return { verifies: rejectUnauthorized, verifiesName: checkServerIdentity === undefined };
};
const CERTIFICATE = new URL('../../package.json', import.meta.url).pathname; // any file that can be read

test.each([
  ['disable', false],
  ['allow', false],
  ['prefer', { verifies: false }],
  ['require', { verifies: false }],
  ['no-verify', { verifies: false }],
  ['verify-full', { verifies: true, verifiesName: true }],
  [`verify-ca&sslrootcert=${CERTIFICATE}`, { verifies: true, verifiesName: false }],
  [`require&sslrootcert=${CERTIFICATE}`, { verifies: true, verifiesName: false }],
  [`verify-full&sslrootcert=${CERTIFICATE}`, { verifies: true, verifiesName: true }],
  ['verify-full&sslrootcert=system', { verifies: true, verifiesName: true }],
])('sslmode=%s is what it is for libpq', (mode, tls) => {
  const found = tlsOf(`postgres://own@db/d?sslmode=${mode}`);
  if (typeof tls === 'object') expect(found).toMatchObject(tls);
  else expect(found).toBe(tls);
});

test('ssl=false is no TLS', () => {
  expect(tlsOf('postgres://own@db/d?ssl=false')).toBe(false);
  expect(tlsOf('postgres://own@db/d?ssl=true')).toBe(true);
});

const sslOf = (address: string) => (new pg.Client(address) as unknown as { ssl: unknown }).ssl;

test('at a socket the parameters of TLS do nothing, as for libpq', () => {
  const several = read(`postgres://own@/d?host=/run/a,db&sslmode=verify-full&sslrootcert=${CERTIFICATE}`);
  expect(addressesOf(several).map(sslOf)).toEqual([false, expect.any(Object)]);
  expect(addressesOf(read('postgres://own@%2Frun%2Fa/d?sslmode=require')).map(sslOf)).toEqual([false]);
});

test.each([
  ['postgres:///d', { PGHOST: 'a,b' }, { host: 'a,b' }],
  ['postgres://own@db/d', { PGHOST: 'a' }, { host: null }],
  ['postgres://own@/d?host=db', { PGHOST: 'a' }, { host: 'db' }],
  ['postgres://own@db/d?sslmode=verify-ca', { PGSSLROOTCERT: '/x' }, { sslrootcert: '/x' }],
  ['postgres://own@db/d', { PGSSLROOTCERT: '/x' }, { sslrootcert: null, sslmode: null }],
  ['postgres://own@db/d?sslmode=disable', { PGSSLROOTCERT: '/x' }, { sslrootcert: null }],
  ['postgres://own@db/d?sslmode=disable', { PGSSLMODE: 'require' }, { sslmode: 'disable' }],
  ['postgres://own@db/d', { PGCHANNELBINDING: 'require' }, { channel_binding: 'require' }],
  ['postgres://own@db/d', { PGTARGETSESSIONATTRS: 'standby' }, { target_session_attrs: null }],
])('what %s leaves open, variables of libpq say: %o', (address, environment, parameters) => {
  const { searchParams } = new URL(read(address, environment));
  for (const [name, value] of Object.entries(parameters))
    expect([name, searchParams.get(name)]).toEqual([name, value]);
});

test.each([
  { PGSSLMODE: 'always' },
  { PGSSLMODE: 'verify-ca' },
  { PGCHANNELBINDING: 'always' },
  { PGGSSENCMODE: 'require' },
  { PGREQUIREAUTH: 'scram-sha-256' },
  { PGSSLCRL: '/x' },
])('a variable that cannot be heeded is refused, and named: %o', (environment) => {
  const [name] = Object.keys(environment);
  expect(() => read('postgres://own:hunter2@db/d', environment)).toThrow(
    new RegExp(`DATABASE_URL: must .*; the rest comes from ${name}`),
  );
});

test('PGSSLMODE and PGSSLROOTCERT hold for an address that says nothing of TLS', () => {
  const verifyCa = { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: CERTIFICATE };
  expect(tlsOf('postgres://own@db/d', verifyCa)).toEqual({ verifies: true, verifiesName: false });
  expect(tlsOf('postgres://own@db/d', { PGSSLMODE: 'require' })).toMatchObject({ verifies: false });
  expect(tlsOf('postgres://own@db/d?sslmode=disable', verifyCa)).toBe(false);
});

test.each([
  ['postgres://own:p#ss@127.0.0.1/d', '# as %23'],
  ['postgres://own:12#34@127.0.0.1/d', '# as %23'],
  ['postgres://own:p/ss@127.0.0.1/d', '/ as %2F'],
  ['postgres://own:1/2@127.0.0.1/d', '/ as %2F'],
  ['postgres://own:p?ss@127.0.0.1/d', '? as %3F'],
  ['postgres://own:1?2@127.0.0.1/d', '? as %3F'],
  ['postgres://own:p[s]@/x@127.0.0.1/d', '@ as %40'],
  ['"postgres://own:hunter2@127.0.0.1/d"', 'without quotes'],
  ['jdbc:postgresql://127.0.0.1/d', 'without jdbc:'],
  ['postgresql+psycopg2://own:hunter2@127.0.0.1/d', 'without a driver'],
  ['host=127.0.0.1 dbname=d password=hunter2', 'not a list of key=value'],
  ['mysql://own:hunter2@127.0.0.1/d', 'postgres://USER:PASSWORD@HOST:5432/DATABASE'],
  ['127.0.0.1/d', 'postgres://USER:PASSWORD@HOST:5432/DATABASE'],
  [
    'postgres://own:hunter2@a,b/d?target_session_attrs=standby',
    'target_session_attrs of primary, read-write',
  ],
  ['postgres://own:hunter2@a,b/d?target_session_attrs=master', 'target_session_attrs of primary, read-write'],
  ['postgres://own:hunter2@a,b,c/d?port=5432,5433', 'one port, or one for each of its 3 hosts'],
  ['postgres://own:hunter2@a:x,b/d', 'numbers from 1 to 65535 as its ports'],
  ['postgres://own:hunter2@a:5432,b:70000/d', 'numbers from 1 to 65535 as its ports'],
  ['postgres://own:hunter2@a:0/d', 'numbers from 1 to 65535 as its ports'],
  ['postgres://own:hunter2@a/d?port=0', 'numbers from 1 to 65535 as its ports'],
  ['postgres://own:hunter2@db/d?channel_binding=always', 'channel_binding of disable, prefer, require'],
  ['postgres://own:hunter2@db/d?ssl=yes', 'must have sslmode instead of ssl'],
  ['postgres://own:hunter2%E4@db/d', 'encoded as UTF-8, such as ä as %C3%A4'],
  ['postgres://own:hunter2@/d?service=main', 'must not have service'],
  ['postgres://own:hunter2@db/d?sslcrl=/etc/crl', 'must not have sslcrl'],
  ['postgres://own:hunter2@db/d?requiressl=1', 'must not have requiressl'],
  ['postgres://own:hunter2@db/d?gssencmode=require', 'must not have gssencmode=require'],
  ['postgres://own:hunter2@db/d?SSLMODE=require', 'must have sslmode instead of SSLMODE'],
  ['postgres://own:hunter2@db/d?tls=true', 'must have sslmode instead of tls'],
  ['postgres://own:hunter2@db/d?hostaddr=10.0.0.1&sslmode=verify-full', 'without hostaddr'],
  ['postgres://own:p,ss#1@127.0.0.1/d', '# as %23'],
  ['postgres://own:hunter2@db/d?sslmode=on', 'sslmode of disable, allow, prefer'],
  ['postgres://own:hunter2@db/d?sslmode=verify-ca', 'sslrootcert=FILE'],
  ['postgres://own:hunter2@127.0.0.1:54321x/d', 'postgres://USER:PASSWORD@HOST:5432/DATABASE'],
])('%s is refused with the right form, and without the password', (address, wanted) => {
  expect(() => read(address)).toThrow(wanted);
  expect(() => read(address)).not.toThrow(/hunter2/);
});
