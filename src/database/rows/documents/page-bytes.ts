/** Bounds the bytes of a page of documents. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentRow } from './documents.ts';
import { documentColumns } from './new-documents.ts';

/**
 * A thousand documents with 4 KiB of attributes each. To read and write so much blocks the event loop for a tenth of a
 * second.
 */
const PAGE_BYTES_MAX = 4 * 1024 ** 2;

/**
 * The first rows of `listed`, in its order, up to the row with which their attributes, source URLs and external ids
 * reach PAGE_BYTES_MAX. `found`: the number of rows of `listed`. The bytes of a document are a column, so that no
 * attributes are read for their length.
 */
export const withinPageBytes = (listed: RawBuilder<DocumentRow>) => sql<DocumentRow & { found: number }>`
  SELECT ${documentColumns}, found FROM (
    SELECT *, (count(*) OVER ())::integer AS found,
      sum(storage_bytes - size_bytes) OVER (
        ORDER BY created_at DESC, id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM (${listed}) AS listed) AS weighed
  WHERE coalesce(bytes_before, 0) < ${sql.lit(PAGE_BYTES_MAX)}
  ORDER BY created_at DESC, id DESC`;
