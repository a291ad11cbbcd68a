/** Opens the store of uploaded files: an S3-compatible one if S3_BUCKET is set, else a directory below DATA_DIR. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openDiskStore } from '../files/disk-store.ts';
import type { FileStore } from '../files/file-store.ts';
import { requireDataDirectory } from './data-directory.ts';
import { loadDemanding } from './optional-packages.ts';

const directoryOf = ({ dataDir }: Config): string => join(dataDir, 'files');

/** Whether there is a store to open. Opening one on disk creates its directory, which only a first start should do. */
export const hasStore = (config: Config): boolean =>
  config.s3 !== undefined || existsSync(directoryOf(config));

/** @throws the command that installs the packages of S3, where they are missing */
export async function openFiles(config: Config): Promise<FileStore> {
  const { s3, dataDir } = config;
  if (s3 === undefined) {
    requireDataDirectory(dataDir);
    return await openDiskStore(directoryOf(config));
  }
  const { openS3Store } = await loadDemanding(config, () => import('../files/s3-store.ts'));
  return openS3Store(s3);
}
