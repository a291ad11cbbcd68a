/** Opens the database for a command. */
import { readConfig } from '../../config/config.ts';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createMaintenancePool } from '../../database/connection/pool.ts';
import { migrateToLatest } from '../../database/migrations/migrate.ts';
import { joinDatabase } from '../../serve/open-database.ts';
import { createLog } from '../../telemetry/log.ts';

/** Runs one command on the service's database, and migrates it first. Servers may use the database at the same time. */
export async function onDatabase(act: (database: Database) => Promise<void>): Promise<void> {
  const config = readConfig();
  const log = createLog('warn');
  const { connection, close } = await joinDatabase(config, log);
  let isEnding = false;
  const onError = (error: Error) => {
    // An embedded database that stops terminates connections whose end it has not read yet.
    if (!isEnding) log.warn(error.message);
  };
  const database = createDatabase(createMaintenancePool(connection, onError));
  try {
    await migrateToLatest(database);
    await act(database);
  } finally {
    isEnding = true;
    await database.destroy();
    await close();
  }
}
