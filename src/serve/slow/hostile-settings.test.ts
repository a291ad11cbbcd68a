/** Whatever a role or a database sets for other programs, the service works as by default. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { backUp } from '../../admin/backup/back-up.ts';
import { restore } from '../../admin/backup/restore.ts';
import { addressOf } from '../../admin/testing/healthy-deployment.ts';
import { readConfig } from '../../config/config.ts';
import { checkContract } from '../../contract-check/check-contract.ts';
import { FIXED_SETTINGS, SINCE, USUAL_SETTINGS } from '../../database/connection/fixed-settings.ts';
import { connectIn } from '../../database/connection/hosts.ts';
import { type Connection, createPool } from '../../database/connection/pool.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createEmptyDatabase, createMigratedDatabase } from '../../database/testing/test-database.ts';
import { startTestService } from '../testing/test-service.ts';

/** A value of each setting that our statements would not get along with, or that would slow them down. */
const HOSTILE: Record<string, string> = {
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  datestyle: 'SQL, DMY', // a list
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kathmandu',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  default_text_search_config: 'pg_catalog.german',
  row_security: 'off',
  gin_fuzzy_search_limit: '1',
  default_table_access_method: 'heap',
  exit_on_error: 'on',
  client_min_messages: 'debug5',
  statement_timeout: '5ms',
  lock_timeout: '1ms',
  idle_session_timeout: '50ms',
  transaction_timeout: '100ms',
  from_collapse_limit: '1',
  join_collapse_limit: '1',
  geqo: 'on',
  geqo_threshold: '2',
  jit: 'on',
  ...Object.fromEntries(
    Object.keys(USUAL_SETTINGS)
      .filter((name) => name.startsWith('enable_'))
      .map((name) => [name, 'off']),
  ),
};

/** Further ones, that the service bears without a setting of its own. */
const BORNE: Record<string, string> = {
  search_path: "''",
  client_encoding: 'LATIN1',
  idle_in_transaction_session_timeout: '100ms',
  plan_cache_mode: 'force_custom_plan',
  max_parallel_workers_per_gather: '8',
  synchronous_commit: 'off',
  xmloption: 'document',
  lc_numeric: "'C'",
  work_mem: '64kB',
  default_statistics_target: '1',
  check_function_bodies: 'off',
  escape_string_warning: 'on',
  default_toast_compression: 'pglz',
  random_page_cost: '1000',
  parallel_setup_cost: '0',
  parallel_tuple_cost: '0',
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-settings-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs statements on a connection that knows nothing of ours. */
async function administer(connection: Connection, ...statements: string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: addressOf(connection) });
  await client.connect();
  const results: pg.QueryResult[] = [];
  for (const statement of statements) results.push(await client.query(statement));
  await client.end();
  return results;
}

/** A database with these settings, as far as its PostgreSQL has them. */
async function createHostile(settings: Record<string, string>, create = createEmptyDatabase) {
  const { connection, drop } = await create();
  const [named] = await administer(
    connection,
    `SELECT current_database() AS name, current_setting('server_version_num')::int AS version`,
  );
  const { name, version } = named?.rows[0] ?? {};
  const known = Object.entries(settings).filter(([setting]) => version >= (SINCE[setting] ?? 0));
  await administer(
    connection,
    known
      .map(
        ([setting, value]) =>
          `ALTER DATABASE ${name} SET ${setting} = ${/^'|,/.test(value) ? value : pg.escapeLiteral(value)}`,
      )
      .join(';'),
  );
  return { connection: { connectionString: addressOf(connection) }, drop };
}

test('each setting that we make has its hostile value', () => {
  expect(Object.keys(HOSTILE).toSorted()).toEqual(
    Object.keys({ ...FIXED_SETTINGS, ...USUAL_SETTINGS }).toSorted(),
  );
});

test('with all of them at once the contract holds, and a backup is restored', async () => {
  const { connection, drop } = await createHostile({ ...BORNE, ...HOSTILE });
  const suite = await startTestService({ connection });
  const printed: string[] = [];
  const print = (lines: string) => void printed.push(lines);
  const { address, apiKey } = suite;
  const code = await checkContract({ address, apiKey }, { timeoutSeconds: 120, print, note: print });
  expect([code, ...(code === 0 ? [] : printed)]).toEqual([0]);

  const configOf = ({ connectionString }: { connectionString: string }, dataDir: string) =>
    readConfig({ DATABASE_URL: connectionString, DATA_DIR: dataDir });
  const backup = await backUp(configOf(connection, suite.service.config.dataDir), `${directory}/`, () => {});
  const target = await createHostile({ ...BORNE, ...HOSTILE });
  expect(await restore(configOf(target.connection, join(directory, 'restored')), backup, () => {})).toBe(0);
  await target.drop();
  await suite.close();
  await drop();
});

