/** nDCG@10 of each collection by words, by meaning and by both, of a service with word vectors. */
import { withService } from '../../contract-tests/harness/service/service-process.ts';
import type { SearchMode } from '../../generated/types.gen.ts';
import { mean } from '../../src/evaluation/measures.ts';
import type { Collection } from './collection.ts';
import { answerQueries, importCorpus } from './collection-run.ts';
import { measureDocuments } from './measures.ts';
import { REFERENCE_NDCG10 } from './reference.ts';

const MODES: readonly SearchMode[] = ['words', 'meaning', 'both'];

const cellsOf = (figures: (number | undefined)[]): string =>
  figures.map((value) => (value === undefined ? '      -' : value.toFixed(4).padStart(7))).join('  ');

/** Prints a row for each collection, with BM25's published figure, and the means of the ratios to it. */
export async function evaluateModes(collections: Collection[]): Promise<void> {
  process.stdout.write(
    `${'nDCG@10'.padEnd(18)}  ${[...MODES, 'BM25'].map((name) => name.padStart(7)).join('  ')}\n`,
  );
  const ratios = new Map(MODES.map((mode): [SearchMode, number[]] => [mode, []]));
  await withService(
    async (service) => {
      for (const collection of collections) {
        const imported = await importCorpus(service, collection);
        const reference = REFERENCE_NDCG10[collection.name];
        const figures: number[] = [];
        for (const mode of MODES) {
          const { run } = await answerQueries(service, collection, imported, { mode });
          const { ndcg10 } = measureDocuments(collection.qrels, run);
          figures.push(ndcg10);
          if (reference !== undefined) ratios.get(mode)?.push(ndcg10 / reference);
        }
        process.stdout.write(`${collection.name.padEnd(18)}  ${cellsOf([...figures, reference])}\n`);
      }
    },
    { settings: { WORD_VECTORS: 'on' } },
  );
  const means = [...ratios.values()].map((values) => (values.length === 0 ? undefined : mean(values)));
  process.stdout.write(`${'mean of the ratios'.padEnd(18)}  ${cellsOf(means)}\n`);
}
