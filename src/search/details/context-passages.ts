/** Reads the passages around found ones, so that a reader sees each of them in its surroundings. */
import { type RawBuilder, sql } from 'kysely';
import type { PassageContext } from '../../../generated/types.gen.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { inEachDistribution } from '../ranking/distribution.ts';
import type { FoundPassage } from '../ranking/statement/found-passages.ts';

type Located = Pick<FoundPassage, 'knowledge_base_id' | 'document_id' | 'position'>;
type NeighbourRow = Located & { content: string };

const readRows = prepare(
  'read_context_passages',
  ['knowledgeBaseIds', 'documentIds', 'positions', 'reach'],
  ...inEachDistribution(
    (
      {
        knowledgeBaseIds,
        documentIds,
        positions,
        reach,
      }: Record<'knowledgeBaseIds' | 'documentIds' | 'positions' | 'reach', RawBuilder<unknown>>,
      distribution,
    ) => sql<NeighbourRow>`
    SELECT DISTINCT knowledge_base_id, document_id, passages.position, content
    FROM unnest(${knowledgeBaseIds}::uuid[], ${documentIds}::uuid[], ${positions}::integer[])
        AS given (knowledge_base_id, document_id, position)
      JOIN passages USING (knowledge_base_id, document_id)
    WHERE passages.position BETWEEN given.position - ${reach}::integer AND given.position + ${reach}::integer${
      distribution.isDistributed
        ? sql`
      AND ${inShards(knowledgeBaseIds, 'passages')}`
        : sql``
    }`,
    'knowledgeBaseIds',
  ),
);

const keyOf = ({ knowledge_base_id, document_id }: Located, position: number): string =>
  `${knowledge_base_id} ${document_id} ${position}`;

/**
 * The texts of the `reach` passages before and after each found passage, in the order of the document. No text comes
 * twice: the context of a passage ends before another found passage, and before the context of a better one. `rows` are
 * the passages around the found ones, and may be more.
 */
export function shareContexts(found: Located[], rows: NeighbourRow[], reach: number): PassageContext[] {
  const unused = new Map(rows.map((row) => [keyOf(row, row.position), row.content]));
  for (const passage of found) unused.delete(keyOf(passage, passage.position));
  const take = (passage: Located, step: 1 | -1): string[] => {
    const taken: string[] = [];
    for (let distance = 1; distance <= reach; distance++) {
      const key = keyOf(passage, passage.position + step * distance);
      const content = unused.get(key);
      if (content === undefined) break;
      unused.delete(key);
      taken.push(content);
    }
    return taken;
  };
  return found.map((passage) => ({ before: take(passage, -1).reverse(), after: take(passage, 1) }));
}

/** Reads the context of each found passage: see `shareContexts`. */
export async function readContexts(
  database: Queryable,
  found: FoundPassage[],
  reach: number,
): Promise<PassageContext[]> {
  const rows = await readRows(database, {
    knowledgeBaseIds: found.map(({ knowledge_base_id }) => knowledge_base_id),
    documentIds: found.map(({ document_id }) => document_id),
    positions: found.map(({ position }) => position),
    reach,
  });
  return shareContexts(found, rows, reach);
}
