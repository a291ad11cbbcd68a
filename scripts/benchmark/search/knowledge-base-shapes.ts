/**
 * Part `shapes`: whether search time depends on the number of knowledge bases that hold the same passages, and what the
 * options of a query cost.
 */

import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { type RunningService, withService } from '../../../contract-tests/harness/service/service-process.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { type AttributesOf, importCorpus, settle } from '../corpus/corpus-import.ts';
import { type MixedQuery, makeQueries } from '../corpus/query-mix.ts';
import { ask, type Search } from '../measuring/ask.ts';
import type { Report } from '../measuring/figures.ts';

const SEED = 1;
const WARM_UP_SEED = 2;
const WARM_UP_QUERIES = 100;
/** Numbers of knowledge bases, each in its own service. The last one is an account's maximum. */
const SPREADS = [1, 100, 1_000];
/** A filter may take this many times as long as no filter, and what is added to each result this many. */
const TARGET_FILTERED = 1.5;
const TARGET_DETAILED = 1.3;
/** Passages of each import that is compared with one of documents with attributes, and the number of such pairs. */
const COMPARED_IMPORT = 5_000;
const COMPARED_IMPORTS = 3;
/** An import of documents with attributes may have this share of the rate of others. Few imports differ by as much. */
const TARGET_IMPORT_SHARE = 0.95;
/** A search of all knowledge bases may take this many times as long as a search of a single one with all passages. */
const TARGET_RATIO = 1.5;

/** Passages that a service has imported into one or more knowledge bases. */
type Corpus = { service: RunningService; passages: number; knowledgeBaseIds: string[] };
/**
 * A way to search a corpus.
 *
 * - `idsOf`: the knowledge bases to search; undefined: all of the account.
 * - `options`: the other options of the query.
 * - `p50AtMost`: the target of its p50, in multiples of the first shape's p50.
 */
type Shape = {
  name: string;
  service: RunningService;
  idsOf?: (query: MixedQuery) => string[];
  options?: Partial<Search>;
  p50AtMost?: number | undefined;
};

/** Documents with a `sample` below n are n % of all, spread over the corpus. */
const sampleOf: AttributesOf = (document) => ({ sample: (document * 37) % 100, reviewed: true });
const sampled = (percent: number): Partial<Search> => ({
  filter: { type: 'lt', key: 'sample', value: percent },
});

/** The options of a query that restrict its results, or add to them. */
const OPTIONS: [name: string, options: Partial<Search>, p50AtMost?: number][] = [
  ['a filter that keeps 1 %', sampled(1), TARGET_FILTERED],
  ['a filter that keeps 50 %', sampled(50), TARGET_FILTERED],
  ['a filter that keeps 99 %', sampled(99), TARGET_FILTERED],
  ['maxPerDocument 1', { maxPerDocument: 1 }],
  ['contextPassages 3', { contextPassages: 3 }, TARGET_DETAILED],
  ['highlight', { highlight: true }, TARGET_DETAILED],
];

/** The knowledge base of the query's passage, and those a third and two thirds of the corpus further. */
function threeAround({ passages, knowledgeBaseIds }: Corpus, { passage }: MixedQuery): string[] {
  const count = knowledgeBaseIds.length;
  const own = Math.ceil(((passage + 1) * count) / passages) - 1;
  return [0, 1, 2].map((third) => knowledgeBaseIds[(own + Math.floor((third * count) / 3)) % count] ?? '');
}

/** The number of passages, which begins the figures' names. */
const sizeName = (passages: number): string => passages.toLocaleString('en');

function shapesOf(corpus: Corpus): Shape[] {
  const { service, knowledgeBaseIds } = corpus;
  const count = knowledgeBaseIds.length.toLocaleString('en');
  const all: Shape = { name: `all of ${count}`, service };
  if (knowledgeBaseIds.length === 1) {
    const one = { service, idsOf: () => knowledgeBaseIds };
    const withOptions = OPTIONS.map(([name, options, p50AtMost]) => ({ ...one, name, options, p50AtMost }));
    return [{ ...one, name: 'one' }, all, ...withOptions];
  }
  if (knowledgeBaseIds.length < Math.max(...SPREADS)) return [all];
  return [{ name: `3 of ${count}`, service, idsOf: (query) => threeAround(corpus, query) }, all];
}

/**
 * Sends each query in every shape before the next query, so that other load on the machine affects all shapes alike.
 * Each query begins with another shape: the first one finds the passages of a query in no cache.
 */
