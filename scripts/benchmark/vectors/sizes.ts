/**
 * Part `vectors` with `--passages`: what vectors of a model cost at some sizes of a knowledge base, and what they find.
 * With the environment's PGVECTOR_PATH (see src/embedded-postgres/testing/pgvector.ts) on that server, first without
 * the extension, then with it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  databaseUrlOf,
  withServiceDatabase,
} from '../../../contract-tests/harness/service/service-database.ts';
import {
  type RunningService,
  requireUninterrupted,
  startService,
  withDataDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import { createDatabase } from '../../../src/database/connection/database.ts';
import { createPool } from '../../../src/database/connection/pool.ts';
import {
  readCurrentGeneration,
  type VectorGeneration,
} from '../../../src/database/rows/vector-generations.ts';
import { pgvectorPrograms, startPgvector } from '../../../src/embedded-postgres/testing/pgvector.ts';
import { createModelSpace } from '../../../src/meaning/model/model-space.ts';
import { COMPARED_MAX } from '../../../src/meaning/passage-vectors.ts';
import { createParts, importStretch, settle } from '../corpus/corpus-import.ts';
import { drawQueries } from '../corpus/query-mix.ts';
import type { Report } from '../measuring/figures.ts';
import { copyDocuments, fillVectors } from './fill.ts';
import { withMadeModel } from './made-model.ts';
import { makeTextVector } from './made-vectors.ts';
import {
  measureImports,
  measureQueries,
  measureSizes,
  type Trial,
  tellFigure,
  untilEmbedded,
} from './measures.ts';
import { type ExactQuery, measureRecall, NEAREST } from './recall.ts';

/** Passages that are imported at first; further ones are their copies. */
const BASE = 10_000;
/** Queries whose nearest passages are known. */
const EXACT_QUERIES = 20;
const SEED = 23;
const POLL_MS = 200;
const MEBIBYTE = 2 ** 20;
/** Memory in which an index is built quickly (docs/models.md): for a passage, and beside. */
const [BUILD_BYTES, BUILD_MORE_BYTES] = [1_000, 128 * MEBIBYTE];

/** Waits until the service knows the model. */
async function readGeneration({ dataDirectory }: RunningService): Promise<VectorGeneration> {
  const connection = { connectionString: databaseUrlOf(dataDirectory) };
  const database = createDatabase(createPool(connection, 1, () => {}));
  try {
    for (;;) {
      const generation = await readCurrentGeneration(database);
      if (generation !== undefined) return generation;
      requireUninterrupted();
      await delay(POLL_MS);
    }
  } finally {
    await database.destroy();
  }
}

/** Imports passages, copies them, and gives each a vector. */
async function fill(
  report: Report,
  service: RunningService,
  { passages, count }: { passages: number; count: number },
): Promise<{ trial: Trial; exact: ExactQuery[] }> {
  const own = await readGeneration(service);
  const space = createModelSpace(own.mean);
  const base = Math.min(BASE, passages);
  report.progress(`imports ${base} passages`);
  const knowledgeBaseIds = await createParts(service, 1);
  const [knowledgeBaseId = ''] = knowledgeBaseIds;
  await importStretch(service, { first: 0, end: base, knowledgeBaseIds });
  const queries = drawQueries(base, SEED);
  const vectors = Array.from({ length: EXACT_QUERIES }, () =>
    makeTextVector(queries.next().value.text, passages),
  );
  return await withServiceDatabase(service, async (client) => {
    await untilEmbedded(client);
    await settle(client);
    report.progress(`copies them until there are ${passages}, each with a vector of its own`);
    await copyDocuments(client, Math.round(passages / base));
    const filling = { generation: own.generation, space, queries: vectors, most: NEAREST };
    const nearest = await fillVectors(client, filling);
    await settle(client);
    await client.query('VACUUM (ANALYZE) passage_vectors');
    const { rows } = await client.query<{ count: number }>(
      'SELECT passage_count::float8 AS count FROM knowledge_base_statistics',
    );
    const trial = { report, service, own, space, knowledgeBaseId, queries, count };
    return {
      trial: { ...trial, passages: rows[0]?.count ?? 0, imported: base },
      exact: vectors.map((vector, i) => ({ vector, nearest: nearest[i] ?? [] })),
    };
  });
}

/** Creates the extension, and waits until the service has built its index. */
async function buildIndex(trial: Trial): Promise<void> {
  await withServiceDatabase(trial.service, async (client) => {
    await client.query('CREATE EXTENSION vector');
    let startedAtMs: number | undefined;
    for (;;) {
      const { rows } = await client.query<{ isValid: boolean }>(
        `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid::regclass::text ~ 'passage_vectors_near'`,
      );
      if (rows.length > 0) startedAtMs ??= performance.now();
      if (rows[0]?.isValid && startedAtMs !== undefined)
        return tellFigure(trial, 'index: built', (performance.now() - startedAtMs) / 1000, 's');
      requireUninterrupted();
      await delay(POLL_MS);
    }
  });
}

async function measureSize(report: Report, passages: number, count: number): Promise<void> {
  await withMadeModel(passages, (url) =>
    withDataDirectory(async (dataDirectory) => {
      const settings = { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: 'made', EMBEDDINGS_BATCH: '256' };
      // While rows are copied, an index is missing, of which the service warns.
      const service = await startService(dataDirectory, { settings, onLog: () => {} });
      const { trial, exact } = await fill(report, service, { passages, count });
      await measureQueries(trial, 'by words', 'words');
      await measureQueries(trial, 'by both', 'both');
      await measureRecall(trial, exact);
      await measureImports(trial, 'imports');
      if (pgvectorPrograms !== undefined && passages > COMPARED_MAX) {
        await buildIndex(trial);
        await measureQueries(trial, 'by both, with pgvector', 'both');
        await measureRecall(trial, exact);
        await measureImports(trial, 'imports, with pgvector');
      }
      await measureSizes(trial);
      await service.stop();
    }),
  );
}

/** Runs `use` with an own server that has pgvector, if that is installed; DATABASE_URL leads to it. */
async function withServer(passages: number, use: () => Promise<void>): Promise<void> {
  if (pgvectorPrograms === undefined) return await use();
  const server = await startPgvector();
  const client = new pg.Client(server.url);
  const before = process.env.DATABASE_URL;
  try {
    await client.connect();
    const bytes = Math.ceil(BUILD_MORE_BYTES + passages * BUILD_BYTES);
    await client.query('ALTER ROLE CURRENT_USER SET search_path = knowledge_retrieval, public');
    await client.query(`ALTER ROLE CURRENT_USER SET maintenance_work_mem = '${Math.ceil(bytes / 1024)}kB'`);
    process.env.DATABASE_URL = server.url;
    await use();
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
    await client.end();
    await server.remove();
  }
}

/** Measures each number of passages on a server of its own. */
export async function measureVectorSizes(
  report: Report,
  { passages, queries }: { passages: number[]; queries: number },
): Promise<void> {
  if (pgvectorPrograms === undefined)
    report.note('vectors: without PGVECTOR_PATH, nothing is measured with pgvector.');
  for (const size of passages) {
    const name = (text: string) => `${size.toLocaleString('en')}: ${text}`;
    const named: Report = {
      progress: (text) => report.progress(name(text)),
      figure: (figure) => report.figure({ ...figure, name: name(figure.name) }),
      note: (text) => report.note(name(text)),
    };
    await withServer(size, () => measureSize(named, size, queries));
  }
}
