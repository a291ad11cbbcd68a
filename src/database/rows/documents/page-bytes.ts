/** Bounds the bytes of a page of documents. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import type { Tables } from '../../schema/tables.ts';
import type { DocumentRow } from './documents.ts';

/**
 * A thousand documents with 4 KiB of attributes each. To read and write so much blocks the event loop for a tenth of a
 * second.
 */
const PAGE_BYTES_MAX = 4 * 1024 ** 2;

/**
 * The first rows of `listed`, in its order, up to the one with which their attributes, source URLs and external ids
 * reach PAGE_BYTES_MAX. `found`: the number of rows of `listed`. The bytes of a document are a column, so that no
 * attributes are read for their length.
 */
export function withinPageBytes(
  database: Database,
  listed: SelectQueryBuilder<Tables, 'documents', DocumentRow>,
) {
  const order = sql`ORDER BY created_at DESC, id DESC`;
  const weighed = database
    .selectFrom(listed.as('listed'))
    .selectAll()
    .select([
      sql<number>`(count(*) OVER ())::integer`.as('found'),
      sql`sum(storage_bytes - size_bytes) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`.as(
        'bytes_before',
      ),
    ]);
  return database
    .selectFrom(weighed.as('weighed'))
    .selectAll()
    .where(sql<boolean>`coalesce(bytes_before, 0) < ${PAGE_BYTES_MAX}`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}
