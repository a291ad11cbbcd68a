/** Checks what a deployment has of its machine: Node, the data directory and the secrets in it, the public address. */
import { readFile, stat, statfs } from 'node:fs/promises';
import { type Config, UPLOAD_SECRET_LENGTH } from '../../config/config.ts';
import { type Problem, shellWord } from '../../problem.ts';
import { apiKeyFile, uploadSecretFile } from '../../serve/bootstrap.ts';
import { findUnusable, nearestExisting } from '../../serve/data-directory.ts';

/** The version that package.json brings; older ones lack what the service is made of. */
const NODE_MAJOR = 24;

const MEBIBYTE = 1024 ** 2;
/** PostgreSQL alone may need this for its write-ahead log (max_wal_size, 1 GB by default). */
const LEAST_FREE_BYTES = 1024 * MEBIBYTE;

/** `version` as process.versions has it. */
export function checkNode(version: string = process.versions.node): Problem[] {
  if (Number(version.split('.', 1)[0]) >= NODE_MAJOR) return [];
  return [
    {
      problem: `This is Node ${version}, and the service needs ${NODE_MAJOR} or later.`,
      remedy: 'Start it by `npm start` or `npx`, which use the Node that is installed with it.',
    },
  ];
}

/** Rights and free space of DATA_DIR; nothing is left behind. */
export async function checkDataDirectory(
  { dataDir }: Config,
  { leastFreeBytes = LEAST_FREE_BYTES } = {},
): Promise<Problem[]> {
  const unusable = findUnusable(dataDir);
  if (unusable !== undefined) return [unusable];
  const { bavail, bsize } = await statfs(nearestExisting(dataDir));
  const freeBytes = bavail * bsize;
  if (freeBytes >= leastFreeBytes) return [];
  const problem = `Only ${Math.floor(freeBytes / MEBIBYTE)} MiB are free where DATA_DIR (${dataDir}) lies.`;
  return [{ problem, remedy: 'Free some space there, or move DATA_DIR to a larger disk.' }];
}

/** What of a file can be read and by whom; undefined: it is not there. */
const readSecret = async (path: string) => {
  const found = await stat(path).catch(() => undefined);
  return found && { isOpen: (found.mode & 0o077) !== 0, content: await readFile(path, 'utf8') };
};

/** The secrets that the first start writes into DATA_DIR; where it has not come yet, there is nothing to say. */
export async function checkSecrets(config: Config): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const path of [apiKeyFile(config), uploadSecretFile(config)]) {
    const secret = await readSecret(path);
    if (secret?.isOpen)
      problems.push({
        problem: `Other users may read the secret in ${path}.`,
        remedy: `chmod 600 ${shellWord(path)}`,
      });
    if (
      secret &&
      path === uploadSecretFile(config) &&
      config.uploadSecret === undefined &&
      secret.content.length < UPLOAD_SECRET_LENGTH
    ) {
      problems.push({
        problem: `${path} holds no secret, or half of one: the server would not start.`,
        remedy: 'Remove it, and the next start makes one; upload addresses given out before stop working.',
      });
    }
  }
  return problems;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Whether BASE_URL can be where clients reach the service. */
export function checkBaseUrl({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>): Problem[] {
  if (baseUrl === undefined) return [];
  const { hostname } = new URL(baseUrl);
  const remedy = 'Set BASE_URL to what clients put before /v1 and /uploads, as https://search.example.org.';
  if (hostname === '0.0.0.0' || hostname === '[::]')
    return [{ problem: `BASE_URL names ${hostname}, where nobody can send anything.`, remedy }];
  if (LOOPBACK.test(hostname) && !LOOPBACK.test(host) && host !== '::1') {
    const problem = `BASE_URL names ${hostname}, but HOST (${host}) takes requests of other machines, which would send their uploads to themselves.`;
    return [{ problem, remedy }];
  }
  return [];
}
