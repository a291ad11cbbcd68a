/** How many of the passages nearest to a query are among those that a search compares with all bits. */
import type pg from 'pg';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import {
  databaseUrlOf,
  withServiceDatabase,
} from '../../../contract-tests/harness/service/service-database.ts';
import { createDatabase } from '../../../src/database/connection/database.ts';
import { createPool } from '../../../src/database/connection/pool.ts';
import { createVectorIndexes } from '../../../src/database/vector-indexes/usable-indexes.ts';
import { mean } from '../../../src/evaluation/measures.ts';
import { meaningOfModel, type QueryMeaning } from '../../../src/search/query/query-meaning.ts';
import { findNearest } from '../../../src/search/ranking/nearest.ts';
import { keyOf } from './fill.ts';
import { type Trial, tellFigure } from './measures.ts';

/** A search compares as many with all bits. */
export const NEAREST = 50;
const BEST = 10;

/** `nearest`: by the numbers themselves, the nearest first. `vector`: of the model. */
export type ExactQuery = { vector: Float32Array; nearest: string[] };

type Found = { document_id: string; position: number; distance: number };

/** Reads the NEAREST by comparing the signs of all passages. */
async function compareAll(
  client: pg.Client,
  { own, knowledgeBaseId }: Trial,
  { planes }: QueryMeaning,
): Promise<Found[]> {
  const [signs = ''] = planes.planes;
  const { rows } = await client.query<Found>(
    `SELECT document_id, position,
       bit_count(substring(vector FROM 1 FOR ${signs.length}) # '${signs}'::bit varying)::integer AS distance
     FROM passage_vectors WHERE knowledge_base_id = $1 AND generation = $2 ORDER BY distance LIMIT ${NEAREST}`,
    [knowledgeBaseId, own.generation],
  );
  return rows;
}

/** Creates the function that reads the NEAREST by an index; undefined: there is none. */
function createIndexSearch({ service, knowledgeBaseId, passages }: Trial) {
  const connection = { connectionString: databaseUrlOf(service.dataDirectory) };
  const database = createDatabase(createPool(connection, 1, () => {}));
  const indexes = createVectorIndexes(database);
  const searched = {
    ids: [knowledgeBaseId],
    languages: [],
    passageCount: passages,
    lengthTotal: passages,
    storedPassages: passages,
  };
  return {
    async find(meaning: QueryMeaning): Promise<Found[] | undefined> {
      const json = await findNearest(database, { meaning, searched }, indexes);
      if (json === undefined) return undefined;
      const found = JSON.parse(json) as Found[]; // its columns, as the statement names them
      return found.sort((left, right) => left.distance - right.distance).slice(0, NEAREST);
    },
    end: () => database.destroy(),
  };
}

/** The part of the nearest passages that were found: of all, and of the best ones. */
function addFound(trial: Trial, name: string, queries: readonly ExactQuery[], found: Found[][]): void {
  const keys = found.map((rows) => new Set(rows.map((row) => keyOf(row.document_id, row.position))));
  for (const most of [NEAREST, BEST]) {
    const shares = queries.map(({ nearest }, i) => {
      const wanted = nearest.slice(0, most);
      return wanted.filter((key) => keys[i]?.has(key)).length / wanted.length;
    });
    tellFigure(trial, `${name}: of the ${most} nearest by the numbers`, 100 * mean(shares), '%');
  }
}

/** Measures what a comparison of all passages' signs finds, how long it takes, and what the index finds, if any. */
export async function measureRecall(trial: Trial, queries: readonly ExactQuery[]): Promise<void> {
  const index = createIndexSearch(trial);
  const [bySigns, byIndex, times] = [[] as Found[][], [] as Found[][], [] as number[]];
  await withServiceDatabase(trial.service, async (client) => {
    for (const { vector } of queries) {
      const inSpace = trial.space.toSpace(vector);
      if (inSpace === undefined) throw new Error('a query without a vector');
      const meaning = meaningOfModel({ generation: trial.own.generation, vector: inSpace });
      const startedAtMs = performance.now();
      bySigns.push(await compareAll(client, trial, meaning));
      times.push(performance.now() - startedAtMs);
      const found = await index.find(meaning);
      if (found !== undefined) byIndex.push(found);
    }
  }).finally(index.end);
  if (byIndex.length === 0) {
    tellFigure(trial, 'comparing all signs: p50', percentile(times, 0.5), 'ms');
    return addFound(trial, 'comparing all signs', queries, bySigns);
  }
  const shares = byIndex.map((found, i) => {
    const furthest = bySigns[i]?.at(-1)?.distance ?? 0;
    return found.filter(({ distance }) => distance <= furthest).length / NEAREST;
  });
  tellFigure(trial, `index: recall@${NEAREST} of comparing all signs`, 100 * mean(shares), '%');
  addFound(trial, 'index', queries, byIndex);
}
