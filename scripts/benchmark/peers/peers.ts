/** Part `peers`: compares the service with other engines in one run, by speed on the same passages and by quality. */
import type pg from 'pg';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { withService } from '../../../contract-tests/harness/service/service-process.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { importCorpus, settle } from '../corpus/corpus-import.ts';
import { makeQueries } from '../corpus/query-mix.ts';
import { ask } from '../measuring/ask.ts';
import type { Report, Target } from '../measuring/figures.ts';
import { groongaPeer } from './groonga.ts';
import { lucenePeer } from './lucene.ts';
import { type Peer, type PeerCorpus, RESULTS } from './peer.ts';
import { createPostgresPeer, findStopWords, TS_RANK } from './postgres.ts';
import { measureQuality, type Quality } from './quality.ts';
import { sqlitePeer } from './sqlite.ts';
import { wordsOf } from './words.ts';

const SEED = 1;
const WARM_UP_SEED = 2;
const WARM_UP_QUERIES = 100;
/** By then the virtual machines of Java and Node have compiled the hot code. */
const WARM_UP_SECONDS = 10;
/** Queries that an engine answers in one turn. */
const QUERIES_A_TURN = 50;

const OURS = 'ours over HTTP';
const TARGET_AGAINST_TS_RANK = 10;
const TARGET_AGAINST_LUCENE = 2;
/** Only this size has a target relative to Lucene. */
const LUCENE_TARGET_PASSAGES = 500_000;

/** Answers one query. `milliseconds`: from the query's text to the results with their contents. */
type Engine = { name: string; search(query: string): Promise<{ milliseconds: number }> };
type EngineTimes = { name: string; milliseconds: number[] };
type Queries = { warmUp: string[]; measured: string[] };

/** The engines beside PostgreSQL's own search, which runs in the service's database. */
const PEERS = [sqlitePeer, groongaPeer, lucenePeer];

/** The peers that can run on this machine. Notes what the others need. */
async function findInstalled(report: Report): Promise<Peer[]> {
  const installed: Peer[] = [];
  for (const peer of PEERS) {
    const { name, requires } = peer;
    if (requires === undefined || (await requires.isInstalled())) installed.push(peer);
    else report.note(`${name} was left out: it takes ${requires.packages}.`);
  }
  return installed;
}

/** The indexed text of each passage: title, headings and content. */
async function readTexts(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(`
    SELECT concat_ws(E'\\n', title, (SELECT string_agg(heading, E'\\n')
      FROM jsonb_array_elements_text(headings) AS heading), content) AS text
    FROM passages JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = document_id
    ORDER BY document_id, position`);
  return rows.map(({ text }) => text);
}

/** Sends the queries to each engine again and again until it is warm. */
async function warmUp(engines: Engine[], queries: string[]): Promise<void> {
  for (const engine of engines) {
    const end = performance.now() + WARM_UP_SECONDS * 1000;
    do for (const query of queries) await engine.search(query);
    while (performance.now() < end);
  }
}

/** Sends all queries to all engines in turn, so that other load on the machine affects them alike. */
async function askInTurn(engines: Engine[], queries: string[]): Promise<EngineTimes[]> {
  const times = engines.map(({ name }): EngineTimes => ({ name, milliseconds: [] }));
  const progress = showProgress('querying', queries.length);
  for (let i = 0; i < queries.length; i += QUERIES_A_TURN) {
    const turn = queries.slice(i, i + QUERIES_A_TURN);
    for (const [own, engine] of engines.entries()) {
      for (const query of turn) times[own]?.milliseconds.push((await engine.search(query)).milliseconds);
    }
    progress.advance(turn.length);
  }
  progress.end();
  return times;
}

/** Runs `use` with the peers' engines, once all of them have indexed the texts. */
async function withEngines<T>(
  report: Report,
  { peers: [peer, ...others], corpus }: { peers: Peer[]; corpus: PeerCorpus },
  use: (engines: Engine[]) => Promise<T>,
): Promise<T> {
  if (peer === undefined) return await use([]);
  report.progress(`index of ${corpus.texts.length} passages for ${peer.name}`);
  return await peer.withIndex(corpus, (search) =>
    withEngines(report, { peers: others, corpus }, (engines) =>
      use([{ name: peer.name, search }, ...engines]),
    ),
  );
}

