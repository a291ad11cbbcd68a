/** The tables as Kysely sees them; `schema.sql` in this folder shows the schema after all migrations. */

import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type {
  Attributes,
  DocumentErrorCode,
  DocumentStatus,
  DocumentType,
  DocumentWarning,
  Filter,
  SubscribableEventType,
  WebhookEventType,
} from '../../../generated/types.gen.ts';
import type { LaterStarts } from '../../terms/later-starts.ts';

/** Written in SQL or as a Date, read as a Date. */
type Timestamp = ColumnType<Date, Date, Date>;
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** The owner of everything. A null limit means the server's setting. */
type AccountTable = {
  id: string;
  name: string;
  storage_limit_bytes: number | null;
  knowledge_base_limit: number | null;
  created_at: Timestamp;
};

/** Separate from `accounts`, because every query changes it, and the storage limit's lock must not wait for that. */
type AccountBalanceTable = { account_id: string; credits: number };

/** What a key may do: `search` reads only, `write` also changes. */
export type KeyScope = 'search' | 'write';

type ApiKeyTable = {
  id: string;
  account_id: string;
  name: string;
  secret_hash: Buffer;
  created_at: Timestamp;
  expires_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
  scope: Generated<KeyScope>;
  /** Null: all of the account. Some of these may be deleted. */
  knowledge_base_ids: string[] | null;
  /** The first use on the last day of use. */
  last_used_at: NullableTimestamp;
  /** Which documents exist for the key; null: all. Such a key has an `expires_at` in 1970: see migration 0032. */
  filter: JSONColumnType<Filter, string | undefined, string> | null;
  filter_expires_at: NullableTimestamp;
};

/** A deletion marks the knowledge base at once; a job purges it. */
type KnowledgeBaseTable = {
  knowledge_base_id: string;
  account_id: string;
  name: string;
  description: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: NullableTimestamp;
};

/** Counters of one knowledge base, changed in the same transaction as its documents and passages. */
type KnowledgeBaseStatisticsTable = {
  knowledge_base_id: string;
  account_id: string;
  document_count: Generated<number>;
  storage_bytes: Generated<number>;
  passage_count: Generated<number>;
  /** Sum of the passages' lengths in letters, as BM25 needs it. */
  passage_length_total: Generated<number>;
  /** Rows of `document_frequencies` at the last count, and how many of them were added, removed or changed since. */
  distinct_lexemes: Generated<number>;
  merged_lexemes: Generated<number>;
};

/** The languages in which a knowledge base's passages were analysed; a query is analysed in the same ones. */
type LanguageStatisticsTable = {
  knowledge_base_id: string;
  account_id: string;
  language: string;
  passage_count: number;
};

/** Document frequency of each lexeme, counted in passages. */
type DocumentFrequencyTable = {
  knowledge_base_id: string;
  account_id: string;
  lexeme: string;
  passage_count: number;
};

/** A document with more lexemes gets several rows of deltas. Merging one row takes a tenth of a second at most. */
export const LEXEMES_PER_DELTA = 5_000;

/** Frequency deltas: by how much one import or deletion changes each lexeme's passage count. A worker merges them. */
type DocumentFrequencyDeltaTable = {
  knowledge_base_id: string;
  id: string;
  account_id: string;
  passage_counts: JSONColumnType<Record<string, number>>;
};

type DocumentTable = {
  knowledge_base_id: string;
  id: string;
  account_id: string;
  title: string;
  /** The file name of an upload, or the title of imported text. */
  source: string;
  type: DocumentType;
  size_bytes: number;
  status: DocumentStatus;
  error_code: DocumentErrorCode | null;
  error_message: string | null;
  /** What extraction could not read of the file. A server of 0.2 writes sentences alone. */
  warnings: JSONColumnType<(DocumentWarning | string)[], string | undefined, string>;
  page_count: number | null;
  /** The number of its rows in `passages`, stored because lists would otherwise have to count them. */
  passage_count: Generated<number>;
  file_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** When the first try of its import began. Null: it is still queued, or it is an imported text. */
  processing_since: NullableTimestamp;
  /** When it was put into the queue again, after its import had failed; null: never. */
  queued_at: NullableTimestamp;
  attributes: JSONColumnType<Attributes, string | undefined, string>;
  source_url: string | null;
  /** The caller's own id. Of the processed documents of a knowledge base, one has it. */
  external_id: string | null;
  /** Of the text in UTF-8, or of the file's bytes. Null: not known yet, or a text from before this column. */
  sha256: Buffer | null;
  /** The document that was found under the external id before this one. */
  replaces: string | null;
  /** How many of its pages OCR has recognised, of those that it tries; null: none yet. */
  recognition: JSONColumnType<{ done: number; of: number }> | null;
  /** What the document counts as stored: its size, attributes, source URL and external id. */
  storage_bytes: GeneratedAlways<number>;
};

