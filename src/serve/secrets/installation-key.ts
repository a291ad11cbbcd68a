/** Checks whether the API key of this installation (BOOTSTRAP_API_KEY or DATA_DIR/api-key) still works. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import { keyExpiry } from '../../database/rows/api-keys.ts';
import { isSameSecret, readApiKey } from '../../terms/api-key.ts';
import { type Problem, shellWord } from '../../terms/problem.ts';
import { apiKeyFile } from './secret-files.ts';

/** Why a key is refused. */
type Flaw = 'malformed' | 'unknown' | 'revoked' | 'expired';

const REASONS: Record<Exclude<Flaw, 'malformed'>, string> = {
  unknown: 'this database does not know it',
  revoked: 'it was revoked',
  expired: 'it has expired',
};

/** Why `key` is refused; undefined: it is accepted. */
async function findFlaw(database: Database, key: string): Promise<Flaw | undefined> {
  const given = readApiKey(key);
  if (given === undefined) return 'malformed';
  const known = await database
    .selectFrom('api_keys')
    .select(['secret_hash', 'revoked_at', sql<boolean>`coalesce(${keyExpiry} <= now(), false)`.as('expired')])
    .where('id', '=', given.keyId)
    .executeTakeFirst();
  if (known === undefined || !isSameSecret(known.secret_hash, given.secretHash)) return 'unknown';
  if (known.revoked_at !== null) return 'revoked';
  return known.expired ? 'expired' : undefined;
}

/** The key in the file; '' if the file cannot be read; undefined if there is no file. */
const readStoredKey = async (file: string): Promise<string | undefined> =>
  existsSync(file) ? (await readFile(file, 'utf8').catch(() => '')).trim() : undefined;

/** The key in DATA_DIR/api-key; undefined where there is none that works. */
export async function readWorkingKey(database: Database, config: Config): Promise<string | undefined> {
  const key = await readStoredKey(apiKeyFile(config));
  return key === undefined || (await findFlaw(database, key)) !== undefined ? undefined : key;
}

/** Checks DATA_DIR/api-key. Undefined: there is no such file. `problem` undefined: its key works. */
export async function examineStoredKey(
  database: Database,
  config: Config,
): Promise<{ problem: Problem | undefined } | undefined> {
  const file = apiKeyFile(config);
  const key = await readStoredKey(file);
  if (key === undefined) return undefined;
  const flaw = await findFlaw(database, key);
  if (flaw === undefined) return { problem: undefined };
  const problem =
    flaw === 'malformed'
      ? `${file} holds no API key that can be read.`
      : `The API key in ${file} opens nothing: ${REASONS[flaw]}.`;
  const command = `npx knowledge-retrieval keys create > ${shellWord(file)}`;
  const remedy = `Put a new one there: \`${command}\`; or remove the file.`;
  return { problem: { problem, remedy, isWarning: true } };
}

/** Checks BOOTSTRAP_API_KEY. A key that the database does not know yet is no problem: the next start inserts it. */
export async function examineBootstrapKey(database: Database, key: string): Promise<Problem | undefined> {
  const flaw = await findFlaw(database, key);
  if (flaw !== 'revoked' && flaw !== 'expired') return undefined;
  return {
    problem: `The API key in BOOTSTRAP_API_KEY opens nothing: ${REASONS[flaw]}.`,
    remedy: 'Set a new one, which `npx knowledge-retrieval keys generate` prints, or none.',
    isWarning: true,
  };
}

/** The keys of this installation that are refused. That may be intended, since clients may use other keys. */
export async function findRefusedKeys(database: Database, config: Config): Promise<Problem[]> {
  const { bootstrapApiKey: key } = config;
  const bootstrap = key === undefined ? undefined : await examineBootstrapKey(database, key);
  const stored = await examineStoredKey(database, config);
  return [bootstrap, stored?.problem].filter((problem) => problem !== undefined);
}
