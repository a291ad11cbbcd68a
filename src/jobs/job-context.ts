/** What the jobs work with; a part of what handlers have. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { ExtractFile } from '../extraction/sandbox/extraction-pool.ts';
import type { DiskWatermark } from '../files/disk-watermark.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Analyse } from '../indexing/analysis-pool.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { JobQueue } from './job-queue.ts';

export type JobContext = Readonly<{
  config: Config;
  database: Database;
  files: FileStore;
  /** Whether the store of files answers; may be asked at any time. */
  isStoreAvailable: () => Promise<boolean>;
  /** Reads an uploaded file's text off the main thread. */
  extract: ExtractFile;
  /** Splits and analyses a document's text off the main thread. */
  analyse: Analyse;
  jobs: JobQueue;
  /** Where there is no room left, nothing new is stored. */
  diskWatermark: DiskWatermark;
  /** Who is told of what happens, beside the log. */
  telemetry: Telemetry;
  log: Logger;
}>;