/** An upload ticket, which becomes the uploaded file. */
type FileTable = {
  knowledge_base_id: string;
  id: string;
  account_id: string;
  file_name: string;
  size_bytes: number;
  /** The name of the file's object in the store; null until the bytes have arrived. */
  object_name: string | null;
  /** For bytes sent directly to the store: null until an import has read them. */
  sha256: Buffer | null;
  document_id: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  uploaded_at: NullableTimestamp;
  /**
   * Until when its bytes count towards the limit although they have not arrived. Null: until the store was checked.
   */
  reserved_until: NullableTimestamp;
  /** The document that was the answer to its import, because it has the same content. The bytes are removed. */
  duplicate_of: string | null;
};

type PassageTable = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  account_id: string;
  content: string;
  /** Offsets in code points into the document's extracted text. */
  start_offset: number;
  end_offset: number;
  page: number | null;
  headings: JSONColumnType<string[]>;
  language: string;
  /** From the start of the recording to its first cue. Null: it is no subtitle. */
  time_ms: number | null;
  /** The pages and cues that begin inside the passage. Null: none does, or a server of 0.2 has written it. */
  later_starts: JSONColumnType<LaterStarts> | null;
};

/** The part of a passage that scoring reads. */
type PassageLexemesTable = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  account_id: string;
  /** Of the content, in letters (indexing/split/passage-size.ts). */
  length: number;
  /** tsvector with positions and weights: title A, headings B, content D. */
  lexemes: string;
};

/** What is compared of a passage's meaning, in a row for each generation of vectors (meaning/). */
type PassageVectorTable = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  /** Which vectors of words, or which model, it is made of. Vectors of different generations are never compared. */
  generation: number;
  account_id: string;
  /** Bits (see `packVector` in meaning/). Null: no word of the passage has a vector. */
  vector: string | null;
};

/** A model of which passages have vectors, or are to get them: see vector-generations.ts. */
type VectorGenerationTable = {
  generation: number;
  url: string;
  model: string;
  dimensions: number;
  query_prefix: string;
  passage_prefix: string;
  /** The mean of the vectors of some fixed sentences, as 32-bit floating-point numbers, the lowest byte first. */
  mean: Buffer;
  /** When a server wanted it last. Vectors are made by the model that was wanted last. */
  wanted_at: Timestamp;
  /** Null: it has never been compared with queries. The one that became current last is. */
  current_since: NullableTimestamp;
  /**
   * Whether its vectors are to be removed, or have been. The row stays, so that no other generation gets its number.
   */
  is_retired: Generated<boolean>;
  /** Of the current one: whether the vectors of all others have been removed. */
  is_alone: Generated<boolean>;
};

/** A document whose passages are to get vectors of a model: see documents-without-vectors.ts. */
type DocumentWithoutVectorsTable = {
  knowledge_base_id: string;
  document_id: string;
  account_id: string;
  /** The model that was wanted when the row was written, or taken last. */
  generation: number;
  /** The position of the last passage that the current try has got to. */
  after_position: Generated<number>;
  /** How often all its passages were tried, and some have got no vector. */
  tries: Generated<number>;
  queued_at: Timestamp;
  due_at: Timestamp;
};

/** The address of a document that was imported by it. */
type DocumentAddressTable = {
  knowledge_base_id: string;
  document_id: string;
  account_id: string;
  url: string;
  /** Whether the file is read also if it has not changed since the last import. */
  reads_anew: boolean;
  /** Where the redirects of the address led. Null: the file was not fetched yet, here and below. */
  final_url: string | null;
  /** What the server said about the version of the file. Null: nothing. */
  etag: string | null;
  last_modified: string | null;
  /** The encoding of the file by its Content-Type. Null: it names none. */
  charset: string | null;
};

/** An import by address that made nothing new: its document `id` is gone, and `document_id` has its content. */
type UnchangedImportTable = {
  knowledge_base_id: string;
  id: string;
  account_id: string;
  document_id: string;
  ended_at: Timestamp;
};

/** The kept answer to a request with an Idempotency-Key; null only until the transaction that makes it commits. */
type IdempotencyKeyTable = {
  account_id: string;
  operation: string;
  idempotency_key: string;
  /** SHA-256 of the request's content. */
  request_hash: Buffer;
  answer: JSONColumnType<object> | null;
  created_at: Timestamp;
};

/** A key's current minute, or its last one. `requests` includes the `leased` ones of the last statement. */
type RateLimitCounterTable = { key_id: string; requests: number; leased: number; ends_at: Timestamp };

