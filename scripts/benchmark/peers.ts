/** Part `peers`: compares the service with other engines, on the same passages and queries in one run. */
import type pg from 'pg';
import { withServiceDatabase } from '../../contract-tests/harness/embedded-database.ts';
import { percentile } from '../../contract-tests/harness/percentile.ts';
import { type RunningService, withService } from '../../contract-tests/harness/service-process.ts';
import { showProgress } from '../progress.ts';
import { ask } from './ask.ts';
import { importCorpus, settle } from './corpus-import.ts';
import type { Report, Target } from './figures.ts';
import { measureLucene } from './peer-lucene.ts';
import { findStopWords, prepareTsRank, searchByTsRank } from './peer-postgres.ts';
import { withSqlite, wordsOf } from './peer-sqlite.ts';
import { makeQueries } from './query-mix.ts';

const SEED = 1;
const WARM_UP_SEED = 2;
const WARM_UP_QUERIES = 100;
/** Queries that an engine answers in one turn. */
const QUERIES_A_TURN = 50;

const TARGET_AGAINST_TS_RANK = 10;
const TARGET_AGAINST_LUCENE = 2;
/** Only this size has a target relative to Lucene. */
const LUCENE_TARGET_PASSAGES = 500_000;

/** Answers one query. */
type Engine = { name: string; search(query: string): Promise<unknown> };
type EngineTimes = { name: string; milliseconds: number[] };
type Queries = { warmUp: string[]; measured: string[] };

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

/** Sends all queries to all engines in turn, so that other load on the machine affects them alike. */
async function askInTurn(engines: Engine[], queries: string[], label: string): Promise<EngineTimes[]> {
  const times = engines.map(({ name }): EngineTimes => ({ name, milliseconds: [] }));
  const progress = showProgress(label, queries.length);
  for (let i = 0; i < queries.length; i += QUERIES_A_TURN) {
    const turn = queries.slice(i, i + QUERIES_A_TURN);
    for (const [own, engine] of engines.entries()) {
      for (const query of turn) {
        const start = performance.now();
        await engine.search(query);
        times[own]?.milliseconds.push(performance.now() - start);
      }
    }
    progress.advance(turn.length);
  }
  progress.end();
  return times;
}

/** Prepares the engines that run from this process, the service first, and runs the queries. */
async function measureEngines(
  report: Report,
  { service, client, texts }: { service: RunningService; client: pg.Client; texts: string[] },
  { warmUp, measured }: Queries,
): Promise<EngineTimes[]> {
  report.progress(`index of ${texts.length} passages for OR + ts_rank`);
  await prepareTsRank(client, texts);
  const stopWords = await findStopWords(client, [...new Set([...warmUp, ...measured].flatMap(wordsOf))]);
  report.progress(`index of ${texts.length} passages for SQLite`);
  return await withSqlite(texts, stopWords, async (searchSqlite) => {
    const engines: Engine[] = [
      { name: 'ours over HTTP', search: (query) => ask(service, { query }) },
      { name: 'OR + ts_rank', search: (query) => searchByTsRank(client, query) },
      { name: 'SQLite FTS5', search: async (query) => searchSqlite(query) },
    ];
    report.progress(`${measured.length} queries to ${engines.map(({ name }) => name).join(', ')}`);
    await askInTurn(engines, warmUp, 'warming up');
    return await askInTurn(engines, measured, 'querying');
  });
}

async function measureAll(report: Report, passages: number, queries: Queries): Promise<EngineTimes[]> {
  return await withService(async (service) => {
    report.progress(`import of ${passages} passages`);
    await importCorpus(service, { passages });
    const { texts, times } = await withServiceDatabase(service, async (client) => {
      await settle(client);
      const texts = await readTexts(client);
      return { texts, times: await measureEngines(report, { service, client, texts }, queries) };
    });
    report.progress('Lucene');
    const lucene = await measureLucene(texts, queries.measured);
    if (lucene) return [...times, { name: 'Lucene in process', milliseconds: lucene.milliseconds }];
    report.note('Lucene was left out: it takes a JDK and the package liblucene8-java (Debian, Ubuntu).');
    return times;
  });
}

function targetOf(name: string, passages: number): Target | undefined {
  if (name === 'OR + ts_rank') return { atLeast: TARGET_AGAINST_TS_RANK };
  if (name === 'SQLite FTS5') return { atLeast: 1 };
  return passages === LUCENE_TARGET_PASSAGES ? { atLeast: 1 / TARGET_AGAINST_LUCENE } : undefined;
}

function addFigures(report: Report, passages: number, [ours, ...others]: EngineTimes[]): void {
  const size = passages.toLocaleString('en');
  const add = ({ name, milliseconds }: EngineTimes) => {
    for (const [label, share] of [['p50', 0.5] as const, ['p95', 0.95] as const, ['longest', 1] as const]) {
      report.figure({
        name: `${size}: ${name}: ${label}`,
        value: percentile(milliseconds, share),
        unit: 'ms',
      });
    }
  };
  if (ours === undefined) return;
  add(ours);
  for (const engine of others) {
    add(engine);
    const ratioAt = (share: number) =>
      percentile(engine.milliseconds, share) / percentile(ours.milliseconds, share);
    const target = targetOf(engine.name, passages);
    report.figure({
      name: `${size}: ${engine.name}: p50 against ours`,
      value: ratioAt(0.5),
      unit: 'times',
      ...(target && { target }),
    });
    report.figure({ name: `${size}: ${engine.name}: p95 against ours`, value: ratioAt(0.95), unit: 'times' });
  }
}

/** Measures each number of passages with all engines. */
export async function measurePeers(
  report: Report,
  { passages: sizes, queries: count }: { passages: number[]; queries: number },
): Promise<void> {
  for (const passages of sizes) {
    const textsOf = (number: number, seed: number) =>
      makeQueries(number, passages, seed).map(({ text }) => text);
    const queries = { warmUp: textsOf(WARM_UP_QUERIES, WARM_UP_SEED), measured: textsOf(count, SEED) };
    addFigures(report, passages, await measureAll(report, passages, queries));
  }
  report.note(
    `${count} queries, one client, limit 10, contents included. Each text: title, headings and content of a passage.`,
  );
  report.note(
    'SQLite gets no stop words, because FTS5 drops none by itself. Lucene runs after the others, warm.',
  );
}
