/** The context of the jobs; a part of the handlers' context. */
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
  /** Whether the store of files answers; may be called at any time. */
  isStoreAvailable: () => Promise<boolean>;
  /** Extracts an uploaded file's text off the main thread. */
  extract: ExtractFile;
  /** Splits and analyses a document's text off the main thread. */
  analyse: Analyse;
  jobs: JobQueue;
  /** On a full disk it prevents the storing of new content. */
  diskWatermark: DiskWatermark;
  /** Receives metrics and traces, beside the log. */
  telemetry: Telemetry;
  log: Logger;
}>;
