/** What every handler and job works with, made once by the composition root. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { ExtractFile } from '../extraction/sandbox/extraction-pool.ts';
import type { DiskRoom } from '../files/disk-room.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Routes } from '../http/routes.ts';
import type { Analyse, AnalysisPool } from '../indexing/analysis-pool.ts';
import type { DocumentWaits } from '../jobs/document-waits.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { QueuePositions } from '../jobs/queue-positions.ts';
import type { Search } from '../search/search.ts';
import type { Watch } from '../telemetry/watch.ts';

export type Service = Readonly<{
  config: Config;
  database: Database;
  files: FileStore;
  /** Whether the store of files answers; may be asked at any time. */
  isStoreAvailable: () => Promise<boolean>;
  /** Splits and analyses a document's text off the main thread. */
  analyse: Analyse;
  /** To be told of each request's account: beside it, the documents of others are analysed fewer at a time. */
  greetAccount: AnalysisPool['greet'];
  /** Reads an uploaded file's text off the main thread. */
  extract: ExtractFile;
  search: Search;
  jobs: JobQueue;
  /** Where files stand in the queue of imports. */
  positions: QueuePositions;
  /** Where there is no room left, nothing new is stored. */
  room: DiskRoom;
  /** Who waits for the end of imports. */
  waits: DocumentWaits;
  uploadSecret: string;
  /** By which `doctor` knows a server of its settings. */
  deploymentId: string;
  /** What `/metrics` shows, and the token that opens it; undefined: nothing is counted. */
  metrics: Routes['metrics'];
  /** Who is told of what happens, beside the log. */
  watch: Watch;
  log: Logger;
}>;
