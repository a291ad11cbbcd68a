-- The schema after all migrations. Written by migrate.test.ts (vitest --update), never by hand.

CREATE TABLE account_balances (
  account_id uuid NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK ((credits >= 0))
) WITH (fillfactor=50);

CREATE TABLE accounts (
  id uuid NOT NULL,
  name text NOT NULL,
  storage_limit_bytes bigint,
  knowledge_base_limit integer,
  created_at timestamp with time zone NOT NULL,
  UNIQUE (name),
  PRIMARY KEY (id),
  CHECK ((knowledge_base_limit >= 0)),
  CHECK ((storage_limit_bytes >= 0))
);

CREATE TABLE api_keys (
  id text NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  scope text NOT NULL DEFAULT 'write'::text,
  knowledge_base_ids uuid[],
  last_used_at timestamp with time zone,
  filter jsonb,
  filter_expires_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (
CASE
    WHEN (filter IS NULL) THEN (filter_expires_at IS NULL)
    ELSE ((scope = 'search'::text) AND (expires_at IS NOT NULL) AND (expires_at = '1970-01-01 00:00:00+00'::timestamp with time zone))
END),
  CHECK ((cardinality(knowledge_base_ids) > 0)),
  CHECK ((scope = ANY (ARRAY['search'::text, 'write'::text])))
);

CREATE TABLE document_addresses (
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  account_id uuid NOT NULL,
  url text NOT NULL,
  reads_anew boolean NOT NULL,
  final_url text,
  etag text,
  last_modified text,
  charset text,
  PRIMARY KEY (knowledge_base_id, document_id),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id) ON DELETE CASCADE
);

CREATE TABLE document_frequencies (
  knowledge_base_id uuid NOT NULL,
  lexeme text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL,
  passage_count bigint NOT NULL,
  PRIMARY KEY (knowledge_base_id, lexeme)
);

CREATE TABLE document_frequency_deltas (
  knowledge_base_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  passage_counts jsonb STORAGE EXTERNAL NOT NULL,
  PRIMARY KEY (knowledge_base_id, id)
);

CREATE TABLE documents (
  knowledge_base_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  title text NOT NULL,
  source text NOT NULL,
  type text NOT NULL,
  size_bytes bigint NOT NULL,
  status text NOT NULL,
  error_code text,
  error_message text,
  warnings jsonb NOT NULL DEFAULT '[]'::jsonb,
  page_count integer,
  passage_count integer NOT NULL DEFAULT 0,
  file_id uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  processing_since timestamp with time zone,
  attributes jsonb NOT NULL DEFAULT '{}'::jsonb,
  source_url text,
  queued_at timestamp with time zone,
  external_id text COLLATE "C",
  sha256 bytea,
  replaces uuid,
  storage_bytes bigint NOT NULL GENERATED ALWAYS AS ((((size_bytes + COALESCE(octet_length((NULLIF(attributes, '{}'::jsonb))::text), 0)) + COALESCE(octet_length(source_url), 0)) + COALESCE(octet_length(external_id), 0))) STORED,
  recognition jsonb,
  PRIMARY KEY (knowledge_base_id, id),
  FOREIGN KEY (knowledge_base_id) REFERENCES knowledge_bases(knowledge_base_id),
  CHECK (((status = 'processed'::text) OR (passage_count = 0))),
  CHECK (((status = ANY (ARRAY['failed'::text, 'timeout'::text])) = ((error_code IS NOT NULL) AND (error_message IS NOT NULL)))),
  CHECK ((jsonb_typeof(attributes) = 'object'::text)),
  CHECK ((passage_count >= 0)),
  CHECK ((size_bytes >= 0)),
  CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'processed'::text, 'failed'::text, 'timeout'::text]))),
  CHECK ((type = ANY (ARRAY['pdf'::text, 'docx'::text, 'pptx'::text, 'xlsx'::text, 'xls'::text, 'html'::text, 'txt'::text, 'csv'::text, 'xml'::text, 'md'::text, 'json'::text, 'odt'::text, 'odp'::text, 'ods'::text, 'rtf'::text, 'epub'::text, 'text'::text, 'unknown'::text, 'doc'::text, 'ppt'::text, 'eml'::text, 'msg'::text, 'mhtml'::text, 'zip'::text, 'srt'::text, 'vtt'::text, 'image'::text])))
);

CREATE TABLE documents_without_vectors (
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  account_id uuid NOT NULL,
  generation smallint NOT NULL,
  after_position integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  queued_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  PRIMARY KEY (knowledge_base_id, document_id),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id) ON DELETE CASCADE
) WITH (fillfactor=70);

