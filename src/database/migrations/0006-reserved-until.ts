/** Until when a ticket reserves its bytes: where clients send them to the store themselves, longer than it is good for. */
import { type Kysely, sql } from 'kysely';

/**
 * NULL: until somebody has looked into the store after the expiry. Tickets from before count as they did. Those whose
 * knowledge base is deleted are the purge's matter.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE files ADD COLUMN reserved_until timestamptz`.execute(database);
  await sql`UPDATE files SET reserved_until = expires_at`.execute(database);
}