/** Uses what a setting can reach: styles of values, the case of letters, several imports and queries at once. */
async function useService(
  settings: Record<string, string>,
  create: typeof createEmptyDatabase = createMigratedDatabase,
): Promise<void> {
  const { connection, drop } = await createHostile(settings, create);
  const suite = await startTestService({ connection });
  const call = async (operation: string, body?: unknown) => {
    const answer = await suite.call(operation, body);
    expect([operation, answer.status, answer.body.message]).toEqual([operation, 200, undefined]);
    return answer.body.data;
  };
  try {
    const { id: knowledgeBaseId } = await call('createKnowledgeBase', { name: 'Größe' });
    const text = { knowledgeBaseId, title: 'INVOICE ÜBER', content: 'The café opens at nine, on 5.3.2024.' };
    await Promise.all(Array.from({ length: 8 }, () => call('importTextContent', text)));
    await call('importTextContent', { ...text, externalId: 'a', ifUnchanged: 'skip' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call('query', { query: 'cafe opens', filter: undefined })),
    );
    for (const answer of answers) expect(answer).toHaveLength(9);
    const listed = await call(
      `listDocuments?knowledgeBaseId=${knowledgeBaseId}&titleContains=invoice%20%C3%BCber`,
    );
    expect(listed).toHaveLength(9);
    await call('listKnowledgeBases');
  } finally {
    await suite.close();
    await drop();
  }
}

/**
 * The settings, by how they do harm: settings of a group do not hide each other's harm. Time-outs each have a group,
 * since a shorter one ends what a longer one would. Plans are together, too: each way that is turned off leaves others.
 */
const isTimeout = (name: string): boolean => name.endsWith('_timeout');
const isOfPlans = (name: string): boolean =>
  /^(enable_|geqo|jit|\w+_limit$|\w+_cost$)|^plan_|parallel/.test(name);

const ALL = Object.entries({ ...HOSTILE, ...BORNE });
const GROUPS: [string, [string, string][]][] = [
  ...ALL.filter(([name]) => isTimeout(name)).map((each): [string, [string, string][]] => [each[0], [each]]),
  ['plans', ALL.filter(([name]) => isOfPlans(name) && !isTimeout(name))],
  ['isolation', ALL.filter(([name]) => name.startsWith('default_transaction_'))],
  [
    'values and syntax',
    ALL.filter(([name]) => !isTimeout(name) && !isOfPlans(name) && !name.startsWith('default_transaction_')),
  ],
];

test('each setting is in one group', () => {
  const names = GROUPS.flatMap(([, settings]) => settings.map(([name]) => name));
  expect(names.toSorted()).toEqual(ALL.map(([name]) => name).toSorted());
});

/** The settings of a group that do harm alone. Only a group that fails is tried so. */
async function findHarmful(settings: [string, string][]): Promise<string[]> {
  const harmful: string[] = [];
  for (const [name, value] of settings)
    await useService({ [name]: value }).catch((error) =>
      harmful.push(`${name} = ${value}: ${error.message}`),
    );
  return harmful;
}

test.for(GROUPS)('%s', { timeout: 600_000 }, async ([, settings]) => {
  const error = await useService(Object.fromEntries(settings)).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (error === undefined) return;
  expect({ together: error, alone: await findHarmful(settings) }).toEqual({});
});

/** A database whose own collation takes I for the capital of ı. */
async function createTurkish(): ReturnType<typeof createEmptyDatabase> {
  const server = inject('connection');
  const name = `turkish_${uuidv7().replaceAll('-', '')}`;
  const locale = "ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'";
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0 ${locale}`);
  return {
    connection: { connectionString: addressOf(server, { database: name }) },
    drop: async () => void (await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

test.skipIf(isCitus)('titles are found by upper and lower case, whatever collation the database has', () =>
  useService({}, createTurkish),
);

test('each of many connections begins, although the role has a millisecond, and compiles each statement', async () => {
  const { connection, drop } = await createHostile({
    statement_timeout: '1ms',
    jit: 'on',
    jit_above_cost: '0',
  });
  const pool = createPool(connection, 20, () => {});
  const clients = await Promise.all(Array.from({ length: 20 }, () => connectIn(pool)));
  const { rows } = (await clients[0]?.query('SHOW statement_timeout')) ?? {};
  expect(rows).toEqual([{ statement_timeout: '1min' }]);
  for (const client of clients) client.release();
  await pool.end();
  await drop();
});

test('a day of what expires has 24 hours, also where the clock of the database changes to summer time', async () => {
  const { connection, drop } = await createHostile({ timezone: 'Europe/Berlin' });
  const pool = createPool(connection, 2, () => {});
  const client = await connectIn(pool);
  const { rows } = await client.query(`
    SELECT extract(epoch FROM noon - (noon - make_interval(days => 1)))::int AS day
    FROM (VALUES ('2027-03-28 12:00Z'::timestamptz), ('2027-10-31 12:00Z')) AS changes (noon)`);
  expect(rows).toEqual([{ day: 86_400 }, { day: 86_400 }]);
  client.release();
  await pool.end();
  await drop();
});