CREATE TABLE ended_sessions (
  id text COLLATE "C" NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE files (
  knowledge_base_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  file_name text NOT NULL,
  size_bytes bigint NOT NULL,
  object_name text,
  sha256 bytea,
  document_id uuid,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  uploaded_at timestamp with time zone,
  reserved_until timestamp with time zone,
  duplicate_of uuid,
  PRIMARY KEY (knowledge_base_id, id),
  FOREIGN KEY (knowledge_base_id) REFERENCES knowledge_bases(knowledge_base_id),
  CHECK (((uploaded_at IS NOT NULL) OR (sha256 IS NULL))),
  CHECK (((uploaded_at IS NULL) = (object_name IS NULL))),
  CHECK ((size_bytes > 0))
);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL,
  operation text NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_hash bytea NOT NULL,
  answer json,
  created_at timestamp with time zone NOT NULL,
  PRIMARY KEY (account_id, operation, idempotency_key)
) WITH (fillfactor=80);

CREATE TABLE kept_queries (
  account_id uuid NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  id uuid NOT NULL,
  request json NOT NULL,
  bytes integer NOT NULL,
  knowledge_base_ids uuid[] NOT NULL,
  result_count integer NOT NULL,
  duration_ms integer NOT NULL,
  PRIMARY KEY (account_id, sent_at, id)
);

CREATE TABLE knowledge_base_statistics (
  knowledge_base_id uuid NOT NULL,
  account_id uuid NOT NULL,
  document_count bigint NOT NULL DEFAULT 0,
  storage_bytes bigint NOT NULL DEFAULT 0,
  passage_count bigint NOT NULL DEFAULT 0,
  passage_length_total bigint NOT NULL DEFAULT 0,
  distinct_lexemes bigint NOT NULL DEFAULT 0,
  merged_lexemes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (knowledge_base_id),
  FOREIGN KEY (knowledge_base_id) REFERENCES knowledge_bases(knowledge_base_id),
  CHECK ((distinct_lexemes >= 0)),
  CHECK ((document_count >= 0)),
  CHECK ((merged_lexemes >= 0)),
  CHECK ((passage_count >= 0)),
  CHECK ((passage_length_total >= 0)),
  CHECK ((storage_bytes >= 0))
) WITH (fillfactor=50);

CREATE TABLE knowledge_bases (
  knowledge_base_id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  PRIMARY KEY (knowledge_base_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE knowledge_jobs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  queue text NOT NULL,
  account_id uuid NOT NULL,
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  is_small boolean NOT NULL DEFAULT false,
  PRIMARY KEY (id)
) WITH (fillfactor=70);

CREATE TABLE language_statistics (
  knowledge_base_id uuid NOT NULL,
  language text NOT NULL,
  account_id uuid NOT NULL,
  passage_count bigint NOT NULL,
  PRIMARY KEY (knowledge_base_id, language),
  CHECK ((passage_count >= 0))
) WITH (fillfactor=50);

CREATE TABLE passage_lexemes (
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  "position" integer NOT NULL,
  account_id uuid NOT NULL,
  length integer NOT NULL,
  lexemes tsvector STORAGE EXTERNAL NOT NULL STATISTICS 10,
  PRIMARY KEY (knowledge_base_id, document_id, "position"),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id)
) WITH (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE passage_vectors (
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  "position" integer NOT NULL,
  generation smallint NOT NULL,
  account_id uuid NOT NULL,
  vector bit varying,
  PRIMARY KEY (knowledge_base_id, document_id, "position", generation),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id) ON DELETE CASCADE
);

