/** What all jobs share; a part of the handlers' context. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/connection/database.ts';
import type { ExtractFile } from '../extraction/sandbox/extraction-pool.ts';
import type { DiskWatermark } from '../files/disk-watermark.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Analyse } from '../indexing/analysis-pool.ts';
import type { AddressRules } from '../outbound/address-rules.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { JobQueue } from './job-queue.ts';

export type JobContext = Readonly<{
  config: Config;
  database: Database;
  files: FileStore;
  /** Whether the file store answers; may be called at any time. */
  isStoreAvailable: () => Promise<boolean>;
  /** Extracts an uploaded file's text off the main thread. */
  extract: ExtractFile;
  /** Splits and analyses a document's text off the main thread. */
  analyse: Analyse;
  jobs: JobQueue;
  /** Which addresses imports may open. */
  fetchRules: AddressRules;
  /** Prevents the storing of new content while the disk is almost full. */
  diskWatermark: DiskWatermark;
  /** Receives metrics and traces, beside the log. */
  telemetry: Telemetry;
  log: Logger;
}>;
