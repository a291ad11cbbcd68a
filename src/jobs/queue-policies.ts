/** The queues: what becomes of their jobs. Deliveries of events are no jobs: see outbound/webhooks/deliver.ts. */

/** Of one queue. A job runs once, and after each failure again, until its retries are used up. */
type Policy = {
  retries: number;
  /** The longest pause before a retry. */
  retryPauseMaxSeconds?: number;
  /** How long one try may take. */
  tryMaxSeconds: number;
  /** The queue of the jobs that have failed at every try. Without one, such a job ends. */
  deadLetters?: QueueName;
  /** How long after its end the job comes again. */
  everySeconds?: number;
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 86_400;

/** Tries after the first one; their pauses are 1 to 2 seconds, 2 to 4, 4 to 8, … */
const RETRIES = 5;
const TRY_MAX_SECONDS = 15 * MINUTE;

export const IMPORT_QUEUE = 'import-file';
/** Files of addresses, before they are imported. */
export const FETCH_QUEUE = 'fetch-url';
/** The dead letters: imports that failed at every try. */
export const DEAD_LETTER_QUEUE = 'give-up-import';
export const PURGE_QUEUE = 'purge-knowledge-base';
export const GARBAGE_QUEUE = 'sweep-storage';
export const VECTORS_QUEUE = 'fill-vectors';
export const EMBEDDING_QUEUE = 'embed-documents';

/** In the order of their names. */
export const QUEUE_NAMES = [
  EMBEDDING_QUEUE,
  FETCH_QUEUE,
  VECTORS_QUEUE,
  DEAD_LETTER_QUEUE,
  IMPORT_QUEUE,
  PURGE_QUEUE,
  GARBAGE_QUEUE,
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export const POLICIES: Readonly<Record<QueueName, Policy>> = {
  // The document's deadline bounds an import.
  [IMPORT_QUEUE]: { retries: RETRIES, tryMaxSeconds: DAY, deadLetters: DEAD_LETTER_QUEUE },
  [FETCH_QUEUE]: { retries: RETRIES, tryMaxSeconds: DAY, deadLetters: DEAD_LETTER_QUEUE },
  // It must succeed in the end.
  [DEAD_LETTER_QUEUE]: { retries: 1_000, retryPauseMaxSeconds: MINUTE, tryMaxSeconds: TRY_MAX_SECONDS },
  [PURGE_QUEUE]: { retries: RETRIES, tryMaxSeconds: TRY_MAX_SECONDS },
  [GARBAGE_QUEUE]: { retries: 0, tryMaxSeconds: TRY_MAX_SECONDS, everySeconds: 10 * MINUTE },
  // A server runs it for an hour, or not at all, since another model is wanted: then another server soon runs it.
  [EMBEDDING_QUEUE]: { retries: 1_000, retryPauseMaxSeconds: MINUTE, tryMaxSeconds: DAY, everySeconds: 5 },
  // When vectors are turned on it takes hours. It finds little later.
  // A killed server's job goes on soon: a million passages take hours.
  [VECTORS_QUEUE]: { retries: 1_000, retryPauseMaxSeconds: MINUTE, tryMaxSeconds: DAY, everySeconds: HOUR },
};

/** Returns the pause after the try `tries` has failed. Random, so that jobs that failed together do not return so. */
export const retryPauseSeconds = (queue: QueueName, tries: number): number =>
  Math.min(2 ** (tries - 1) * (1 + Math.random()), POLICIES[queue].retryPauseMaxSeconds ?? DAY);
