/** Log lines for people at a terminal, made of those for programs. */

/** The level from which the lines have a stack. */
const ERROR = 50;
/** The levels of Pino that a line names. It says nothing of the usual one, `info`. */
const LEVELS: Record<number, string> = { 10: 'TRACE', 20: 'DEBUG', 40: 'WARNING', 50: 'ERROR', 60: 'FATAL' };

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{ "name": "Error", "message": "no", "cause": … }` → `Error: no, caused by TypeError: why` */
function describeError({ name, message, code, cause }: Fields): string {
  const reason = isRecord(cause) && cause.message !== undefined ? `, caused by ${describeError(cause)}` : '';
  return `${name}: ${message}${code === undefined ? '' : ` (${code})`}${reason}`;
}

function describeField([name, value]: [string, unknown]): string {
  if (name === 'err' && isRecord(value)) return describeError(value);
  return `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** From this status on, a request was refused or has failed. */
const REFUSED = 400;

/**
 * A request in the order in which people read it. After a refusal or a failure come its key and its id, by which
 * callers report it. The message of the answer is missing: it may quote what the client has sent, so no log has it.
 */
function describeRequest({ method, path, status, errorCode, durationMs, keyId, requestId }: Fields): string {
  const caller = keyId === undefined ? [] : ['key', keyId];
  const ids = Number(status) < REFUSED ? [] : [...caller, 'request', requestId];
  return [method, path, status, errorCode, `${durationMs} ms`, ...ids]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** The stacks of an error and its causes, below the line. */
function stacksOf(error: unknown): string {
  if (!isRecord(error)) return '';
  const stack = typeof error.stack === 'string' ? `\n${error.stack}`.replaceAll('\n', '\n    ') : '';
  return stack + stacksOf(error.cause);
}

/** Line ends in messages and fields, which may come from clients, would forge lines of the log. */
const toOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');

/** 1795468066016 → `21:07:46`, by the clock of this machine */
function formatTime(time: unknown): string {
  const date = new Date(Number(time));
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/**
 * `{"level":40,"time":1795468066016,"file":"a","msg":"lost"}` → `21:07:46 WARNING lost: file a`; with the line end.
 * Only stacks have further lines. Anything but such a line stays as it is.
 */
export function toReadableLine(line: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return line;
  }
  if (!isRecord(parsed)) return line;
  const { level, time, msg, ...fields } = parsed;
  const facts = Object.entries(fields).map(describeField).join(', ');
  const message = facts === '' ? String(msg) : `${msg}: ${facts}`;
  const text = msg === 'request' ? describeRequest(fields) : message;
  const stacks = Number(level) >= ERROR ? stacksOf(fields.err) : '';
  const name = LEVELS[Number(level)];
  return `${formatTime(time)} ${name === undefined ? '' : `${name} `}${toOneLine(text)}${stacks}\n`;
}
