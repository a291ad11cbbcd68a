/** Fills the memory of the mock with the documents of seed.yaml. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { v7 as uuidv7 } from 'uuid';
import type {
  Attributes,
  DocumentError,
  DocumentStatus,
  DocumentType,
  DocumentWarning,
} from '../../../generated/types.gen.ts';
import type { ExtractedText, Heading } from '../../../src/indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../src/indexing/split/markdown.ts';
import { formatScopedId } from '../../../src/terms/ids.ts';
import { publish } from './imports.ts';
import { createDocument } from './operations/documents.ts';
import { type FileContent, PAGED_TYPES } from './read-file.ts';
import { idOf, type State, type StoredDocument } from './state.ts';

/**
 * A document of seed.yaml. It is processed if it has neither `status` nor `error`. With `status`, it stays pending or
 * being processed for ever.
 */
type SeedDocument = {
  id?: string;
  fileId?: string;
  title: string;
  type: DocumentType;
  size?: number;
  status?: 'pending' | 'processing';
  text?: string;
  pageCount?: number;
  warnings?: DocumentWarning[];
  error?: DocumentError;
  attributes?: Attributes;
  sourceUrl?: string;
  externalId?: string;
  createdAt?: string;
};

type SeedKnowledgeBase = {
  id?: string;
  name: string;
  description: string;
  createdAt: string;
  documents: SeedDocument[];
};

/** The time between two documents. */
const STEP_MS = 9 * 3_600_000 + 17 * 60_000;

function statusOf({ status, error }: SeedDocument): DocumentStatus {
  if (error === undefined) return status ?? 'processed';
  return error.code === 'PROCESSING_TIMEOUT' ? 'timeout' : 'failed';
}

const HEADING = /^(#+) (.+)$/;

/** The text of a seed. Files other than Markdown have their headings without marks, and one page for each of them. */
function extractSeed(type: DocumentType, markdown: string): ExtractedText {
  if (type === 'text' || type === 'md') return scanMarkdown(markdown);
  const headings: Heading[] = [];
  let text = '';
  for (const line of markdown.trimEnd().split('\n')) {
    const [, marks, title = line] = HEADING.exec(line) ?? [];
    const [start, end] = [text.length, text.length + title.length];
    if (marks !== undefined) headings.push({ start, end, level: marks.length, text: title });
    text += `${title}\n`;
  }
  const starts = headings.length > 0 ? headings.map(({ start }) => start) : [0];
  const pages = starts.map((offset, i) => ({ offset, page: i + 1 }));
  return { text, headings, pages: PAGED_TYPES.includes(type) ? pages : [], verbatim: [], tables: [] };
}

/** The uploaded file of a document. A later import of a file without text reads the file, and fails again. */
function giveFile(document: StoredDocument, seed: SeedDocument): void {
  const { row } = document;
  const failure = { code: 'FILE_CORRUPT', message: 'The file is damaged.' } as const;
  const content: FileContent =
    seed.text === undefined
      ? { type: seed.type, failure: seed.error ?? failure }
      : { type: seed.type, extracted: extractSeed(seed.type, seed.text) };
  document.file = {
    knowledgeBaseId: row.knowledge_base_id,
    id: seed.fileId ?? uuidv7({ msecs: row.created_at.getTime() }),
    fileName: seed.title,
    sizeBytes: row.size_bytes,
    expiresAt: row.created_at,
    tries: 0,
    received: {
      content: { ...content, ...(seed.pageCount !== undefined && { pageCount: seed.pageCount }) },
      sha256: row.sha256 ?? Buffer.alloc(0),
      uploadedAt: row.created_at,
    },
    documentId: idOf(row),
  };
}

function addDocument(
  state: State,
  knowledgeBaseId: string,
  seed: SeedDocument & { createdAt: string },
): void {
  const { title, type, text = '', error, attributes, sourceUrl, externalId, createdAt } = seed;
  const document = createDocument(state, {
    ...{ knowledgeBaseId, title, type, status: statusOf(seed) },
    sha256: createHash('sha256').update(`${title}\n${text}`).digest(),
    size_bytes: seed.size ?? Buffer.byteLength(text),
    description: { attributes, sourceUrl, externalId },
  });
  const { row } = document;
  row.created_at = new Date(createdAt);
  row.updated_at = row.created_at;
  row.id = seed.id ?? uuidv7({ msecs: row.created_at.getTime() });
  row.error_code = error?.code ?? null;
  row.error_message = error?.message ?? null;
  row.warnings = seed.warnings ?? [];
  row.page_count = row.status === 'processed' || error ? (seed.pageCount ?? null) : null;
  if (type !== 'text') giveFile(document, seed);
  state.documents.set(idOf(row), document);
  if (document.file) state.files.set(formatScopedId(document.file), document.file);
  if (row.status === 'processed') publish(state, document, extractSeed(type, text));
}

/** Adds the knowledge bases and documents. Their ids are new each time, except the ids of the spec's examples. */
export function seed(state: State): void {
  const file = new URL('./seed.yaml', import.meta.url);
  for (const { documents, ...given } of load(readFileSync(file, 'utf8')) as SeedKnowledgeBase[]) {
    const createdAt = new Date(given.createdAt);
    const id = given.id ?? uuidv7({ msecs: createdAt.getTime() });
    const { name, description } = given;
    state.knowledgeBases.set(id, { id, name, description, createdAt, updatedAt: createdAt });
    for (const [i, document] of documents.entries()) {
      const later = new Date(createdAt.getTime() + (i + 1) * STEP_MS).toISOString();
      addDocument(state, id, { createdAt: later, ...document });
    }
  }
}
