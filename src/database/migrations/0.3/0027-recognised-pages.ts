/** Documents may be pictures, and an import says how many pages OCR has recognised. */
import { type Kysely, sql } from 'kysely';

const TYPES = sql`('pdf', 'docx', 'pptx', 'xlsx', 'xls', 'html', 'txt', 'csv', 'xml', 'md', 'json', 'odt', 'odp', 'ods',
  'rtf', 'epub', 'text', 'unknown', 'doc', 'ppt', 'eml', 'msg', 'mhtml', 'zip', 'srt', 'vtt', 'image')`;

const statements = [
  // Without a default, so that no row is rewritten. The servers of the version before insert without it.
  sql`ALTER TABLE documents ADD COLUMN recognition jsonb`,
  sql`ALTER TABLE documents DROP CONSTRAINT documents_type_check`,
  sql`ALTER TABLE documents ADD CONSTRAINT documents_type_check CHECK (type IN ${TYPES})`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