/** Imports the passages into a new service, indexes them in the peers, and runs the queries. */
async function measureTimes(
  report: Report,
  installed: Peer[],
  { passages, queries }: { passages: number; queries: Queries },
): Promise<EngineTimes[]> {
  return await withService(async (service) => {
    report.progress(`import of ${passages} passages`);
    await importCorpus(service, { passages });
    return await withServiceDatabase(service, async (client) => {
      await settle(client);
      const words = new Set([...queries.warmUp, ...queries.measured].flatMap(wordsOf));
      const stopWords = await findStopWords(client, [...words]);
      const corpus: PeerCorpus = { texts: await readTexts(client), language: 'english', stopWords };
      const peers = [createPostgresPeer(client), ...installed];
      return await withEngines(report, { peers, corpus }, async (others) => {
        const engines = [{ name: OURS, search: (query: string) => ask(service, { query }) }, ...others];
        report.progress(
          `${queries.measured.length} queries to ${engines.map(({ name }) => name).join(', ')}`,
        );
        await warmUp(engines, queries.warmUp);
        return await askInTurn(engines, queries.measured);
      });
    });
  });
}

function targetOf(name: string, passages: number): Target | undefined {
  if (name === TS_RANK) return { atLeast: TARGET_AGAINST_TS_RANK };
  if (name === sqlitePeer.name) return { atLeast: 1 };
  const hasTarget = name === lucenePeer.name && passages === LUCENE_TARGET_PASSAGES;
  return hasTarget ? { atLeast: 1 / TARGET_AGAINST_LUCENE } : undefined;
}

/** The times of one engine, and how many times those of the service they are. */
function addTimes(
  report: Report,
  passages: number,
  { engine, ours }: { engine: EngineTimes; ours: EngineTimes },
): void {
  const title = `${engine.name}: ${passages.toLocaleString('en')} passages`;
  const timeAt = (share: number) => percentile(engine.milliseconds, share);
  for (const [label, share] of [['p50', 0.5] as const, ['p95', 0.95] as const, ['longest', 1] as const]) {
    report.figure({ name: `${title}: ${label}`, value: timeAt(share), unit: 'ms' });
  }
  if (engine === ours) return;
  const ratioAt = (share: number) => timeAt(share) / percentile(ours.milliseconds, share);
  const target = targetOf(engine.name, passages);
  report.figure({
    name: `${title}: p50 against ours`,
    value: ratioAt(0.5),
    unit: 'times',
    ...(target && { target }),
  });
  report.figure({ name: `${title}: p95 against ours`, value: ratioAt(0.95), unit: 'times' });
}

/** Each engine's speed on each number of passages, and beside it its quality on each collection. */
function addFigures(report: Report, times: Map<number, EngineTimes[]>, qualities: Quality[]): void {
  const names = [...times.values()][0]?.map(({ name }) => name) ?? [];
  for (const [index, name] of names.entries()) {
    for (const [passages, engines] of times) {
      const [engine, ours] = [engines[index], engines[0]];
      if (engine && ours) addTimes(report, passages, { engine, ours });
    }
    for (const { collection, ndcg10 } of qualities) {
      report.figure({
        name: `${name}: ${collection}: nDCG@10`,
        value: ndcg10.get(name) ?? Number.NaN,
        unit: '',
      });
    }
  }
}

/** Measures each number of passages with all engines, then their quality. */
export async function measurePeers(
  report: Report,
  { passages: sizes, queries: count }: { passages: number[]; queries: number },
): Promise<void> {
  const installed = await findInstalled(report);
  const times = new Map<number, EngineTimes[]>();
  for (const passages of sizes) {
    const textsOf = (number: number, seed: number) =>
      makeQueries(number, passages, seed).map(({ text }) => text);
    const queries = { warmUp: textsOf(WARM_UP_QUERIES, WARM_UP_SEED), measured: textsOf(count, SEED) };
    times.set(passages, await measureTimes(report, installed, { passages, queries }));
  }
  const qualities = await measureQuality(report, OURS, installed);
  addFigures(report, times, qualities);
  report.note(
    `Speed: ${count} queries, one client, limit ${RESULTS}, contents included, all engines warm and in turn. ` +
      'Each text: title, headings and content of a passage. Lucene measures its time itself.',
  );
  report.note('SQLite and Groonga get no stop words, because they drop none by themselves.');
  if (qualities.length > 0) {
    report.note(
      'Quality: each engine with its own analysis of the language. PostgreSQL has none for Chinese; SQLite gets ' +
        'trigrams, Groonga and Lucene bigrams.',
    );
  }
}
