/** Tells one deployment from another. */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Config, UPLOAD_SECRET_LENGTH } from '../config/config.ts';
import { findFirstAccountId } from '../database/accounts.ts';
import type { Database } from '../database/database.ts';
import { uploadSecretFile } from './bootstrap.ts';

/**
 * The same for all servers of one database that sign upload addresses with one secret, as they have to, and another one
 * for each other deployment. It says nothing of either.
 */
export const deploymentIdOf = (accountId: string, uploadSecret: string): string =>
  createHmac('sha256', uploadSecret).update(`deployment ${accountId}`).digest('hex').slice(0, 16);

/** UPLOAD_SECRET, or the one in DATA_DIR; undefined: there is none yet. Makes none. */
async function findUploadSecret(config: Config): Promise<string | undefined> {
  if (config.uploadSecret !== undefined) return config.uploadSecret;
  const secret = await readFile(uploadSecretFile(config), 'utf8').catch(() => '');
  return secret.length < UPLOAD_SECRET_LENGTH ? undefined : secret;
}

/** The deployment of these settings; undefined: no server of them has started yet. */
export async function findDeploymentId(database: Database, config: Config): Promise<string | undefined> {
  const secret = await findUploadSecret(config);
  const accountId = secret && (await findFirstAccountId(database));
  return secret && accountId && deploymentIdOf(accountId, secret);
}
