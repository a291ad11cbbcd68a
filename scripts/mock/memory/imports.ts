/** Imports of files: they take time, and end processed or failed. No timers: see `advanceImports`. */
import { isUnfinished } from '../../../src/database/rows/documents/documents.ts';
import type { ExtractedText } from '../../../src/indexing/split/extracted-text.ts';
import { toPassages } from './passages.ts';
import { failureByName } from './read-file.ts';
import { documentsOf, removeDocument, type State, type StoredDocument, type StoredFile } from './state.ts';

/** Makes a document searchable. It takes the place of the earlier ones with its external id. */
export function publish(state: State, document: StoredDocument, extracted: ExtractedText): void {
  const { row, file } = document;
  const { external_id, knowledge_base_id: knowledgeBaseId, title, id } = row;
  document.text = extracted.text;
  document.passages = toPassages(extracted, {
    document: { knowledgeBaseId, id },
    title,
    isText: file === undefined,
  });
  row.status = 'processed';
  row.passage_count = document.passages.length;
  if (external_id === null) return;
  for (const other of documentsOf(state, knowledgeBaseId)) {
    const isEarlier = other.row.created_at < row.created_at;
    if (other !== document && other.row.external_id === external_id && isEarlier)
      removeDocument(state, other);
  }
}

/** Starts the import of a document's file. It ends by itself, when the time has come. */
export function startReading({ importMs, now }: State, document: StoredDocument): void {
  const time = now().getTime();
  document.reading = { startsAt: time + importMs / 2, endsAt: time + importMs };
}

/** Ends the import of a file: processed, failed or timed out. */
function endReading(state: State, document: StoredDocument, file: StoredFile): void {
  const { row } = document;
  document.reading = undefined;
  row.updated_at = state.now();
  if (file.received === undefined) return;
  const { content, sha256 } = file.received;
  row.type = content.type;
  row.page_count = content.pageCount ?? null;
  row.warnings = content.warnings ?? [];
  row.sha256 = sha256;
  const failure = failureByName(file.fileName, file.tries++) ?? content.failure;
  if (failure === undefined) {
    if (content.extracted !== undefined) publish(state, document, content.extracted);
    return;
  }
  row.status = failure.code === 'PROCESSING_TIMEOUT' ? 'timeout' : 'failed';
  row.error_code = failure.code;
  row.error_message = failure.message;
}

/** Brings all imports to the state that they have by now. Called before each answer, so that no timer is needed. */
export function advanceImports(state: State): void {
  const time = Date.now();
  for (const document of state.documents.values()) {
    const { row, reading, file } = document;
    if (reading === undefined || file === undefined) continue;
    if (time >= reading.endsAt) endReading(state, document, file);
    else if (time >= reading.startsAt && row.status === 'pending') {
      row.status = 'processing';
      row.updated_at = state.now();
    }
  }
}

/** The position of a pending document in the queue of imports, from 1. */
export function queuePositionOf({ documents }: State, { row }: StoredDocument): number {
  const isBefore = (other: StoredDocument) =>
    other.row.status === 'pending' && other.row.created_at < row.created_at;
  return 1 + [...documents.values()].filter(isBefore).length;
}

/** Milliseconds until the status of a document is final. The documents of the seed never end their import. */
export function timeLeft({ row, reading }: StoredDocument): number {
  if (!isUnfinished(row)) return 0;
  return reading === undefined ? Number.POSITIVE_INFINITY : Math.max(0, reading.endsAt - Date.now());
}
