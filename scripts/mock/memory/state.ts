/**
 * What the mock remembers: one Map for each resource, and plain functions over them. Rows have the form of the
 * service's tables, so that the service's own functions turn them into the contract's resources.
 */
import { LRUCache } from 'lru-cache';
import type {
  DocumentsByStatus,
  KeptQuery,
  Key,
  KnowledgeBase,
  SynonymGroup,
  Webhook,
} from '../../../generated/types.gen.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { DocumentRow } from '../../../src/database/rows/documents/documents.ts';
import {
  diskFull,
  documentNotFound,
  fileNotFound,
  knowledgeBaseNotFound,
  storageLimitExceeded,
  webhookNotFound,
} from '../../../src/terms/errors.ts';
import {
  formatScopedId,
  parseDocumentId,
  parseDocumentIds,
  parseFileId,
  parseKnowledgeBaseId,
  parseKnowledgeBaseIds,
  parseWebhookId,
  type ScopedId,
} from '../../../src/terms/ids.ts';
import type { IndexedPassage } from './passages.ts';
import type { FileContent } from './read-file.ts';

export type KnowledgeBaseRow = Pick<KnowledgeBase, 'id' | 'name' | 'description'> & {
  createdAt: Date;
  updatedAt: Date;
};

/** `received`: when the bytes have arrived. `tries`: how often an import has read the file. */
export type StoredFile = ScopedId & {
  fileName: string;
  sizeBytes: number;
  expiresAt: Date;
  tries: number;
  received?: { content: FileContent; sha256: Buffer; uploadedAt: Date };
  documentId?: string;
  duplicateOf?: string;
};

/** An import under way, in milliseconds since 1970. */
type Reading = { startsAt: number; endsAt: number };

/** `file`: absent if the document is imported text. `reading`: while an import is under way. */
export type StoredDocument = {
  row: DocumentRow & { source: string };
  text: string;
  passages: IndexedPassage[];
  file?: StoredFile;
  reading?: Reading | undefined;
};

/** The keys of the Maps are the contract's ids. `answers`: to requests with an Idempotency-Key. */
export type State = {
  knowledgeBases: Map<string, KnowledgeBaseRow>;
  documents: Map<string, StoredDocument>;
  files: Map<string, StoredFile>;
  webhooks: Map<string, Webhook>;
  keys: Map<string, Key>;
  /** By knowledge base; the account's have no name. */
  synonyms: Map<string, SynonymGroup[]>;
  /** The last queries, the latest first. Undefined: queries are not kept. */
  history: { keptSince: Date; queries: KeptQuery[] } | undefined;
  answers: LRUCache<string, { hash: string; answer: object }>;
  balance: number;
  importMs: number;
  /** The time, in milliseconds. It never returns the same time twice, so that lists have one order. */
  now(): Date;
};

/** The service's default settings. */
export const SETTINGS = readConfig({});

/** The limits of the account. The mock does not limit the rate of requests. */
export const LIMITS = {
  storage: SETTINGS.storageLimitBytes,
  knowledgeBases: SETTINGS.knowledgeBaseLimit,
  requestsPerMinute: null,
};

/**
 * Characters that all texts and attributes together may have. A resource counts as RESOURCE_CHARACTERS besides, more
 * than its names and descriptions have. Ten million characters of random words, of fifty thousand, take 135 MB.
 */
const CHARACTERS_MAX = 10_000_000;
const RESOURCE_CHARACTERS = 2_000;
/** Answers to requests with an Idempotency-Key, and the characters that these have. The oldest are forgotten. */
const KEPT_ANSWERS_MAX = 1_000;
const KEPT_CHARACTERS_MAX = 1_000_000;

/** `importMs`: the time between the import of a file and its end. */
export function createState({ importMs }: { importMs: number }): State {
  let last = 0;
  return {
    knowledgeBases: new Map(),
    documents: new Map(),
    files: new Map(),
    webhooks: new Map(),
    keys: new Map(),
    synonyms: new Map(),
    history: undefined,
    answers: new LRUCache({
      max: KEPT_ANSWERS_MAX,
      maxSize: KEPT_CHARACTERS_MAX,
      sizeCalculation: ({ answer }) => JSON.stringify(answer).length,
    }),
    balance: SETTINGS.initialCredits,
    importMs,
    now() {
      last = Math.max(last + 1, Date.now());
      return new Date(last);
    },
  };
}

/** @throws KNOWLEDGE_BASE_NOT_FOUND */
export function requireKnowledgeBase({ knowledgeBases }: State, id: string): KnowledgeBaseRow {
  const knowledgeBase = knowledgeBases.get(parseKnowledgeBaseId(id, undefined));
  if (knowledgeBase === undefined) throw knowledgeBaseNotFound();
  return knowledgeBase;
}

/** @throws DOCUMENT_NOT_FOUND */
export function requireDocument({ documents }: State, id: string): StoredDocument {
  const document = documents.get(formatScopedId(parseDocumentId(id, undefined)));
  if (document === undefined) throw documentNotFound();
  return document;
}

