/** Checks a deployment's machine: the data directory and its secrets, the public address. */
import { readFile, stat, statfs } from 'node:fs/promises';
import { type Config, UPLOAD_SECRET_LENGTH } from '../../config/config.ts';
import { installedLanguages } from '../../extraction/recognition/ocr-languages.ts';
import { openWordVectors, TABLES } from '../../meaning/word-vectors.ts';
import { findUnusable, nearestExisting } from '../../serve/data-directory.ts';
import { findTooFewProcesses } from '../../serve/process-limit.ts';
import { apiKeyFile, metricsTokenFile, uploadSecretFile } from '../../serve/secrets/secret-files.ts';
import { type Problem, reasonOf, shellWord } from '../../terms/problem.ts';

const MEBIBYTE = 1024 ** 2;
/** PostgreSQL's write-ahead log alone may need this (max_wal_size, 1 GB by default). */
const MIN_FREE_BYTES = 1024 * MEBIBYTE;

/** Checks permissions and free space of DATA_DIR; leaves no file there. */
export async function checkDataDirectory(
  { dataDir }: Config,
  { minFreeBytes = MIN_FREE_BYTES } = {},
): Promise<Problem[]> {
  const unusable = findUnusable(dataDir);
  if (unusable !== undefined) return [unusable];
  const { bavail, bsize } = await statfs(nearestExisting(dataDir));
  const freeBytes = bavail * bsize;
  if (freeBytes >= minFreeBytes) return [];
  const problem = `Only ${Math.floor(freeBytes / MEBIBYTE)} MiB are free on the disk of DATA_DIR (${dataDir}).`;
  return [{ problem, remedy: 'Free some space on it, or move DATA_DIR to a larger disk.' }];
}

/** Checks whether this user may have the processes of a server. */
export function checkProcesses(): Problem[] {
  const tooFew = findTooFewProcesses();
  return tooFew === undefined ? [] : [tooFew];
}

/** Reads a file, and checks whether other users may read it; undefined when it does not exist. */
const readSecret = async (path: string) => {
  const found = await stat(path).catch(() => undefined);
  return found && { isOpen: (found.mode & 0o077) !== 0, content: await readFile(path, 'utf8') };
};

/** Checks the secrets that bootstrap writes into DATA_DIR; before the first start there are none. */
export async function checkSecrets(config: Config): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const path of [apiKeyFile(config), uploadSecretFile(config), metricsTokenFile(config)]) {
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
        remedy:
          'Remove it. The next start creates a new secret; upload and download addresses issued before stop working.',
      });
    }
  }
  return problems;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Whether clients can reach the service at BASE_URL. */
export function checkBaseUrl({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>): Problem[] {
  if (baseUrl === undefined) return [];
  const { hostname } = new URL(baseUrl);
  const remedy =
    'Set BASE_URL to the address that clients put before /v1, /uploads and /downloads, for example ' +
    'https://search.example.org.';
  if (hostname === '0.0.0.0' || hostname === '[::]')
    return [{ problem: `BASE_URL has the host ${hostname}, to which clients cannot connect.`, remedy }];
  if (LOOPBACK.test(hostname) && !LOOPBACK.test(host) && host !== '::1') {
    const problem =
      `BASE_URL has the host ${hostname}, but HOST (${host}) accepts requests from other machines, ` +
      'which would send their uploads to themselves.';
    return [{ problem, remedy }];
  }
  return [];
}

/** Names the part with the languages of OCR, by their codes. */
export const ocrPart = (): string =>
  `ocr (languages: ${installedLanguages()
    .map(({ code }) => code)
    .join(', ')})`;

/** Checks whether OCR has the data of a language, where OCR is on. */
export function checkOcr(): Problem[] {
  if (installedLanguages().length > 0) return [];
  const remedy = 'Install the package again, or set OCR to off.';
  return [{ problem: 'The package has no data for OCR, so that scans and pictures are not read.', remedy }];
}

/** Checks whether the tables of word vectors can be read, where WORD_VECTORS is on. */
export function checkWordVectors(): Problem[] {
  const remedy = 'Install the package again, or set WORD_VECTORS to off.';
  try {
    const vectorsIn = openWordVectors();
    if (TABLES.every((table) => vectorsIn(table) !== undefined)) return [];
    return [{ problem: 'The package has no tables of word vectors.', remedy }];
  } catch (error) {
    return [{ problem: `The word vectors cannot be read: ${reasonOf(error)}.`, remedy }];
  }
}
