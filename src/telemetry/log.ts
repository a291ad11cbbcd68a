/** The log: lines on standard error, one per event, of JSON or as the caller writes them. */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { codeOf, reasonOf } from '../terms/problem.ts';

const STANDARD_ERROR = 2;

/**
 * When the pipe is full, its reader has this time to drain it. After that, lines are lost until the pipe has space.
 */
const PIPE_TIMEOUT_MS = 1_000;
const RETRY_PAUSE_MS = 5;

/** The logged part of an error. Its other properties are left out: a database error holds the password in them. */
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

/** Blocks the whole thread, since a line that is deferred may never be written. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_PAUSE_MS);

/**
 * Writes all bytes. Waits at most `timeoutMs` for a full pipe.
 * @throws the system's error; a part of the bytes may have been written
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

/** Lines that could not be written. `count`: since the process began. `unreported`: not reported in the log yet. */
const lost = { count: 0, unreported: 0, reason: '' };

/** The number of log lines lost because the disk was full or the reader had gone. */
export const countLostLines = (): number => lost.count;

/** Turns a line of JSON, with its line end, into the text to write. */
type Format = (line: string) => string;

/** A line that reports lost lines. It begins with a line feed, since a partial line may precede it. */
function lostLinesReport(format: Format): string {
  const fields = {
    level: 40,
    time: Date.now(),
    lost: lost.unreported,
    reason: lost.reason,
    msg: 'lines of the log could not be written',
  };
  return `\n${format(`${JSON.stringify(fields)}\n`)}`;
}

/**
 * Writes a line, or counts it as lost. pino's own destination would end the service, or keep all lines in memory.
 */
function write(line: string, format: Format): void {
  try {
    if (lost.unreported > 0) writeAll(Buffer.from(lostLinesReport(format) + format(line)), 0);
    else writeAll(Buffer.from(format(line)), PIPE_TIMEOUT_MS);
    lost.unreported = 0;
  } catch (error) {
    lost.count++;
    lost.unreported++;
    lost.reason = reasonOf(error);
  }
}

/** A log of `level` and above. Synchronous, so that the last line before a crash is not lost. */
export const createLog = (level: string, format: Format = (line) => line): Logger =>
  pino({ level, base: null, serializers: { err: describeError } }, { write: (line) => write(line, format) });
