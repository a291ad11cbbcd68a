/** Sessions of the console that their users have ended, for as long as their cookies would still be valid. */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** `id`: in the cookie. `expiresAt`: when the cookie is no longer valid by itself. */
export type EndedSession = { id: string; expiresAt: Date };

/** Ends a session on all servers: their next requests find it ended. */
export async function endSession(database: Queryable, { id, expiresAt }: EndedSession): Promise<void> {
  await database
    .insertInto('ended_sessions')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const findEnded = prepare(
  'find_ended_sessions',
  ['ids'],
  ({ ids }) => sql<{ id: string }>`SELECT id FROM ended_sessions WHERE id = ANY (${ids}::text[])`,
);

/** Those of the sessions that have ended. */
export async function findEndedSessions(database: Queryable, ids: string[]): Promise<ReadonlySet<string>> {
  return new Set((await findEnded(database, { ids })).map(({ id }) => id));
}

/** Removes those whose cookies are no longer valid anyway. */
export async function removeExpiredSessions(database: Queryable): Promise<void> {
  await sql`DELETE FROM ended_sessions WHERE expires_at < now() - interval '1 hour'`.execute(database);
}
