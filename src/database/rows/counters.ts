/** The counters of a knowledge base that do not depend on its lexemes. */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';

/** What documents add to the counters of their knowledge base; for a deletion, the numbers are negative. */
type Change = { documents: number; bytes: number; passages: number; length: number };

export async function changeCounters(
  transaction: Queryable,
  knowledgeBaseId: string,
  change: Change,
): Promise<void> {
  await sql`
    UPDATE knowledge_base_statistics SET
      document_count = document_count + ${change.documents},
      storage_bytes = storage_bytes + ${change.bytes},
      passage_count = passage_count + ${change.passages},
      passage_length_total = passage_length_total + ${change.length}
    WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(transaction);
}

/** Adds a new document of this many bytes to the counters, or several of them, before they have any passages. */
export const countDocument = (
  transaction: Queryable,
  knowledgeBaseId: string,
  bytes: number,
  documents = 1,
): Promise<void> =>
  changeCounters(transaction, knowledgeBaseId, { documents, bytes, passages: 0, length: 0 });
