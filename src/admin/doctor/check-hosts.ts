/** Checks each of several hosts of DATABASE_URL: a start needs one of them only, and a failover another one. */
import { sql } from 'kysely';
import { createDatabase } from '../../database/connection/database.ts';
import { addressesOf, nameOf } from '../../database/connection/hosts.ts';
import { createPool } from '../../database/connection/pool.ts';
import { type Problem, reasonOf } from '../../terms/problem.ts';

/** `startedAt` tells servers apart that have several addresses, as behind two poolers. */
type Answer = { name: string; isStandby: boolean; startedAt: string };
type Silence = { name: string; reason: string };

/** Asks the host of an address for its role, whatever role is wanted. */
async function ask(address: string): Promise<Answer | Silence> {
  const name = nameOf(address);
  const url = new URL(address);
  url.searchParams.delete('target_session_attrs');
  const database = createDatabase(createPool({ connectionString: url.href }, 1, () => {}));
  try {
    const { rows } = await sql<Omit<Answer, 'name'>>`
      SELECT pg_is_in_recovery() AS "isStandby", pg_postmaster_start_time()::text AS "startedAt"`.execute(
      database,
    );
    return { name, ...(rows[0] as Omit<Answer, 'name'>) }; // a SELECT without FROM has one row
  } catch (error) {
    return { name, reason: reasonOf(error) };
  } finally {
    await database.destroy();
  }
}

const describeSilence = ({ name, reason }: Silence): Problem => ({
  isWarning: true,
  problem: `The host ${name} of DATABASE_URL cannot be used: ${reason}.`,
  remedy: 'Start it, or remove it from DATABASE_URL: it could not take over.',
});

/** Two histories: what one stores, the other lacks. */
const describePrimaries = (names: string[]): Problem => ({
  problem: `${names.join(' and ')} of DATABASE_URL are primaries, each with rows that the others lack.`,
  remedy: 'Stop all but one, and make them its standbys: see “A failover” in docs/operating.md.',
});

/** Warns of each host that does not answer, and finds several primaries. One host has been asked already. */
export async function checkHosts(databaseUrl: string): Promise<Problem[]> {
  const addresses = addressesOf(databaseUrl);
  if (addresses.length === 1) return [];
  const asked = await Promise.all(addresses.map(ask));
  const silent = asked.filter((one) => 'reason' in one);
  const primaries = asked.filter((one) => 'isStandby' in one && !one.isStandby) as Answer[];
  const isSeveral = new Set(primaries.map(({ startedAt }) => startedAt)).size > 1;
  return [
    ...silent.map(describeSilence),
    ...(isSeveral ? [describePrimaries(primaries.map(({ name }) => name))] : []),
  ];
}
