/** Until when a ticket reserves its bytes: where clients send them directly to the store, longer than it is valid. */
import { type Kysely, sql } from 'kysely';

/**
 * NULL: until the store was checked after the expiry. Older tickets count as they did. The purge handles tickets of
 * deleted knowledge bases.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE files ADD COLUMN reserved_until timestamptz`.execute(database);
  await sql`UPDATE files SET reserved_until = expires_at`.execute(database);
}
