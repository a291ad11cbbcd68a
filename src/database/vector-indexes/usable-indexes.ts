/** Which indexes of pgvector searches can use, as far as this server knows. */
import type { Database } from '../connection/database.ts';
import { isDistributed } from '../distribution/distribution.ts';
import { readPgvector, readVectorIndexes } from './vector-indexes.ts';

/** Of one generation: the number of passages of each knowledge base that has an index, the largest first. */
export type UsableIndexes = { schema: string; passageCounts: ReadonlyMap<string, number> };

/** An index may be used, or be missed, for this long after it has been built or dropped. */
const REREAD_MS = 5_000;

export type VectorIndexes = {
  /** undefined: there is none. It never throws. */
  ofGeneration(generation: number): Promise<UsableIndexes | undefined>;
  /** Reads them again at the next search: one could not be used. */
  forget(): void;
};

/** Without pgvector, no search uses an index. */
export const noVectorIndexes: VectorIndexes = { ofGeneration: async () => undefined, forget() {} };

async function readUsable(database: Database): Promise<ReadonlyMap<number, UsableIndexes>> {
  const usable = new Map<number, { schema: string; passageCounts: Map<string, number> }>();
  if (await isDistributed(database)) return usable;
  const { schema } = await readPgvector(database);
  if (schema === null) return usable;
  for (const { generation, knowledgeBaseId, isValid, passageCount } of await readVectorIndexes(database)) {
    if (!isValid || passageCount === null) continue;
    const ofGeneration = usable.get(generation) ?? { schema, passageCounts: new Map() };
    ofGeneration.passageCounts.set(knowledgeBaseId, passageCount);
    usable.set(generation, ofGeneration);
  }
  return usable;
}

/** Reads the indexes of `database` as they were REREAD_MS ago at most. */
export function createVectorIndexes(database: Database): VectorIndexes {
  let read: Promise<ReadonlyMap<number, UsableIndexes>> | undefined;
  let rereadAtMs = 0;
  return {
    async ofGeneration(generation) {
      if (read === undefined || performance.now() >= rereadAtMs) {
        rereadAtMs = performance.now() + REREAD_MS;
        read = readUsable(database).catch(() => new Map());
      }
      return (await read).get(generation);
    },
    forget() {
      read = undefined;
    },
  };
}
