/** What the first start on an empty database makes: one account, one key, and the secret of the upload addresses. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { generateApiKey, readApiKey } from './api-key.ts';
import { type Config, UPLOAD_SECRET_LENGTH } from './config.ts';
import { requireDataDirectory } from './data-directory.ts';
import { createAccount } from './storage/accounts.ts';
import { insertApiKey } from './storage/api-keys.ts';
import type { Database, Queryable } from './storage/database.ts';

/** Where the first key stands, for its owner only. */
export const apiKeyFile = (config: Config): string => join(config.dataDir, 'api-key');

/** Where the secret of the upload addresses stands when the settings have none. */
export const uploadSecretFile = (config: Config): string => join(config.dataDir, 'upload-secret');

/** Stands there from the first to the last write of a restore, and names its backup. */
export const unfinishedRestoreFile = (config: Config): string => join(config.dataDir, 'restore-unfinished');

/** Servers that start at once take turns here; the number only has to differ from other advisory locks'. */
const FIRST_START_LOCK = 7_302_114;

/** Until the transaction ends, nobody else makes a first account. */
export async function takeFirstStart(transaction: Queryable): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${FIRST_START_LOCK})`.execute(transaction);
}

/**
 * Makes the first account with its key when there is no account; the key is BOOTSTRAP_API_KEY, or a new one that
 * is written to DATA_DIR/api-key. A BOOTSTRAP_API_KEY that the database does not know yet is given to the first
 * account; one that it knows, revoked or not, stays as it is.
 */
export async function ensureFirstAccount(database: Database, config: Config, log: Logger): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await takeFirstStart(transaction);
    const first = await transaction
      .selectFrom('accounts')
      .select('id')
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (first === undefined && existsSync(unfinishedRestoreFile(config)))
      throw new Error(
        `A restore into ${config.dataDir} was not finished: repeat it, or remove ${unfinishedRestoreFile(config)}.`,
      );
    const accountId = first?.id ?? (await createAccount(transaction, 'default', config.initialCredits));
    const key = config.bootstrapApiKey ?? (first === undefined ? generateApiKey() : undefined);
    if (key === undefined) return;
    const known = await transaction
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', readApiKey(key)?.keyId ?? '')
      .executeTakeFirst();
    if (known !== undefined) return;
    await insertApiKey(transaction, key, { accountId, name: 'first key' });
    if (config.bootstrapApiKey !== undefined) return;
    requireDataDirectory(config.dataDir);
    // Written before the commit: a key in the database that nobody has is worse than a file without its key.
    await writeFile(apiKeyFile(config), `${key}\n`, { mode: 0o600, flush: true });
    log.info({ file: apiKeyFile(config) }, 'made the first account and its API key');
  });
}

/** UPLOAD_SECRET, or the one that the first start has put into DATA_DIR/upload-secret. */
export async function readUploadSecret(config: Config): Promise<string> {
  if (config.uploadSecret !== undefined) return config.uploadSecret;
  const path = uploadSecretFile(config);
  requireDataDirectory(config.dataDir);
  // Written beside and then linked: a start that is killed, or another one at once, never leaves half a secret.
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  try {
    await link(written, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(written);
  }
  const secret = await readFile(path, 'utf8');
  if (secret.length < UPLOAD_SECRET_LENGTH)
    throw new Error(`${path} holds no secret; remove it to get a new one.`);
  return secret;
}
