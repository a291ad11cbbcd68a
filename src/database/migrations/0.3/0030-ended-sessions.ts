/** Sessions of the console that their users have ended. */
import { type Kysely, sql } from 'kysely';

/** `id`: of the session, as its cookie has it. After `expires_at` the cookie is worth nothing anyway. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE ended_sessions (
    id text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  )`.execute(database);
}