async function askInTurn(shapes: Shape[], queries: MixedQuery[], label: string): Promise<number[][]> {
  const times = shapes.map((): number[] => []);
  const progress = showProgress(label, queries.length);
  for (const [turn, query] of queries.entries()) {
    const first = turn % shapes.length;
    const entries = [...shapes.entries()];
    for (const [i, { service, idsOf, options }] of [...entries.slice(first), ...entries.slice(0, first)]) {
      const scope = idsOf && { knowledgeBaseIds: idsOf(query) };
      const { milliseconds } = await ask(service, { query: query.text, ...scope, ...options });
      times[i]?.push(milliseconds);
    }
    progress.advance(1);
  }
  progress.end();
  return times;
}

async function importSpread(
  report: Report,
  service: RunningService,
  { passages, spread }: { passages: number; spread: number },
): Promise<Corpus> {
  report.progress(`import of ${passages} passages into ${spread} knowledge bases`);
  const { knowledgeBaseIds, seconds } = await importCorpus(service, {
    passages,
    knowledgeBases: spread,
    attributesOf: sampleOf,
  });
  const name = sizeName(passages);
  report.figure({ name: `${name}: imported into ${spread}`, value: passages / seconds, unit: '/s' });
  const { mergeSeconds } = await withServiceDatabase(service, settle);
  report.figure({ name: `${name}: statistics of ${spread} merged after`, value: mergeSeconds, unit: 's' });
  return { service, passages, knowledgeBaseIds };
}

/** Imports the same texts with and without attributes by turns, so that other load affects both alike. */
async function compareImports(report: Report): Promise<void> {
  const seconds = { without: 0, with: 0 };
  await withService(async (service) => {
    await importCorpus(service, { passages: COMPARED_IMPORT }); // compiles the code
    for (let i = 0; i < COMPARED_IMPORTS; i++) {
      const plan = { passages: COMPARED_IMPORT };
      seconds.without += (await importCorpus(service, plan)).seconds;
      seconds.with += (await importCorpus(service, { ...plan, attributesOf: sampleOf })).seconds;
    }
  });
  report.figure({
    name: 'rate of imports with attributes against those without',
    value: seconds.without / seconds.with,
    unit: 'times',
    target: { atLeast: TARGET_IMPORT_SHARE },
  });
}

/** Runs `use` while a service for each spread has the passages. Services without a query are idle. */
async function withCorpora(
  report: Report,
  { passages, spreads }: { passages: number; spreads: number[] },
  use: (corpora: Corpus[]) => Promise<void>,
): Promise<void> {
  const [spread, ...others] = spreads;
  if (spread === undefined) return await use([]);
  await withService(async (service) => {
    const corpus = await importSpread(report, service, { passages, spread });
    await withCorpora(report, { passages, spreads: others }, (corpora) => use([corpus, ...corpora]));
  });
}

function addFigures(
  report: Report,
  passages: number,
  { shapes, times }: { shapes: Shape[]; times: number[][] },
): void {
  const most = `all of ${Math.max(...SPREADS).toLocaleString('en')}`;
  shapes.forEach(({ name, p50AtMost }, i) => {
    const percentileOf = (shape: number, share: number) => percentile(times[shape] ?? [], share);
    for (const [label, share] of [['p50', 0.5] as const, ['p95', 0.95] as const]) {
      const value = percentileOf(i, share);
      report.figure({ name: `${sizeName(passages)}: ${name}: ${label}`, value, unit: 'ms' });
      if (i === 0) continue;
      const atMost = name === most ? TARGET_RATIO : label === 'p50' ? p50AtMost : undefined;
      const ratio = value / percentileOf(0, share);
      report.figure({
        name: `${sizeName(passages)}: ${name}: ${label} against one`,
        value: ratio,
        unit: 'times',
        ...(atMost !== undefined && { target: { atMost } }),
      });
    }
  });
}

/** Measures each number of passages in every spread, with the same queries. */
export async function measureShapes(
  report: Report,
  { passages: sizes, queries: count }: { passages: number[]; queries: number },
): Promise<void> {
  report.progress('imports with and without attributes');
  await compareImports(report);
  for (const passages of sizes) {
    const warmUp = makeQueries(WARM_UP_QUERIES, passages, WARM_UP_SEED);
    const queries = makeQueries(count, passages, SEED);
    await withCorpora(report, { passages, spreads: SPREADS }, async (corpora) => {
      const shapes = corpora.flatMap(shapesOf);
      report.progress(`${count} queries in ${shapes.length} shapes in turn`);
      await askInTurn(shapes, warmUp, 'warming up');
      const times = await askInTurn(shapes, queries, 'querying');
      addFigures(report, passages, { shapes, times });
    });
  }
  report.note(
    `${count} queries, limit 10, one client that asks each query in every shape before the next one.`,
  );
}
