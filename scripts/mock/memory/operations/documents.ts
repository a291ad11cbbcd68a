/** The operations on documents. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { DocumentFile, DocumentStatusReport, LanguageShare } from '../../../../generated/types.gen.ts';
import { toDocumentFilter } from '../../../../src/database/rows/documents/document-filter.ts';
import {
  type Description,
  type DocumentRow,
  isUnfinished,
  toDocument,
  toStatusReport,
} from '../../../../src/database/rows/documents/documents.ts';
import { toPassage } from '../../../../src/database/rows/documents/passages.ts';
import { byPosition, parseCursor, toPage } from '../../../../src/handlers/pagination.ts';
import { isBlank } from '../../../../src/indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../../src/indexing/split/markdown.ts';
import { clientHungUp, documentNotRetryable } from '../../../../src/terms/errors.ts';
import { formatScopedId } from '../../../../src/terms/ids.ts';
import { fitsFilter } from '../document-filter.ts';
import { advanceImports, publish, queuePositionOf, startReading, timeLeft } from '../imports.ts';
import { countLexemes, type IndexedPassage } from '../passages.ts';
import {
  documentsOf,
  idOf,
  removeDocument,
  requireDocument,
  requireKnowledgeBase,
  requireMemory,
  requireStorage,
  type State,
  type StoredDocument,
  storageBytesOf,
} from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { pageOf } from './pages.ts';

type NewDocument = { knowledgeBaseId: string; description: Description } & Pick<
  DocumentRow,
  'title' | 'type' | 'size_bytes' | 'sha256' | 'status'
>;

/** A new document without text. It is not stored yet. */
export function createDocument(
  state: State,
  { knowledgeBaseId, description, ...given }: NewDocument,
): StoredDocument {
  const { attributes = {}, sourceUrl = null, externalId = null } = description;
  const created_at = state.now();
  const row = {
    ...given,
    source: given.title,
    knowledge_base_id: knowledgeBaseId,
    id: uuidv7(),
    error_code: null,
    error_message: null,
    warnings: [],
    page_count: null,
    recognition: null,
    passage_count: 0,
    created_at,
    updated_at: created_at,
    attributes,
    source_url: sourceUrl,
    external_id: externalId,
    replaces: externalId === null ? null : findReplaced(state, knowledgeBaseId, externalId),
    storage_bytes: 0,
  };
  row.storage_bytes = storageBytesOf(row);
  return { row, text: '', passages: [] };
}

/** The id of the processed document with an external id. */
function findReplaced(state: State, knowledgeBaseId: string, externalId: string): string | null {
  const found = documentsOf(state, knowledgeBaseId).find(
    ({ row }) => row.external_id === externalId && row.status === 'processed',
  );
  return found?.row.id ?? null;
}

type Content = {
  knowledgeBaseId: string;
  title: string;
  sha256: Buffer;
  isText: boolean;
  description: Description;
};

/**
 * The document that has this content already, as the service finds it. Under an external id, its attributes and source
 * URL become the import's, where the import has them.
 */
export function takeUnchanged(
  state: State,
  { knowledgeBaseId, title, sha256, isText, description }: Content,
): StoredDocument | undefined {
  const { externalId } = description;
  const candidates = documentsOf(state, knowledgeBaseId)
    .filter(({ row }) => row.status !== 'failed' && row.status !== 'timeout')
    .filter(({ row }) => externalId === undefined || row.external_id === externalId)
    .sort((a, b) => a.row.created_at.getTime() - b.row.created_at.getTime());
  const hasContent = (document: StoredDocument) => {
    const hash = document.row.sha256 ?? document.file?.received?.sha256;
    return (document.file === undefined) === isText && hash?.equals(sha256) === true;
  };
  if (externalId === undefined) return candidates.find(hasContent);
  const last = candidates.at(-1);
  if (last === undefined || !hasContent(last)) return undefined;
  if ((isText ? last.row.title : last.row.source) !== title) return undefined;
  changeDocument(state, last, description);
  return last;
}

type Change = Pick<Description, 'attributes' | 'sourceUrl'> & { title?: string | undefined };

/** Changes a document, unless it is like that already. A new title is found at once. */
function changeDocument(state: State, { row, passages }: StoredDocument, change: Change): void {
  const { title = row.title, attributes = row.attributes, sourceUrl = row.source_url ?? '' } = change;
  const changed = { ...row, title, attributes, source_url: sourceUrl === '' ? null : sourceUrl };
  changed.storage_bytes = storageBytesOf(changed);
  const added = changed.storage_bytes - row.storage_bytes;
  if (added > 0) {
    requireStorage(state, added);
    requireMemory(state, added);
  }
  if (title !== row.title) for (const passage of passages) passage.frequencies = countLexemes(passage, title);
  if (JSON.stringify(changed) === JSON.stringify(row)) return;
  Object.assign(row, changed, { updated_at: state.now() });
}

const NO_TEXT = { code: 'NO_TEXT_EXTRACTED', message: 'The content holds no readable text.' } as const;

/** The document of a text is processed at once. */
function importText(state: State, { content, ...text }: Content & { content: string }): StoredDocument {
  const size_bytes = Buffer.byteLength(content);
  const document = createDocument(state, { ...text, type: 'text', size_bytes, status: 'processed' });
  requireMemory(state, content.length + document.row.storage_bytes - size_bytes);
  requireStorage(state, document.row.storage_bytes);
  state.documents.set(idOf(document.row), document);
  if (!isBlank(content)) publish(state, document, scanMarkdown(content));
  else
    Object.assign(document.row, {
      status: 'failed',
      error_code: NO_TEXT.code,
      error_message: NO_TEXT.message,
    });
  return document;
}