CREATE TABLE passages (
  knowledge_base_id uuid NOT NULL,
  document_id uuid NOT NULL,
  "position" integer NOT NULL,
  account_id uuid NOT NULL,
  content text NOT NULL,
  start_offset integer NOT NULL,
  end_offset integer NOT NULL,
  page integer,
  headings jsonb NOT NULL,
  language text NOT NULL,
  time_ms integer,
  later_starts jsonb,
  PRIMARY KEY (knowledge_base_id, document_id, "position"),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE query_histories (
  account_id uuid NOT NULL,
  kept_since timestamp with time zone NOT NULL,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE UNLOGGED TABLE rate_limit_counters (
  key_id text COLLATE "C" NOT NULL,
  requests bigint NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  leased bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id)
) WITH (fillfactor=50);

CREATE TABLE synonym_groups (
  knowledge_base_id uuid NOT NULL,
  account_id uuid NOT NULL,
  "position" integer NOT NULL,
  terms text[] NOT NULL,
  finds text[],
  keys text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (knowledge_base_id, account_id, "position"),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE TABLE unchanged_imports (
  knowledge_base_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  document_id uuid NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  PRIMARY KEY (knowledge_base_id, id),
  FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents(knowledge_base_id, id) ON DELETE CASCADE
);

CREATE TABLE vector_generations (
  generation smallint NOT NULL,
  url text NOT NULL,
  model text NOT NULL,
  dimensions integer NOT NULL,
  query_prefix text NOT NULL,
  passage_prefix text NOT NULL,
  mean bytea NOT NULL,
  wanted_at timestamp with time zone NOT NULL,
  current_since timestamp with time zone,
  is_retired boolean NOT NULL DEFAULT false,
  is_alone boolean NOT NULL DEFAULT false,
  PRIMARY KEY (generation),
  CHECK ((generation > 1))
);

CREATE TABLE webhook_deliveries (
  webhook_id uuid NOT NULL,
  "position" bigint NOT NULL,
  account_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  attempt integer NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text,
  PRIMARY KEY (webhook_id, "position")
);

CREATE TABLE webhook_events (
  webhook_id uuid NOT NULL,
  "position" bigint NOT NULL,
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  knowledge_base_id uuid NOT NULL,
  document_id uuid,
  data json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  PRIMARY KEY (webhook_id, "position")
);

CREATE TABLE webhooks (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  url text NOT NULL,
  secret bytea NOT NULL,
  events text[],
  knowledge_base_ids uuid[],
  created_at timestamp with time zone NOT NULL,
  failing_since timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  retry_at timestamp with time zone NOT NULL,
  leased_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);

CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id);
CREATE INDEX document_frequencies_by_account ON public.document_frequencies USING btree (account_id, lexeme, passage_count);
CREATE INDEX document_frequencies_by_ending ON public.document_frequencies USING btree (knowledge_base_id, reverse(lexeme)) WHERE ((lexeme >= 'a'::text) AND (char_length(lexeme) >= 6));
CREATE INDEX documents_by_creation ON public.documents USING btree (knowledge_base_id, created_at DESC, id DESC);
CREATE INDEX documents_by_external_id ON public.documents USING btree (knowledge_base_id, external_id, created_at, id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX documents_by_file ON public.documents USING btree (knowledge_base_id, file_id);
CREATE INDEX documents_by_sha256 ON public.documents USING btree (knowledge_base_id, sha256) WHERE (sha256 IS NOT NULL);
CREATE INDEX documents_not_processed ON public.documents USING btree (knowledge_base_id, status) WHERE (status <> 'processed'::text);
CREATE INDEX documents_processing ON public.documents USING btree (processing_since) WHERE ((status = ANY (ARRAY['pending'::text, 'processing'::text])) AND (processing_since IS NOT NULL));
CREATE INDEX documents_waiting ON public.documents USING btree (COALESCE(queued_at, created_at)) WHERE ((status = ANY (ARRAY['pending'::text, 'processing'::text])) AND (processing_since IS NULL));
CREATE INDEX documents_without_vectors_due ON public.documents_without_vectors USING btree (account_id, due_at);
CREATE UNIQUE INDEX files_by_document ON public.files USING btree (knowledge_base_id, document_id);
CREATE INDEX files_not_imported ON public.files USING btree (account_id) WHERE (document_id IS NULL);
CREATE INDEX idempotency_keys_by_creation ON public.idempotency_keys USING btree (created_at);
CREATE INDEX knowledge_base_statistics_by_account ON public.knowledge_base_statistics USING btree (account_id);
CREATE INDEX knowledge_bases_by_account ON public.knowledge_bases USING btree (account_id, created_at DESC, knowledge_base_id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX knowledge_bases_deleted ON public.knowledge_bases USING btree (account_id) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX knowledge_jobs_by_subject ON public.knowledge_jobs USING btree (knowledge_base_id, document_id) WHERE (ended_at IS NULL);
CREATE INDEX knowledge_jobs_not_ended ON public.knowledge_jobs USING btree (queue, account_id, created_at) WHERE (ended_at IS NULL);
CREATE INDEX passage_lexemes_by_lexeme ON public.passage_lexemes USING gin (lexemes) WITH (gin_pending_list_limit='16384');
CREATE INDEX synonym_groups_by_key ON public.synonym_groups USING gin (keys) WITH (fastupdate=off);
CREATE INDEX unchanged_imports_of_document ON public.unchanged_imports USING btree (knowledge_base_id, document_id);
CREATE INDEX webhook_events_by_document ON public.webhook_events USING btree (webhook_id, knowledge_base_id, document_id, "position");
CREATE INDEX webhook_events_by_due ON public.webhook_events USING btree (webhook_id, due_at, "position");
CREATE INDEX webhooks_by_account ON public.webhooks USING btree (account_id, created_at DESC, id DESC);
