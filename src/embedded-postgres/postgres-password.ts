/**
 * The password of the embedded PostgreSQL. Only its account may enter the socket's directory. But some processes of
 * that account may open sockets and no files, for example the extraction process, and reach the socket too.
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
import { codeOf } from '../problem.ts';
import { databaseUser } from './postgres-cluster.ts';
import type { Account } from './postgres-programs.ts';

/** Beside the data, so that it moves with them. */
const FILE = 'knowledge-retrieval.password';

/**
 * The rules for connections (PostgreSQL manual, 21.1): with the password; before one is set, from the socket alone.
 */
const CLOSED = 'local all all scram-sha-256\n';
const OPEN = 'local all all trust\n';

/** The cluster's directory, and the owner of its files; undefined: our own account. */
type Cluster = { cluster: string; owner: Account | undefined };

/** Replaces a file of the cluster completely, or not at all. */
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

/** The cluster's password; undefined when none was made yet. @throws when this user may not read it */
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
 * Before the server starts: makes a password when its file is missing. Then the server must accept one more connection
 * without a password, to learn it.
 */
export function preparePassword(at: Cluster): string {
  const known = readPassword(at.cluster);
  // A damaged cluster is left as it is; PostgreSQL itself reports best why it does not start.
  if (known !== undefined || !existsSync(join(at.cluster, 'pg_hba.conf'))) return known ?? '';
  const password = randomBytes(32).toString('hex');
  replaceFile(at, 'pg_hba.conf', OPEN);
  replaceFile(at, FILE, `${password}\n`);
  return password;
}

/**
 * On the running server: every later connection needs the password. Does nothing when it is set already. If this is
 * interrupted at any point, the next start completes it.
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
    // Many rounds protect passwords that can be guessed; each round costs time for every connection.
    await client.query("SET password_encryption = 'scram-sha-256'; SET scram_iterations = 1");
    await client.query(`ALTER ROLE ${databaseUser} PASSWORD '${connection.password}'`);
    replaceFile(at, 'pg_hba.conf', CLOSED);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
