/** A PostgreSQL of its own, as an operator has one that other programs use too. */
import {
  findOldestTaken,
  startPlainPostgres,
} from '../../../src/embedded-postgres/testing/plain-postgres.ts';
import { withDatabase } from './service-database.ts';

/**
 * Starts the oldest PostgreSQL that the service takes, with the database `shared`, in which two roles may make tables
 * and schemas, and nothing else.
 * @returns the addresses of the database: as `ours`, as the other program, and as a superuser
 */
export async function startForeignPostgres() {
  const postgres = await startPlainPostgres(findOldestTaken());
  const urlOf = (user: string, database: string) =>
    Object.assign(new URL(postgres.url), { username: user, pathname: `/${database}` }).href;
  const administer = async (database: string, ...statements: string[]) =>
    await withDatabase(urlOf('postgres', database), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  await administer(
    'postgres',
    'CREATE ROLE ours LOGIN',
    'CREATE ROLE theirs LOGIN',
    'CREATE DATABASE shared',
  );
  await administer(
    'shared',
    'GRANT CREATE ON DATABASE shared TO ours, theirs',
    'GRANT CREATE ON SCHEMA public TO ours, theirs',
  );
  return {
    ours: urlOf('ours', 'shared'),
    theirs: urlOf('theirs', 'shared'),
    superuser: urlOf('postgres', 'shared'),
    remove: postgres.remove,
  };
}
