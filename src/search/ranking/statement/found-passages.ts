/** What a search returns of a passage, and the SQL that reads it. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../../../generated/types.gen.ts';
import type { DescriptionRow } from '../../../database/rows/documents/documents.ts';
import type { PassageRow } from '../../../database/rows/documents/passages.ts';
import { inShards } from '../../../database/schema/distributed-tables.ts';
import type { Distribution } from '../distribution.ts';

/**
 * Where a model has put a passage (see rerank-best.ts). `before`, `place`: its score and its place until then, from 1.
 * `relevance`: what the model says of it.
 */
export type Reranked = { before: number; place: number; relevance: number };

/** A passage with its score and the fields of its document that the contract shows. */
export type FoundPassage = PassageRow &
  DescriptionRow & {
    title: string;
    source: string;
    type: DocumentType;
    /** In [0, 1], 6 decimals. */
    score: number;
    /**
     * The score by BM25 alone, with the neighbouring passages, with feedback, and with the meaning; before the division
     * by the upper bound. The last step to the score puts full matches first. `cosine`: see meaning.ts; NULL without
     * one.
     */
    bm25: number;
    combined: number;
    relevant: number;
    unlifted: number;
    cosine: number | null;
    /** How many passages with the same text were left out for this one; undefined where none was to be. */
    duplicates?: number;
    /** Where a model has put it in the order; undefined where none has. */
    reranked?: Reranked;
  };

/** The columns of `FoundPassage`, from the tables of `joinedTables`. */
export function foundColumns({ isDistinct = false } = {}) {
  const duplicates = isDistinct ? sql`, duplicates` : sql``;
  return sql`passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, time_ms, later_starts, headings, documents.title, documents.source, documents.type, attributes, source_url,
      external_id, least(ranked.score, 1) AS score, bm25, combined, relevant, unlifted, cosine${duplicates}`;
}

/**
 * The tables of `foundColumns`: `ranked` (see final-order.ts) with the passages and their documents. Each document
 * exists, but LEFT keeps PostgreSQL from reading documents first, and then all passages of each.
 */
export const joinedTables = (
  { ids }: Record<'ids', RawBuilder<unknown>>,
  { isDistributed }: Distribution,
) => sql`ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    ${isDistributed ? sql`JOIN` : sql`LEFT JOIN`} documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id${
        isDistributed
          ? sql`
      AND ${inShards(ids, 'documents')} AND ${inShards(ids, 'passages')}`
          : sql``
      }`;
