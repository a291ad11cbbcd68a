/** The log: JSON lines on standard error, one per event. */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { codeOf, reasonOf } from '../problem.ts';

const STANDARD_ERROR = 2;

/**
 * When the pipe is full, its reader gets this time once to drain it; after that, lines are lost until it has space.
 */
const PIPE_TIMEOUT_MS = 1_000;
const RETRY_PAUSE_MS = 5;

/** The logged part of an error. Not its other properties: a database error's hold the connection's password. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    name,
    message,
    code,
    stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** Blocks the whole thread: a line written later may never be written. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_PAUSE_MS);

/**
 * Writes all bytes. @throws the reason when it cannot, also for a pipe still full after `patienceMs`; then a part may
 * be written.
 */
function writeAll(bytes: Buffer, timeoutMs: number): void {
  const deadline = performance.now() + timeoutMs;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(STANDARD_ERROR, bytes, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' || performance.now() > deadline) throw error;
      pause();
    }
  }
}

/** Lines that could not be written since the process began, and how many of them no later line has reported. */
const lost = { count: 0, unreported: 0, reason: '' };

/** The number of log lines lost because the disk was full or the reader gone. */
export const countLostLines = (): number => lost.count;

/** A line that reports lost lines. It begins with a line end, since a part of the last line may precede it. */
const lostLinesReport = (): string =>
  `\n${JSON.stringify({ level: 40, time: Date.now(), lost: lost.unreported, reason: lost.reason, msg: 'lines of the log could not be written' })}\n`;

/**
 * The service goes on when its log cannot be written. pino's own destination would end it, or keep all lines in
 * memory.
 */
function write(line: string): void {
  try {
    if (lost.unreported > 0) writeAll(Buffer.from(lostLinesReport() + line), 0);
    else writeAll(Buffer.from(line), PIPE_TIMEOUT_MS);
    lost.unreported = 0;
  } catch (error) {
    lost.count++;
    lost.unreported++;
    lost.reason = reasonOf(error);
  }
}

/** A log of `level` and above. Synchronous: a line lost in a crash is the one that was needed. */
export const createLog = (level: string): Logger =>
  pino({ level, base: null, serializers: { err: describeError } }, { write });