/** @throws FILE_NOT_FOUND */
export function requireFile({ files }: State, id: string): StoredFile {
  const file = files.get(formatScopedId(parseFileId(id, undefined)));
  if (file === undefined) throw fileNotFound();
  return file;
}

/** @throws WEBHOOK_NOT_FOUND */
export function requireWebhook({ webhooks }: State, id: string): Webhook {
  const webhook = webhooks.get(parseWebhookId(id));
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}

/** The distinct ids among `texts`. @throws KNOWLEDGE_BASE_NOT_FOUND for the first unknown one */
export function requireKnowledgeBases({ knowledgeBases }: State, texts: string[]): string[] {
  const ids = parseKnowledgeBaseIds(texts, undefined);
  const unknown = ids.find((id) => !knowledgeBases.has(id));
  if (unknown !== undefined) throw knowledgeBaseNotFound(unknown, ids);
  return ids;
}

/** The distinct documents with these ids. @throws DOCUMENT_NOT_FOUND for the first unknown one */
export function requireDocuments({ documents }: State, texts: string[]): StoredDocument[] {
  const ids = parseDocumentIds(texts, undefined).map(formatScopedId);
  return ids.map((id) => {
    const document = documents.get(id);
    if (document === undefined) throw documentNotFound(id, ids);
    return document;
  });
}

/** The documents of a knowledge base. */
export const documentsOf = ({ documents }: State, knowledgeBaseId: string): StoredDocument[] =>
  [...documents.values()].filter(({ row }) => row.knowledge_base_id === knowledgeBaseId);

const sumOf = <Item>(items: Iterable<Item>, amountOf: (item: Item) => number): number =>
  [...items].reduce((sum, item) => sum + amountOf(item), 0);

/** What documents count together: their number, and that in each status, their passages and bytes. */
export function countDocuments(documents: StoredDocument[]) {
  const documentsByStatus: DocumentsByStatus = {
    pending: 0,
    processing: 0,
    processed: 0,
    failed: 0,
    timeout: 0,
  };
  for (const { row } of documents) documentsByStatus[row.status]++;
  return {
    documentCount: documents.length,
    passageCount: sumOf(documents, ({ row }) => row.passage_count),
    storageUsed: sumOf(documents, ({ row }) => row.storage_bytes),
    documentsByStatus,
  };
}

/** What a document counts as stored: its size, attributes, source URL and external id. */
export const storageBytesOf = ({
  size_bytes,
  attributes,
  source_url,
  external_id,
}: Pick<DocumentRow, 'size_bytes' | 'attributes' | 'source_url' | 'external_id'>): number =>
  size_bytes +
  (Object.keys(attributes).length > 0 ? Buffer.byteLength(JSON.stringify(attributes)) : 0) +
  Buffer.byteLength(source_url ?? '') +
  Buffer.byteLength(external_id ?? '');

/** @throws STORAGE_LIMIT_EXCEEDED unless the account may store these bytes too, the bytes of open tickets included */
export function requireStorage({ documents, files, now }: State, bytes: number): void {
  const time = now();
  const openBytes = ({ documentId, expiresAt, sizeBytes }: StoredFile) =>
    documentId === undefined && expiresAt > time ? sizeBytes : 0;
  const stored = sumOf(documents.values(), ({ row }) => row.storage_bytes);
  const used = stored + sumOf(files.values(), openBytes);
  if (used + bytes > LIMITS.storage)
    throw storageLimitExceeded({ limit: LIMITS.storage, used, requested: bytes });
}

/**
 * Keeps the mock's memory bounded. Tickets that have expired unused make room.
 * @throws SERVICE_UNAVAILABLE when there is no memory for another resource with this many characters
 */
export function requireMemory(state: State, characters: number): void {
  const { knowledgeBases, documents, files, webhooks, keys, synonyms } = state;
  const time = state.now();
  for (const [id, file] of files)
    if (file.documentId === undefined && file.expiresAt < time) files.delete(id);
  const resources = knowledgeBases.size + documents.size + files.size + webhooks.size + keys.size;
  const described = sumOf(documents.values(), ({ row }) => row.storage_bytes - row.size_bytes);
  const texts = sumOf(documents.values(), ({ file, text }) => (file === undefined ? text.length : 0));
  const fileTexts = sumOf(files.values(), ({ received }) => received?.content.extracted?.text.length ?? 0);
  const groups = sumOf(synonyms.values(), (ofOwner) => JSON.stringify(ofOwner).length);
  const held = groups + described + texts + fileTexts + resources * RESOURCE_CHARACTERS;
  if (held + characters + RESOURCE_CHARACTERS > CHARACTERS_MAX) throw diskFull();
}

/** Removes a document, and its file. */
export function removeDocument({ documents, files }: State, { row, file }: StoredDocument): void {
  documents.delete(idOf(row));
  if (file !== undefined) files.delete(formatScopedId(file));
}

/** The contract's id of a document. */
export const idOf = ({ knowledge_base_id, id }: Pick<DocumentRow, 'knowledge_base_id' | 'id'>): string =>
  formatScopedId({ knowledgeBaseId: knowledge_base_id, id });
