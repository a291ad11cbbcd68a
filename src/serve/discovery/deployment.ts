/** The id of a deployment: its servers share it, and no other deployment has it. */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Config, UPLOAD_SECRET_LENGTH } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import { findFirstAccountId } from '../../database/rows/accounts.ts';
import { uploadSecretFile } from '../secrets/secret-files.ts';

/**
 * The same for all servers with the same database and upload secret. It reveals neither the account nor the secret.
 */
export const deploymentIdOf = (accountId: string, uploadSecret: string): string =>
  createHmac('sha256', uploadSecret).update(`deployment ${accountId}`).digest('hex').slice(0, 16);

/** UPLOAD_SECRET, or the secret in DATA_DIR; undefined: there is none yet. Never creates one. */
async function findUploadSecret(config: Config): Promise<string | undefined> {
  if (config.uploadSecret !== undefined) return config.uploadSecret;
  const secret = await readFile(uploadSecretFile(config), 'utf8').catch(() => '');
  return secret.length < UPLOAD_SECRET_LENGTH ? undefined : secret;
}

/** The deployment id for these settings; undefined: no server has started with them yet. */
export async function findDeploymentId(database: Database, config: Config): Promise<string | undefined> {
  const secret = await findUploadSecret(config);
  const accountId = secret && (await findFirstAccountId(database));
  return secret && accountId && deploymentIdOf(accountId, secret);
}
