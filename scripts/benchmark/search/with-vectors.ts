/**
 * Part `vectors`: import, search, storage and memory without word vectors and with them, on a test collection. The
 * words of the made-up corpus have no vectors.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { type RunningService, withService } from '../../../contract-tests/harness/service/service-process.ts';
import { type Collection, readCollection, sharedCollections } from '../../evaluate/collection.ts';
import { importCorpus } from '../../evaluate/collection-run.ts';
import { settle } from '../corpus/corpus-import.ts';
import { askAll } from '../measuring/ask.ts';
import type { Report } from '../measuring/figures.ts';
import { readProcessorUse } from '../measuring/processor-use.ts';

/** Scientific abstracts in English: 10,134 passages. */
const COLLECTION = 'scifact';
const MEBIBYTE = 2 ** 20;
const [STORAGE_MAX, IMPORT_MAX, QUERY_MAX_MS, MEMORY_MAX] = [0.12, 1.05, 1.5, 32];

type Costs = { importSeconds: number; queryMs: number; p50: number; storage: number; memory: number };

/** The bytes of the vectors, divided by the bytes of all other tables, both with their indexes. */
const readVectorShare = (service: RunningService): Promise<number> =>
  withServiceDatabase(service, async (client) => {
    await settle(client);
    const { rows } = await client.query<{ share: number }>(`
      SELECT (sum(bytes) FILTER (WHERE is_vectors) / sum(bytes) FILTER (WHERE NOT is_vectors))::float8 AS share FROM (
        SELECT relname = 'passage_vectors' AS is_vectors, pg_total_relation_size(oid) AS bytes
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r') AS tables`);
    return rows[0]?.share ?? 0;
  });

const measureCosts = (collection: Collection, queries: number, setting: 'on' | 'off'): Promise<Costs> =>
  withService(
    async (service) => {
      const useOf = () => {
        const { servers, database } = readProcessorUse([service.pid]);
        return servers + database;
      };
      const started = useOf();
      const { knowledgeBaseId } = await importCorpus(service, collection);
      const importSeconds = useOf() - started;
      const storage = await readVectorShare(service);
      const searches = collection.queries
        .slice(0, queries)
        .map(({ text }) => ({ query: text, knowledgeBaseIds: [knowledgeBaseId] }));
      await askAll(service, searches, { clients: 1, label: 'warming up' });
      const before = useOf();
      const { answers } = await askAll(service, searches, { clients: 1, label: `vectors ${setting}` });
      return {
        importSeconds,
        queryMs: (1000 * (useOf() - before)) / searches.length,
        p50: percentile(
          answers.map(({ milliseconds }) => milliseconds),
          0.5,
        ),
        storage,
        memory: readResidentBytes(service.pid),
      };
    },
    { settings: { WORD_VECTORS: setting } },
  );

export async function measureVectors(
  report: Report,
  { queries, folder = join(sharedCollections, COLLECTION) }: { queries: number; folder?: string },
): Promise<void> {
  if (!existsSync(folder)) return report.note(`vectors: there is no collection ${folder}`);
  const collection = readCollection(folder);
  const without = await measureCosts(collection, queries, 'off');
  const vectors = await measureCosts(collection, queries, 'on');
  const figure = (name: string, value: number, unit: string, atMost?: number) =>
    report.figure({ name, value, unit, ...(atMost !== undefined && { target: { atMost } }) });
  figure('CPU of the import without vectors', without.importSeconds, 's');
  figure('CPU of the import, with / without', vectors.importSeconds / without.importSeconds, '', IMPORT_MAX);
  figure('CPU of a query without vectors', without.queryMs, 'ms');
  figure('CPU of a query, with − without', vectors.queryMs - without.queryMs, 'ms');
  figure('p50 of a query, with − without', vectors.p50 - without.p50, 'ms', QUERY_MAX_MS);
  figure('storage, added by vectors', vectors.storage, '', STORAGE_MAX);
  figure(
    'memory of the server, with − without',
    (vectors.memory - without.memory) / MEBIBYTE,
    'MiB',
    MEMORY_MAX,
  );
}
