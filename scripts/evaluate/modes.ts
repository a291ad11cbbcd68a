/**
 * nDCG@10 of each collection by words, by meaning and by both, of a service with word vectors; or with the model of
 * the environment's EMBEDDINGS_URL, once it has made the vectors of all documents.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  call,
  type RunningService,
  type Settings,
  withService,
} from '../../contract-tests/harness/service/service-process.ts';
import type { KnowledgeBase, SearchMode } from '../../generated/types.gen.ts';
import { mean } from '../../src/evaluation/measures.ts';
import { showProgress } from '../../src/terminal/progress.ts';
import type { Collection } from './collection.ts';
import { answerQueries, importCorpus } from './collection-run.ts';
import { measureDocuments } from './measures.ts';
import { REFERENCE_NDCG10 } from './reference.ts';

const MODES: readonly SearchMode[] = ['words', 'meaning', 'both'];
const POLL_MS = 200;

/** The settings of a model in the environment, or the settings of word vectors. */
function readSettings(): Settings {
  const ofModel = Object.entries(process.env).filter(([name]) => name.startsWith('EMBEDDINGS_'));
  return process.env.EMBEDDINGS_URL ? (Object.fromEntries(ofModel) as Settings) : { WORD_VECTORS: 'on' };
}

/** Waits until the model has made the vectors of a knowledge base. Word vectors are there after the import. */
async function untilEmbedded(service: RunningService, knowledgeBaseId: string): Promise<void> {
  let progress: ReturnType<typeof showProgress> | undefined;
  for (let before = 0; ; ) {
    const all = await call<KnowledgeBase[]>(service, 'listKnowledgeBases');
    const left = all.find(({ id }) => id === knowledgeBaseId)?.documentsWithoutVectors ?? 0;
    if (left === 0) break;
    progress ??= showProgress('the model makes vectors', left);
    progress.advance(Math.max(0, before - left));
    before = left;
    await delay(POLL_MS);
  }
  progress?.end();
}

const cellsOf = (figures: (number | undefined)[]): string =>
  figures.map((value) => (value === undefined ? '      -' : value.toFixed(4).padStart(7))).join('  ');

/** nDCG@10 of a collection by each of MODES. */
async function measureModes(service: RunningService, collection: Collection): Promise<number[]> {
  const imported = await importCorpus(service, collection);
  await untilEmbedded(service, imported.knowledgeBaseId);
  const figures: number[] = [];
  for (const mode of MODES) {
    const { run, warned } = await answerQueries(service, collection, imported, { mode });
    figures.push(measureDocuments(collection.qrels, run).ndcg10);
    if (warned > 0)
      process.stdout.write(
        `Without meaning: ${warned} of ${collection.queries.length} answers by ${mode}.\n`,
      );
  }
  return figures;
}

/** Prints a row for each collection, with BM25's published figure, and the ratios to it: their means and the least. */
export async function evaluateModes(collections: Collection[]): Promise<void> {
  process.stdout.write(
    `${'nDCG@10'.padEnd(18)}  ${[...MODES, 'BM25'].map((name) => name.padStart(7)).join('  ')}\n`,
  );
  const ratios: number[][] = MODES.map(() => []);
  await withService(
    async (service) => {
      for (const collection of collections) {
        const reference = REFERENCE_NDCG10[collection.name];
        const figures = await measureModes(service, collection);
        for (const [i, figure] of figures.entries())
          if (reference !== undefined) ratios[i]?.push(figure / reference);
        process.stdout.write(`${collection.name.padEnd(18)}  ${cellsOf([...figures, reference])}\n`);
      }
    },
    { settings: readSettings() },
  );
  if (ratios[0]?.length === 0) return;
  process.stdout.write(`${'mean of the ratios'.padEnd(18)}  ${cellsOf(ratios.map(mean))}\n`);
  process.stdout.write(
    `${'the lowest ratio'.padEnd(18)}  ${cellsOf(ratios.map((each) => Math.min(...each)))}\n`,
  );
}
