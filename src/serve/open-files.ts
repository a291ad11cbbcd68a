/** Opens the store of uploaded files: an S3-compatible one if S3_BUCKET is set, else a directory below DATA_DIR. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openDiskStore } from '../files/disk-store.ts';
import type { FileStore } from '../files/file-store.ts';
import { requireDataDirectory } from './data-directory.ts';

export async function openFiles({ s3, dataDir }: Config): Promise<FileStore> {
  if (s3 === undefined) {
    requireDataDirectory(dataDir);
    return await openDiskStore(join(dataDir, 'files'));
  }
  const { openS3Store } = await import('../files/s3-store.ts');
  return openS3Store(s3);
}
