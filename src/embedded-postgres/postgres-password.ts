/**
 * The password of the embedded PostgreSQL. Only its account may enter the socket's directory. But some processes of
 * that account, for example the extraction process, may open sockets although they may not open files.
 */
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { codeOf } from '../terms/problem.ts';
import { databaseUser } from './postgres-cluster.ts';
import type { Account } from './postgres-programs.ts';

/** In the cluster's directory, so that it moves with the data. */
const FILE = 'knowledge-retrieval.password';

/** The contents of pg_hba.conf (PostgreSQL manual, 21.1): with and without a password, by the Unix socket only. */
const CLOSED = 'local all all scram-sha-256\n';
const OPEN = 'local all all trust\n';

/** The cluster's directory, and the owner of its files; undefined: the service's own account. */
type Cluster = { cluster: string; owner: Account | undefined };

/** Replaces a file of the cluster atomically. */
function replaceFile({ cluster, owner }: Cluster, name: string, text: string): void {
  const [path, fresh] = [join(cluster, name), join(cluster, `${name}.new`)];
  rmSync(fresh, { force: true });
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (owner) chownSync(fresh, owner.uid, owner.gid);
  renameSync(fresh, path);
}

/** Reads the cluster's password; undefined when it has none yet. @throws when this user may not read it */
export function readPassword(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, FILE), 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const isClosed = ({ cluster }: Cluster): boolean =>
  readFileSync(join(cluster, 'pg_hba.conf'), 'utf8') === CLOSED;

/**
 * Creates the password when its file is missing; to be called before the server starts. Then the server accepts
 * connections without a password until `requirePassword` sets it.
 */
export function preparePassword(at: Cluster): string {
  const known = readPassword(at.cluster);
  // A damaged cluster is not changed: PostgreSQL itself reports best why it does not start.
  if (known !== undefined || !existsSync(join(at.cluster, 'pg_hba.conf'))) return known ?? '';
  const password = randomBytes(32).toString('hex');
  replaceFile(at, 'pg_hba.conf', OPEN);
  replaceFile(at, FILE, `${password}\n`);
  return password;
}

/**
 * Sets the password on the running server, and requires it for all later connections. Does nothing when it is set
 * already. If this is interrupted at any point, the next start completes it.
 */
export async function requirePassword(
  at: Cluster,
  connection: pg.ClientConfig & { password: string },
): Promise<void> {
  if (isClosed(at)) return;
  const client = new pg.Client(connection);
  await client.connect();
  try {
    // The log contains each failed statement, and this one contains the password.
    await client.query("SET log_min_error_statement = 'panic'");
    // More rounds would protect only passwords that can be guessed, and cost time for every connection.
    await client.query("SET password_encryption = 'scram-sha-256'; SET scram_iterations = 1");
    await client.query(`ALTER ROLE ${databaseUser} PASSWORD '${connection.password}'`);
    replaceFile(at, 'pg_hba.conf', CLOSED);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
