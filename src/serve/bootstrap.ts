/**
 * Bootstrap, the first start on an empty database: creates an account, its key, and the secret of upload addresses.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Config, UPLOAD_SECRET_LENGTH } from '../config/config.ts';
import type { Database, Queryable } from '../database/connection/database.ts';
import { createAccount, findFirstAccountId } from '../database/rows/accounts.ts';
import { BOOTSTRAP_KEY_NAME, insertApiKey, revokeApiKeysNamed } from '../database/rows/api-keys.ts';
import { generateApiKey, isApiKey, readApiKey } from '../terms/api-key.ts';
import { requireDataDirectory } from './data-directory.ts';
import { readOrGenerateSecret } from './secrets/generated-secret.ts';
import { apiKeyFile, uploadSecretFile } from './secrets/secret-files.ts';

/** A file that exists while a restore is unfinished. It names the backup. */
export const unfinishedRestoreFile = (config: Config): string => join(config.dataDir, 'restore-unfinished');

/** The advisory lock for servers that start at the same time. Its number has to differ from other advisory locks. */
const BOOTSTRAP_LOCK = 7_302_114;

/** Until the transaction ends, no other server creates a first account. */
export async function lockBootstrap(transaction: Queryable): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`.execute(transaction);
}

/** The oldest account. Creates one with INITIAL_CREDITS if there is none. */
async function findFirstAccount(
  transaction: Queryable,
  config: Config,
): Promise<{ accountId: string; isNew: boolean }> {
  const first = await findFirstAccountId(transaction);
  if (first !== undefined) return { accountId: first, isNew: false };
  if (existsSync(unfinishedRestoreFile(config)))
    throw new Error(
      `A restore into ${config.dataDir} was not finished: repeat it, or remove ${unfinishedRestoreFile(config)}.`,
    );
  return { accountId: await createAccount(transaction, 'default', config.initialCredits), isNew: true };
}

/**
 * Creates the first key, and writes it to the file. A key that is there already opens this database too: where the
 * start has the address of a wrong database, it is the only copy of the right one's key.
 */
async function makeFirstKey(transaction: Queryable, accountId: string, file: string): Promise<void> {
  const found = existsSync(file) ? (await readFile(file, 'utf8')).trim() : '';
  const key = isApiKey(found) ? found : generateApiKey();
  await insertApiKey(transaction, key, { accountId, name: 'first key' });
  requireDataDirectory(dirname(file));
  // Before the commit: a file with an unknown key is better than a key that is in no file.
  await writeFile(file, `${key}\n`, { mode: 0o600, flush: true });
}

/**
 * Inserts a new BOOTSTRAP_API_KEY, and revokes the previous one, which may have leaked. A known key stays as it is,
 * revoked or not: a server that still has the old value changes nothing.
 */
async function applyBootstrapKey(
  transaction: Queryable,
  { key, accountId, log }: { key: string; accountId: string; log: Logger },
): Promise<void> {
  const id = readApiKey(key)?.keyId ?? '';
  const known = await transaction
    .selectFrom('api_keys')
    .select('revoked_at')
    .where('id', '=', id)
    .executeTakeFirst();
  if (known === undefined) {
    const revoked = await revokeApiKeysNamed(transaction, BOOTSTRAP_KEY_NAME);
    await insertApiKey(transaction, key, { accountId, name: BOOTSTRAP_KEY_NAME });
    if (revoked.length > 0)
      log.warn({ revoked, keyId: id }, 'BOOTSTRAP_API_KEY is a new key: the previous one is revoked');
  } else if (known.revoked_at !== null)
    log.warn(
      { keyId: id },
      'BOOTSTRAP_API_KEY is a revoked key, which opens nothing: set a new one, or none',
    );
}

/**
 * Creates the first account if there is none. Its key is BOOTSTRAP_API_KEY. Without that setting, a new account gets a
 * key that is written to DATA_DIR/api-key.
 * @returns the account's id
 */
export async function ensureFirstAccount(database: Database, config: Config, log: Logger): Promise<string> {
  return await database.transaction().execute(async (transaction) => {
    await lockBootstrap(transaction);
    const { accountId, isNew } = await findFirstAccount(transaction, config);
    const key = config.bootstrapApiKey;
    if (key !== undefined) await applyBootstrapKey(transaction, { key, accountId, log });
    else if (isNew) {
      const file = apiKeyFile(config);
      await makeFirstKey(transaction, accountId, file);
      log.info({ file }, 'created the first account and its API key');
    }
    return accountId;
  });
}

/** UPLOAD_SECRET, or the secret in DATA_DIR/upload-secret, which the first start creates. */
export async function readUploadSecret(config: Config): Promise<string> {
  if (config.uploadSecret !== undefined) return config.uploadSecret;
  const path = uploadSecretFile(config);
  requireDataDirectory(config.dataDir);
  const secret = await readOrGenerateSecret(path);
  if (secret.length < UPLOAD_SECRET_LENGTH)
    throw new Error(`${path} holds no secret; remove it to get a new one.`);
  return secret;
}
