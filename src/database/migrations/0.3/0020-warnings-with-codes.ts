/** Warnings of documents become objects with a code, and documents have more types. */
import { type Kysely, sql } from 'kysely';

const TYPES = sql`('pdf', 'docx', 'pptx', 'xlsx', 'xls', 'html', 'txt', 'csv', 'xml', 'md', 'json', 'odt', 'odp', 'ods',
  'rtf', 'epub', 'text', 'unknown', 'doc', 'ppt', 'eml', 'msg', 'mhtml', 'zip', 'srt', 'vtt')`;

/** A list of sentences as a list of objects. All sentences of earlier versions are about pages of PDF files. */
const withCodes = (sentences: ReturnType<typeof sql>) => sql`(
  SELECT jsonb_agg(jsonb_build_object(
    'code', CASE WHEN message LIKE '%not read.' THEN 'PAGES_NOT_READ' ELSE 'PAGES_WITHOUT_TEXT' END,
    'message', message) ORDER BY position)
  FROM jsonb_array_elements_text(${sentences}) WITH ORDINALITY AS warning (message, position))`;

const statements = [
  sql`UPDATE documents SET warnings = converted.warnings
    FROM (
      SELECT knowledge_base_id, id, ${withCodes(sql`documents.warnings`)} AS warnings
      FROM documents WHERE documents.warnings <> '[]'
    ) AS converted
    WHERE converted.knowledge_base_id = documents.knowledge_base_id AND converted.id = documents.id`,
  // Events that wait are sent as the contract has them now.
  sql`UPDATE webhook_events
    SET data = jsonb_set(data::jsonb, '{warnings}', ${withCodes(sql`data::jsonb -> 'warnings'`)})::json
    WHERE jsonb_array_length(data::jsonb -> 'warnings') > 0`,
  sql`ALTER TABLE documents DROP CONSTRAINT documents_type_check`,
  sql`ALTER TABLE documents ADD CONSTRAINT documents_type_check CHECK (type IN ${TYPES})`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
