/** Refuses a store of files that is not the database's own: the usual mistake when a server is added. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { withTimeout } from '../concurrency/timeout.ts';
import type { Config } from '../config/config.ts';
import type { Queryable } from '../database/connection/database.ts';
import type { FileStore } from '../files/file-store.ts';
import { isForeign, markStore, type StoreSample, sampleStore } from '../files/store-identity.ts';
import type { Problem } from '../terms/problem.ts';

/** A start does not wait longer for a store that is slow or unavailable. */
const START_WAIT_MS = 5_000;

type Place = Pick<Config, 's3' | 'dataDir'>;

function describeForeign({ sampled, missing }: StoreSample, { s3, dataDir }: Place): Problem {
  const place = s3 === undefined ? join(dataDir, 'files') : `the bucket ${s3.bucket}`;
  return {
    problem:
      `The files in ${place} are not those of this database: ` +
      `of ${sampled} that were looked up, ${missing} are missing there.`,
    remedy:
      'All servers and workers need the same DATA_DIR, or the same S3_BUCKET. If the files are lost for good, ' +
      '`npx knowledge-retrieval fsck --accept-lost-files` lists them, and lets servers start without them.',
  };
}

/**
 * Why the store is not the database's own; undefined: it is, or the database has no files.
 * @throws the store's error
 */
export async function findForeignFiles(
  { database, files }: { database: Queryable; files: Pick<FileStore, 'exists'> },
  place: Place,
): Promise<Problem | undefined> {
  const sample = await sampleStore(database, files);
  return isForeign(sample) ? describeForeign(sample, place) : undefined;
}

/** @throws the sentences for the operator, if there are any */
export function requireOwn(foreign: Problem | undefined): void {
  if (foreign !== undefined) throw new Error(`${foreign.problem} ${foreign.remedy}`);
}

/**
 * Compares the store with the database, and marks it if it has files of the database. A start goes on when the store is
 * unavailable.
 * @throws a sentence for the operator when the store is not the database's own
 */
export async function requireOwnStore(
  { database, files, log }: { database: Queryable; files: FileStore; log: Logger },
  place: Place,
  waitMs = START_WAIT_MS,
): Promise<void> {
  const compare = async () => {
    const sample = await sampleStore(database, files);
    if (isForeign(sample)) return describeForeign(sample, place);
    if (sample.sampled > 0) await markStore(database, files);
    return undefined;
  };
  const giveUp = () => {
    throw new Error('no answer in time');
  };
  const foreign = await withTimeout(compare(), waitMs, giveUp).catch((error) => {
    log.warn({ err: error }, 'the file store could not be compared with the database');
    return undefined;
  });
  requireOwn(foreign);
}