function reportStatus(state: State, document: StoredDocument): DocumentStatusReport {
  const report = toStatusReport(document.row);
  if (report.status !== 'pending') return report;
  return { ...report, queuePosition: queuePositionOf(state, document) };
}

function countLanguages({ passages }: StoredDocument): LanguageShare[] {
  const byLanguage = Map.groupBy(passages, ({ language }) => language);
  return Array.from(byLanguage, ([language, { length }]) => ({ language, passageCount: length })).sort(
    (a, b) => b.passageCount - a.passageCount || (a.language < b.language ? -1 : 1),
  );
}

/** The contract's file of a document; its hash is known once it was read. */
function showFile({ file, row }: StoredDocument): { file?: DocumentFile } {
  if (file === undefined) return {};
  const uploadedAt = file.received?.uploadedAt.toISOString();
  const sha256 = isUnfinished(row) ? undefined : row.sha256?.toString('hex');
  return {
    file: {
      id: formatScopedId(file),
      ...(uploadedAt !== undefined && { uploadedAt }),
      ...(sha256 !== undefined && { sha256 }),
    },
  };
}

export const documentAnswers = {
  importTextContent({ knowledgeBaseId, title, content, ifUnchanged, ...description }, { state }) {
    requireKnowledgeBase(state, knowledgeBaseId);
    const sha256 = createHash('sha256').update(content).digest();
    const text = { knowledgeBaseId, title, content, sha256, isText: true, description };
    const unchanged = ifUnchanged === 'skip' ? takeUnchanged(state, text) : undefined;
    if (unchanged !== undefined) return { data: { ...toDocument(unchanged.row), unchanged: true } };
    return { data: toDocument(importText(state, text).row) };
  },

  listDocuments(input, { state }) {
    const { knowledgeBaseId, limit, cursor, status, titleContains = '', externalId, filter } = input;
    if (filter !== undefined) toDocumentFilter(filter); // refuses wrong times
    requireKnowledgeBase(state, knowledgeBaseId);
    const wanted = documentsOf(state, knowledgeBaseId)
      .filter(({ row }) => status === undefined || row.status === status)
      .filter(({ row }) => row.title.toLowerCase().includes(titleContains.toLowerCase()))
      .filter(({ row }) => externalId === undefined || row.external_id === externalId)
      .filter((document) => fitsFilter(document, filter));
    const createdAt = (row: DocumentRow) => row.created_at;
    const { page, pagination } = pageOf(
      knowledgeBaseId,
      wanted.map(({ row }) => row),
      { limit, cursor, createdAt },
    );
    return { data: page.map(toDocument), pagination };
  },

  getDocument({ documentId }, { state }) {
    const document = requireDocument(state, documentId);
    const { row } = document;
    const details = { source: row.source, languages: countLanguages(document), ...showFile(document) };
    return { data: { ...toDocument(row), ...details } };
  },

  async getDocumentStatus({ documentId, waitSeconds = 0 }, { state, signal }) {
    const document = requireDocument(state, documentId);
    const leftMs = timeLeft(document);
    // A timer may end a millisecond early by the clock.
    const waitMs = Math.min(leftMs + 1, waitSeconds * 1000);
    if (leftMs > 0 && waitMs > 0) {
      await sleep(waitMs, undefined, { signal: signal() }).catch(() => {
        throw clientHungUp();
      });
      advanceImports(state);
    }
    return { data: reportStatus(state, requireDocument(state, documentId)) };
  },

  getDocumentContent({ documentId, offset = 0, limit = 100_000 }, { state }) {
    const { text, passages } = requireDocument(state, documentId);
    const length = passages.at(-1)?.end_offset ?? 0;
    const [start, end] = [Math.min(offset, length), Math.min(offset + limit, length)];
    return {
      data: { id: documentId, text: [...text].slice(start, end).join(''), start, end, length },
    };
  },

  listPassages({ documentId, limit = 1000, cursor, from = 1, to = Number.POSITIVE_INFINITY }, { state }) {
    const { passages } = requireDocument(state, documentId);
    const after = Math.max(parseCursor(documentId, cursor, byPosition) ?? 0, from - 1);
    const rows: IndexedPassage[] = passages.filter(({ position }) => position > after && position <= to);
    const positionOf = ({ position }: IndexedPassage) => byPosition.write(position);
    const { page, pagination } = toPage(rows, { list: documentId, limit, positionOf });
    return { data: page.map(toPassage), pagination };
  },

  updateDocument({ documentId, ...change }, { state }) {
    const document = requireDocument(state, documentId);
    changeDocument(state, document, change);
    return { data: toDocument(document.row) };
  },

  retryDocument({ documentId }, { state }) {
    const document = requireDocument(state, documentId);
    const { row, file } = document;
    const hasFailed = row.status === 'failed' || row.status === 'timeout';
    if (!hasFailed || file === undefined) throw documentNotRetryable(row.status);
    const emptied = { error_code: null, error_message: null, warnings: [], page_count: null };
    Object.assign(row, emptied, { status: 'pending', updated_at: state.now() });
    startReading(state, document);
    return { data: toDocument(row) };
  },

  deleteDocument({ documentId }, { state }) {
    removeDocument(state, requireDocument(state, documentId));
    return { data: { id: documentId } };
  },
} satisfies Partial<MemoryAnswers>;
