/** Groonga as an HTTP server on loopback, from Debian's package groonga-bin: any of the words, scored by tf-idf. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end } from '../../../contract-tests/harness/service/service-process.ts';
import { post } from '../measuring/post.ts';
import {
  hasProgram,
  type Peer,
  type PeerCorpus,
  type Ranked,
  RESULTS,
  timed,
  withTemporaryDirectory,
} from './peer.ts';
import { joinByOr, ngramsOf, searchedWords } from './words.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** Texts per request: a few megabytes. */
const TEXTS_PER_LOAD = 5_000;
const BIGRAM = 2;

/** Scores are floating-point numbers from this version of its commands on; before, whole numbers. */
const COMMAND_VERSION = '3';

/** Returns the answer's body. @throws when the command failed */
function readBody({ status, answer }: { status: number | undefined; answer: unknown }): unknown {
  const { header, body } = answer as { header: object; body: unknown }; // the format of command version 3
  if (status !== 200) throw new Error(`Groonga answered ${status}: ${JSON.stringify(header)}`);
  return body;
}

/** Runs a command and returns what it answers. */
async function command(address: string, name: string, parameters: Record<string, string>): Promise<unknown> {
  const form = new URLSearchParams({ ...parameters, command_version: COMMAND_VERSION });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return readBody(await post(`${address}/d/${name}`, headers, form.toString()));
}

/** Loads rows of the table Texts. */
async function load(address: string, rows: { _key: number; content: string }[]): Promise<void> {
  const url = `${address}/d/load?table=Texts&command_version=${COMMAND_VERSION}`;
  const body = readBody(await post(url, { 'content-type': 'application/json' }, JSON.stringify(rows)));
  const { n_loaded_records: loaded } = body as { n_loaded_records: number }; // its answer
  if (loaded !== rows.length) throw new Error(`Groonga loaded ${loaded} of ${rows.length} texts`);
}

/** A port that no program listens on. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  await once(server.close(), 'close');
  return port;
}

/** Resolves when the server answers. @throws when it has ended before, or is late */
async function waitForAnswer(server: ChildProcess, address: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`Groonga ended with exit code ${server.exitCode}`);
    const answered = await command(address, 'status', {}).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await delay(POLL_MS);
  }
  throw new Error('Groonga does not answer');
}

/** Runs `use` with the address of a server on a new database in `directory`. */
async function withServer<T>(directory: string, use: (address: string) => Promise<T>): Promise<T> {
  const port = await findFreePort();
  const http = ['-s', '--protocol', 'http', '--bind-address', HOST, '--port', String(port)];
  const log = ['--log-path', join(directory, 'log'), '--log-level', 'error'];
  const database = ['-n', join(directory, 'texts')];
  const server = spawn('groonga', [...http, ...log, ...database], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(server, 'spawn');
  try {
    const address = `http://${HOST}:${port}`;
    await waitForAnswer(server, address);
    return await use(address);
  } finally {
    await end(server, 'SIGTERM');
  }
}

/** Loads the texts, each with its position as key, then builds the index at once. */
async function fill(address: string, texts: string[]): Promise<void> {
  await command(address, 'table_create', { name: 'Texts', flags: 'TABLE_HASH_KEY', key_type: 'UInt32' });
  await command(address, 'column_create', { table: 'Texts', name: 'content', type: 'LongText' });
  for (let i = 0; i < texts.length; i += TEXTS_PER_LOAD) {
    const rows = texts.slice(i, i + TEXTS_PER_LOAD).map((content, j) => ({ _key: i + j, content }));
    await load(address, rows);
  }
  await command(address, 'table_create', {
    name: 'Terms',
    flags: 'TABLE_PAT_KEY',
    key_type: 'ShortText',
    default_tokenizer: 'TokenBigram',
    normalizer: 'NormalizerAuto',
  });
  await command(address, 'column_create', {
    table: 'Terms',
    name: 'content_index',
    flags: 'COLUMN_INDEX|WITH_POSITION',
    type: 'Texts',
    source: 'content',
  });
}

/** The query in Groonga's syntax: words and pairs of Han characters, as TokenBigram splits a text. */
export const toGroongaQuery = (query: string, stopWords: ReadonlySet<string>): string =>
  joinByOr(
    searchedWords(query, stopWords)
      .flatMap((word) => word.match(/\p{Script=Han}+|\P{Script=Han}+/gu) ?? [])
      .flatMap((run) => (/\p{Script=Han}/u.test(run) ? ngramsOf(run, BIGRAM) : [run])),
  );

async function select(address: string, query: string): Promise<Ranked[]> {
  // An empty query would select all texts.
  if (query === '') return [];
  const body = await command(address, 'select', {
    table: 'Texts',
    match_columns: 'scorer_tf_idf(content)',
    query,
    query_flags: 'NONE',
    match_escalation_threshold: '-1', // An unknown word finds nothing, instead of the words that contain it.
    sort_keys: '-_score',
    output_columns: '_key, _score, content',
    limit: String(RESULTS),
    cache: 'no', // Every query must be computed, as in the other engines.
  });
  const { records } = body as { records: [number, number, string][] }; // the output columns
  return records.map(([position, score]) => ({ position, score }));
}

/** Groonga has neither a stemmer nor stop words without further packages. */
export const groongaPeer: Peer = {
  name: 'Groonga over HTTP',
  requires: {
    packages: 'the package groonga-bin (Debian, Ubuntu)',
    isInstalled: () => hasProgram('groonga', '--version'),
  },
  withIndex: ({ texts, stopWords }: PeerCorpus, use) =>
    withTemporaryDirectory('groonga', (directory) =>
      withServer(directory, async (address) => {
        await fill(address, texts);
        return await use((query) => timed(() => select(address, toGroongaQuery(query, stopWords))));
      }),
    ),
};
