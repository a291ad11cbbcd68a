/** The log: JSON lines on standard error, one an event. */
import { type Logger, pino } from 'pino';

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

/** `level` and above are written. Synchronously: a line that is lost in a crash is the one that was needed. */
export const createLog = (level: string): Logger =>
  pino({ level, base: null, serializers: { err: describeError } }, pino.destination({ dest: 2, sync: true }));
