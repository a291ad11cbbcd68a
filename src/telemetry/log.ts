/** The log: JSON lines on standard error, one an event. */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { codeOf, reasonOf } from '../problem.ts';

const STANDARD_ERROR = 2;

/** Whoever reads the log through a pipe has this long to make room in it, once: then lines are lost until there is some. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 5;

/** What is said of an error. Not its other properties: those of a database error hold the connection's password. */
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

/** Sleeps, the whole thread: a log that is written later may never be. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

/** Writes all bytes. @throws what hinders it, after `patienceMs` also that a pipe is full; a part may be written then. */
function writeAll(bytes: Buffer, patienceMs: number): void {
  const deadline = performance.now() + patienceMs;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(STANDARD_ERROR, bytes, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' || performance.now() > deadline) throw error;
      pause();
    }
  }
}

/** Lines that could not be written since the process began, and those of them that no later line has told of. */
const lost = { count: 0, untold: 0, reason: '' };

/** How many lines of the log were lost, since its disk was full or its reader gone. */
export const countLostLines = (): number => lost.count;

/** Where lines are missing, one says so; behind a line end, since a part of the last may stand there. */
const tellOfLost = (): string =>
  `\n${JSON.stringify({ level: 40, time: Date.now(), lost: lost.untold, reason: lost.reason, msg: 'lines of the log could not be written' })}\n`;

/** A service goes on when its log cannot be written: pino's own destination would end it, or keep all lines in memory. */
function write(line: string): void {
  try {
    if (lost.untold > 0) writeAll(Buffer.from(tellOfLost() + line), 0);
    else writeAll(Buffer.from(line), PATIENCE_MS);
    lost.untold = 0;
  } catch (error) {
    lost.count++;
    lost.untold++;
    lost.reason = reasonOf(error);
  }
}

/** `level` and above are written. Synchronously: a line that is lost in a crash is the one that was needed. */
export const createLog = (level: string): Logger =>
  pino({ level, base: null, serializers: { err: describeError } }, { write });
