/** Part `shapes`: whether search time depends on the number of knowledge bases that hold the same passages. */

import { withServiceDatabase } from '../../contract-tests/harness/embedded-database.ts';
import { percentile } from '../../contract-tests/harness/percentile.ts';
import { type RunningService, withService } from '../../contract-tests/harness/service-process.ts';
import { showProgress } from '../progress.ts';
import { ask } from './ask.ts';
import { importCorpus, settle } from './corpus-import.ts';
import type { Report } from './figures.ts';
import { type MixedQuery, makeQueries } from './query-mix.ts';

const SEED = 1;
const WARM_UP_SEED = 2;
const WARM_UP_QUERIES = 100;
/** Numbers of knowledge bases, each in its own service. The last one is an account's maximum. */
const SPREADS = [1, 100, 1_000];
/** A search of all knowledge bases may take this many times as long as a search of a single one with all passages. */
const TARGET_RATIO = 2;

/** Passages that a service has imported into one or more knowledge bases. */
type Corpus = { service: RunningService; passages: number; knowledgeBaseIds: string[] };
/** A way to search a corpus. `idsOf` undefined: all knowledge bases of the account. */
type Shape = { name: string; service: RunningService; idsOf?: (query: MixedQuery) => string[] };

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
  if (knowledgeBaseIds.length === 1) return [{ name: 'one', service, idsOf: () => knowledgeBaseIds }, all];
  if (knowledgeBaseIds.length < Math.max(...SPREADS)) return [all];
  return [{ name: `3 of ${count}`, service, idsOf: (query) => threeAround(corpus, query) }, all];
}

/**
 * Sends each query in every shape before the next query, so that other load on the machine affects all shapes alike.
 */
async function askInTurn(shapes: Shape[], queries: MixedQuery[], label: string): Promise<number[][]> {
  const times = shapes.map((): number[] => []);
  const progress = showProgress(label, queries.length);
  for (const query of queries) {
    for (const [i, { service, idsOf }] of shapes.entries()) {
      const scope = idsOf && { knowledgeBaseIds: idsOf(query) };
      const { milliseconds } = await ask(service, { query: query.text, ...scope });
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
  const { knowledgeBaseIds, seconds } = await importCorpus(service, { passages, knowledgeBases: spread });
  const name = sizeName(passages);
  report.figure({ name: `${name}: imported into ${spread}`, value: passages / seconds, unit: '/s' });
  const { mergeSeconds } = await withServiceDatabase(service, settle);
  report.figure({ name: `${name}: statistics of ${spread} merged after`, value: mergeSeconds, unit: 's' });
  return { service, passages, knowledgeBaseIds };
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
  shapes.forEach(({ name }, i) => {
    const percentileOf = (shape: number, share: number) => percentile(times[shape] ?? [], share);
    for (const [label, share] of [['p50', 0.5] as const, ['p95', 0.95] as const]) {
      const value = percentileOf(i, share);
      report.figure({ name: `${sizeName(passages)}: ${name}: ${label}`, value, unit: 'ms' });
      if (i === 0) continue;
      const target = name === most ? { target: { atMost: TARGET_RATIO } } : {};
      const ratio = value / percentileOf(0, share);
      report.figure({
        name: `${sizeName(passages)}: ${name}: ${label} against one`,
        value: ratio,
        unit: 'times',
        ...target,
      });
    }
  });
}

/** Measures each number of passages in every spread, with the same queries. */
export async function measureShapes(
  report: Report,
  { passages: sizes, queries: count }: { passages: number[]; queries: number },
): Promise<void> {
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