/** Where an account receives its events. Null `events` or `knowledge_base_ids`: all. */
type WebhookTable = {
  id: string;
  account_id: string;
  url: string;
  /** The key of the signatures, as it is: signing needs it. */
  secret: Buffer;
  events: SubscribableEventType[] | null;
  knowledge_base_ids: string[] | null;
  created_at: Timestamp;
  /** When the first of the current series of failures happened; null after a success. */
  failing_since: NullableTimestamp;
  /** The length of that series, in leases. */
  failures: Generated<number>;
  /** The webhook is not leased before this time. */
  retry_at: Timestamp;
  /** Until when one server delivers. Another server takes over afterwards. */
  leased_until: NullableTimestamp;
  disabled_at: NullableTimestamp;
  disabled_reason: string | null;
};

/** An event that a receiver has not accepted yet. The rows of one document are in the order of its changes. */
type WebhookEventTable = {
  webhook_id: string;
  position: GeneratedAlways<number>;
  account_id: string;
  /** The same for all webhooks that receive the event. */
  id: string;
  type: SubscribableEventType;
  knowledge_base_id: string;
  /** Null: the event tells of the whole knowledge base. */
  document_id: string | null;
  data: JSONColumnType<object>;
  created_at: Timestamp;
  /** The next attempt comes at this time or later. */
  due_at: Timestamp;
  attempts: Generated<number>;
  failing_since: NullableTimestamp;
};

/** A group of synonyms of a knowledge base, or of the whole account: a nil UUID as `knowledge_base_id`. */
type SynonymGroupTable = {
  knowledge_base_id: string;
  account_id: string;
  /** In the order in which its user has set the groups, from 0. */
  position: number;
  terms: string[];
  /** Null: the terms find each other. Otherwise they find these, one way only. */
  finds: string[] | null;
  /** By which a query finds the group: see search/synonyms/group-keys.ts. */
  keys: string[];
};

/** A session of the console that its user has ended: see ended-sessions.ts. */
type EndedSessionTable = { id: string; expires_at: Timestamp };

/** An account that wants its queries kept: see search/history/. Without its row, they are removed. */
type QueryHistoryTable = { account_id: string; kept_since: Timestamp };

/** A query that was answered, of an account that wants that. */
type KeptQueryTable = {
  account_id: string;
  sent_at: Timestamp;
  id: string;
  /** What it asked for, in the form of the contract. */
  request: JSONColumnType<object>;
  bytes: number;
  /** Those that the request names. */
  knowledge_base_ids: string[];
  result_count: number;
  duration_ms: number;
};

/** An attempt to deliver an event. Only the last ones of each webhook are kept. */
type WebhookDeliveryTable = {
  webhook_id: string;
  position: GeneratedAlways<number>;
  account_id: string;
  event_id: string;
  event_type: WebhookEventType;
  attempt: number;
  sent_at: Timestamp;
  duration_ms: number;
  /** Of the answer; null: there was none. */
  status: number | null;
  /** Null: the receiver has accepted the event. */
  error: string | null;
};

/** A job of a queue: see jobs.ts. */
type KnowledgeJobTable = {
  id: Generated<string>;
  queue: string;
  account_id: string;
  knowledge_base_id: string;
  document_id: string;
  /** How often a worker has taken it. */
  tries: Generated<number>;
  created_at: Timestamp;
  due_at: Timestamp;
  started_at: NullableTimestamp;
  ended_at: NullableTimestamp;
  /** A worker may take it together with other small jobs of its account. */
  is_small: Generated<boolean>;
};

export type Tables = {
  accounts: AccountTable;
  account_balances: AccountBalanceTable;
  api_keys: ApiKeyTable;
  knowledge_bases: KnowledgeBaseTable;
  knowledge_base_statistics: KnowledgeBaseStatisticsTable;
  language_statistics: LanguageStatisticsTable;
  document_frequencies: DocumentFrequencyTable;
  document_frequency_deltas: DocumentFrequencyDeltaTable;
  documents: DocumentTable;
  files: FileTable;
  passages: PassageTable;
  passage_lexemes: PassageLexemesTable;
  passage_vectors: PassageVectorTable;
  vector_generations: VectorGenerationTable;
  documents_without_vectors: DocumentWithoutVectorsTable;
  document_addresses: DocumentAddressTable;
  unchanged_imports: UnchangedImportTable;
  idempotency_keys: IdempotencyKeyTable;
  rate_limit_counters: RateLimitCounterTable;
  webhooks: WebhookTable;
  webhook_events: WebhookEventTable;
  webhook_deliveries: WebhookDeliveryTable;
  knowledge_jobs: KnowledgeJobTable;
  synonym_groups: SynonymGroupTable;
  ended_sessions: EndedSessionTable;
  query_histories: QueryHistoryTable;
  kept_queries: KeptQueryTable;
};
