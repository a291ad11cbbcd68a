/** Reads a document's passages, and maps their rows to the contract. */
import { type RawBuilder, sql } from 'kysely';
import type { Highlight, LanguageShare, Passage, PassageLocation } from '../../../../generated/types.gen.ts';
import { formatScopedId, type OwnedId } from '../../../terms/ids.ts';
import { type LaterStarts, lastPageOf, valueAt } from '../../../terms/later-starts.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepareRead } from '../../connection/prepared.ts';
import { isLongPage } from '../row-position.ts';

/** The columns of the contract's passage. */
export type PassageRow = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  content: string;
  start_offset: number;
  end_offset: number;
  page: number | null;
  headings: string[];
  time_ms: number | null;
  later_starts: LaterStarts | null;
};

/** The contract's id of a passage: the document's id and the passage's position in it. */
export const passageId = (row: Pick<PassageRow, 'knowledge_base_id' | 'document_id' | 'position'>): string =>
  `${formatScopedId({ knowledgeBaseId: row.knowledge_base_id, id: row.document_id })}_${row.position}`;

/**
 * The passage's location in its document; `page` only where the format has pages, `time` only in subtitles,
 * `recognised` only where OCR has read it.
 */
export const toLocation = (row: Omit<PassageRow, 'content'>): PassageLocation => ({
  passage: row.position,
  ...(row.page !== null && { page: row.page, ...toLastPage(row.page, row.later_starts) }),
  headings: row.headings,
  start: row.start_offset,
  end: row.end_offset,
  ...(row.time_ms !== null && { time: row.time_ms / 1000 }),
  ...(row.later_starts?.recognised !== undefined && {
    recognised: { confidence: row.later_starts.recognised },
  }),
});

const toLastPage = (page: number, laterStarts: LaterStarts | null): { lastPage?: number } => {
  const lastPage = lastPageOf(page, laterStarts?.pages ?? []);
  return lastPage > page ? { lastPage } : {};
};

/** A range of the content with the page and the time at which it begins. */
export function toHighlight(
  { start, end }: Pick<Highlight, 'start' | 'end'>,
  row: Pick<PassageRow, 'page' | 'time_ms' | 'later_starts'>,
): Highlight {
  const page = valueAt(row.page, row.later_starts?.pages ?? [], start);
  const timeMs = valueAt(row.time_ms, row.later_starts?.times ?? [], start);
  return { start, end, ...(page !== null && { page }), ...(timeMs !== null && { time: timeMs / 1000 }) };
}

/** The contract's passage of a document. */
export const toPassage = (row: PassageRow & { language: string }): Passage => ({
  id: passageId(row),
  content: row.content,
  language: row.language,
  location: toLocation(row),
});

const ofDocument = ({
  knowledgeBaseId,
  id,
  accountId,
}: Record<'knowledgeBaseId' | 'id' | 'accountId', RawBuilder<unknown>>) => sql`
  knowledge_base_id = ${knowledgeBaseId}::uuid AND document_id = ${id}::uuid AND account_id = ${accountId}::uuid`;

const listRows = prepareRead(
  'list_passages',
  ['knowledgeBaseId', 'id', 'accountId', 'after', 'to', 'limit'],
  ({ after, to, limit, ...document }) => sql<PassageRow & { language: string }>`
    SELECT knowledge_base_id, document_id, position, content, start_offset, end_offset, page, headings, time_ms,
      later_starts, language
    FROM passages WHERE ${ofDocument(document)} AND position > ${after}::integer AND position <= ${to}::integer
    ORDER BY position LIMIT ${limit}::integer`,
);

/** PostgreSQL's largest integer. */
const POSITION_MAX = 2_147_483_647;

/**
 * The passages of an account's document after the position `after`, up to the position `to`, in their order, `limit` at
 * most.
 */
export async function readPassages(
  database: Queryable,
  document: OwnedId,
  { after, to = POSITION_MAX, limit }: { after: number; to: number | undefined; limit: number | undefined },
): Promise<(PassageRow & { language: string })[]> {
  const { knowledgeBaseId, id, accountId } = document;
  const range = { knowledgeBaseId, id, accountId, after, to, limit };
  return await listRows(database, range, limit === undefined || isLongPage(limit));
}

const endOf = (document: Parameters<typeof ofDocument>[0]) => sql<{ end: number }>`
  SELECT end_offset AS "end" FROM passages WHERE ${ofDocument(document)} ORDER BY position DESC LIMIT 1`;

const readEnd = prepareRead('read_end_of_text', ['knowledgeBaseId', 'id', 'accountId'], endOf);

type RangeRow = { content: string; start_offset: number; end_offset: number; length: number };

/** The passages in a range, each with the length of the whole text. */
const readRange = prepareRead(
  'read_text',
  ['knowledgeBaseId', 'id', 'accountId', 'start', 'end'],
  ({ start, end, ...document }) => sql<RangeRow>`
    SELECT content, start_offset, end_offset, (${endOf(document)}) AS length FROM passages
    WHERE ${ofDocument(document)} AND end_offset > ${start}::integer AND start_offset < ${end}::integer
    ORDER BY position`,
);

/** Code points of a range that is read together with other requests' ranges: as long as a short page of passages. */
const SHORT_RANGE_LENGTH = 100_000;

const HAS_SURROGATES = /[\ud800-\udfff]/;

/** The part of `text` from code point `start` to `end`. A text without surrogates has as many units as code points. */
function sliceCodePoints(text: string, start: number, end: number): string {
  if (start <= 0 && end >= text.length) return text;
  return HAS_SURROGATES.test(text) ? [...text].slice(start, end).join('') : text.slice(start, end);
}

/**
 * The text of an account's document from code point `start` to `end`, and the length of its whole text. One line break
 * stands for each character between two passages: white space, or without a visible form.
 */
export async function readText(
  database: Queryable,
  { knowledgeBaseId, id, accountId }: OwnedId,
  { start, end }: { start: number; end: number },
): Promise<{ text: string; length: number }> {
  const document = { knowledgeBaseId, id, accountId };
  const rows = await readRange(database, { ...document, start, end }, end - start > SHORT_RANGE_LENGTH);
  const length = rows[0]?.length ?? (await readEnd(database, document))[0]?.end ?? 0;
  let text = '';
  let reached = start;
  const fillTo = (offset: number) => {
    text += '\n'.repeat(Math.max(0, offset - reached));
    reached = Math.max(reached, offset);
  };
  for (const { content, start_offset, end_offset } of rows) {
    fillTo(start_offset);
    text += sliceCodePoints(content, reached - start_offset, end - start_offset);
    reached = Math.min(end, end_offset);
  }
  fillTo(Math.min(end, length));
  return { text, length };
}

const findLanguages = prepareRead(
  'count_languages',
  ['knowledgeBaseId', 'id', 'accountId'],
  (document) => sql<LanguageShare>`
    SELECT language, count(*) AS "passageCount" FROM passages WHERE ${ofDocument(document)}
    GROUP BY language ORDER BY "passageCount" DESC, language`,
);

/** The languages of the passages of an account's document, the most frequent first. */
export const countLanguages = (
  database: Queryable,
  { knowledgeBaseId, id, accountId }: OwnedId,
): Promise<LanguageShare[]> => findLanguages(database, { knowledgeBaseId, id, accountId });
