/**
 * The password of the embedded PostgreSQL. The directory of its socket is its account's alone; but processes of that
 * account that may open sockets and no files reach it too, as the one that reads uploaded files.
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

/** Beside the data, so that it goes where they go. */
const FILE = 'knowledge-retrieval.password';

/** Who may connect (PostgreSQL manual, 21.1): with the password; and before there is one, who reaches the socket. */
const CLOSED = 'local all all scram-sha-256\n';
const OPEN = 'local all all trust\n';

/** The cluster's directory, and who owns its files; undefined: we ourselves. */
type Cluster = { cluster: string; owner: Account | undefined };

/** Puts a file of the cluster in the place of another one, whole, or not at all. */
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

/** The cluster's password; undefined: none was made yet. @throws where this user may not read it */
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
 * Before the server starts: makes a password where the file of it is missing. Then the server must let us in once more
 * without one, to learn it.
 */
export function preparePassword(at: Cluster): string {
  const known = readPassword(at.cluster);
  // A damaged cluster is left as it is; why it does not start PostgreSQL says best.
  if (known !== undefined || !existsSync(join(at.cluster, 'pg_hba.conf'))) return known ?? '';
  const password = randomBytes(32).toString('hex');
  replaceFile(at, 'pg_hba.conf', OPEN);
  replaceFile(at, FILE, `${password}\n`);
  return password;
}

/**
 * On the running server: from now on whoever connects has to know the password. Does nothing where it is so already.
 * Killed at any point, it is done by the next start.
 */
export async function requirePassword(
  at: Cluster,
  connection: pg.ClientConfig & { password: string },
): Promise<void> {
  if (isClosed(at)) return;
  const client = new pg.Client(connection);
  await client.connect();
  try {
    // A statement that fails stands in the log, and this one has the password in it.
    await client.query("SET log_min_error_statement = 'panic'");
    // Many rounds are for passwords that can be guessed; each costs time with each connection.
    await client.query("SET password_encryption = 'scram-sha-256'; SET scram_iterations = 1");
    await client.query(`ALTER ROLE ${databaseUser} PASSWORD '${connection.password}'`);
    replaceFile(at, 'pg_hba.conf', CLOSED);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
