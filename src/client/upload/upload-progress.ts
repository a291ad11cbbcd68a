/** How far uploads are, as their callers learn it. */
import type { Document, DocumentStatusReport } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrievalError } from '../errors.ts';

/**
 * In this order: `queued` (waits for its turn), `uploading` (its bytes are being sent), `importing` (they have
 * arrived), `processing` (only where the caller waits: the service reads it), then `done` or `failed`.
 */
export type UploadPhase = 'queued' | 'uploading' | 'importing' | 'processing' | 'done' | 'failed';

/** The state of one file. */
export type FileProgress = {
  /** The file's name; the last part of its path where it could not be opened. */
  fileName: string;
  phase: UploadPhase;
  /** The bytes that are on their way or have arrived. It begins at 0 again when a broken upload is repeated. */
  sentBytes: number;
  /** The size of the file; 0 until it has been opened. */
  totalBytes: number;
  /** From `processing` on, and in `done`: the document, with its status at the service. */
  document?: Document & Partial<DocumentStatusReport>;
  /** Only in `failed`: the reason. */
  error?: KnowledgeRetrievalError;
};

/** The state of all files of a call. */
export type UploadTotals = {
  /** How many files there are: all of a list; of an async iterable those that have been taken from it. */
  files: number;
  /** How many of them are `done`. */
  done: number;
  /** How many of them have failed. */
  failed: number;
  sentBytes: number;
  /** The size of the files that have been opened. */
  totalBytes: number;
};

/** The state of one of several files, and of all together. */
export type UploadFilesProgress = FileProgress & {
  /** The position of the file among the sources, from 0. */
  index: number;
  totals: UploadTotals;
};

export type ReportProgress = (change: Partial<FileProgress>) => void;

/**
 * Calls a listener. What it throws is its own fault: it is reported as an uncaught error, as by DOM events, and the
 * upload goes on.
 */
export function notify<Event>(listener: ((event: Event) => void) | undefined, event: Event): void {
  try {
    listener?.(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A file's state, and the function that changes and reports it. */
export type FileTrack = { readonly state: FileProgress; report: ReportProgress };

/** `label`: what to call the file until it is opened. */
export function trackFile(
  label: string,
  onProgress: ((progress: FileProgress) => void) | undefined,
): FileTrack {
  const track: { state: FileProgress; report: ReportProgress } = {
    state: { fileName: label, phase: 'queued', sentBytes: 0, totalBytes: 0 },
    report: (change) => {
      track.state = { ...track.state, ...change };
      notify(onProgress, track.state);
    },
  };
  return track;
}

/** Adds up the states of files. `count`: how many there are; undefined: those that have reported. */
export function trackTotals(
  count: number | undefined,
): (index: number, progress: FileProgress) => UploadTotals {
  const files: Pick<FileProgress, 'sentBytes' | 'totalBytes'>[] = [];
  const totals = { done: 0, failed: 0, sentBytes: 0, totalBytes: 0 };
  return (index, { phase, sentBytes, totalBytes }) => {
    const before = files[index] ?? { sentBytes: 0, totalBytes: 0 };
    files[index] = { sentBytes, totalBytes };
    totals.sentBytes += sentBytes - before.sentBytes;
    totals.totalBytes += totalBytes - before.totalBytes;
    if (phase === 'done' || phase === 'failed') totals[phase]++;
    return { files: count ?? files.length, ...totals };
  };
}
