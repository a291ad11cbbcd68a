/** Opens and changes accounts as an operator's commands do, without starting them: two starts take a second. */

import type { Filter } from '../../../generated/types.gen.ts';
import { readConfig } from '../../config/config.ts';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createMaintenancePool } from '../../database/connection/pool.ts';
import {
  type AccountChange,
  createAccount,
  findAccountId,
  updateAccount,
} from '../../database/rows/accounts.ts';
import { insertApiKey } from '../../database/rows/api-keys.ts';
import type { KeyScope } from '../../database/schema/tables.ts';
import { generateApiKey } from '../../terms/api-key.ts';

async function onDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase(createMaintenancePool({ connectionString: url }, () => {}));
  return await use(database).finally(() => database.destroy());
}

/** Opens an account in the database at `url`, as `accounts create` and `keys create` do. Returns its key. */
export async function openAccountAt(url: string, name: string, limits: AccountChange): Promise<string> {
  const apiKey = generateApiKey();
  await onDatabase(url, async (database) => {
    const accountId = await createAccount(database, name, readConfig({}).initialCredits);
    await updateAccount(database, accountId, limits);
    await insertApiKey(database, apiKey, { accountId, name: 'test' });
  });
  return apiKey;
}

/** What a key may do, and which knowledge bases and documents exist for it; by default all. */
export type KeyBounds = { scope?: KeyScope; knowledgeBaseIds?: string[]; filter?: Filter };

async function requireAccount(database: Database, name: string): Promise<string> {
  const accountId = await findAccountId(database, name);
  if (accountId === undefined) throw new Error(`there is no account ${name}`);
  return accountId;
}

/** Creates one more key of an account, as `keys create` does. */
export async function createKeyAt(url: string, name: string, bounds: KeyBounds): Promise<string> {
  const apiKey = generateApiKey();
  await onDatabase(url, async (database) => {
    const accountId = await requireAccount(database, name);
    await insertApiKey(database, apiKey, { accountId, name: 'test', ...bounds });
  });
  return apiKey;
}

/** Changes an account, as `accounts set` does. */
export async function changeAccountAt(url: string, name: string, change: AccountChange): Promise<void> {
  await onDatabase(url, async (database) => {
    await updateAccount(database, await requireAccount(database, name), change);
  });
}
