/** Why an address has given no file: with the document's error code, and a sentence that says what to do. */
import type { DocumentErrorCode } from '../../../generated/types.gen.ts';

/** `afterSeconds`: the server wants no other try before. */
type Options = { isTemporary?: boolean; afterSeconds?: number; cause?: unknown };

/** `isTemporary`: another try may succeed. */
export class FetchFailure extends Error {
  readonly code: DocumentErrorCode;
  readonly isTemporary: boolean;
  readonly afterSeconds: number | undefined;

  constructor(code: DocumentErrorCode, message: string, { isTemporary = false, ...options }: Options = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.isTemporary = isTemporary;
    this.afterSeconds = options.afterSeconds;
  }
}

const TRY_LATER = 'Import the address again later.';

/**
 * `problem`: what the address must be, or must not: `must …`. `isFirst`: the address itself, and none that it redirects
 * to.
 */
export const notAllowed = (problem: string, isFirst: boolean): FetchFailure =>
  new FetchFailure(
    'URL_NOT_ALLOWED',
    `${isFirst ? 'The address' : 'The address redirects, and where it leads'} ${problem}. ` +
      'Upload the file instead, or ask the operator to allow the network.',
  );

export const tooManyRedirects = (most: number): FetchFailure =>
  new FetchFailure(
    'URL_UNREACHABLE',
    `The address redirects more than ${most} times. Import the address to which it leads.`,
  );

export const tooLarge = (mostBytes: number): FetchFailure =>
  new FetchFailure(
    'FILE_TOO_LARGE',
    `The file has more than ${mostBytes} bytes, the most of a file. Split it, and upload the parts.`,
  );

export const isEmpty = (): FetchFailure =>
  new FetchFailure('NO_TEXT_EXTRACTED', 'The server sends a file without bytes. Correct the address.');

/** `happened`: such as `The server did not answer within 10 seconds.` */
export const unreachable = (happened: string, options: Options = {}): FetchFailure =>
  new FetchFailure('URL_UNREACHABLE', `${happened} ${TRY_LATER}`, { isTemporary: true, ...options });

export const unknownName = (code: string): FetchFailure =>
  new FetchFailure('URL_UNREACHABLE', `The name of the server is unknown (${code}). Correct the address.`);

export const untrusted = (code: string): FetchFailure =>
  new FetchFailure(
    'URL_UNREACHABLE',
    `The certificate of the server is not valid (${code}). Tell its operator, or upload the file instead.`,
  );

/** Statuses that stand for nothing there: now, or for ever. */
const MISSING = new Set([404, 410]);
/** Besides 5xx: the server may answer otherwise soon. */
const TEMPORARY = new Set([408, 425, 429]);

/** A server that asks to wait longer is not waited for. */
const WAIT_MAX_SECONDS = 120;

/** `retryAfterSeconds`: by the server's header Retry-After. */
export function badStatus(status: number, retryAfterSeconds: number | undefined): FetchFailure {
  const said = `The server answers with status ${status}`;
  if (MISSING.has(status))
    return new FetchFailure(
      'URL_NOT_FOUND',
      `${said}: there is nothing at the address. Correct the address, or delete the document.`,
    );
  if (status >= 500 || TEMPORARY.has(status)) {
    if (retryAfterSeconds === undefined) return unreachable(`${said}.`);
    const isLong = retryAfterSeconds > WAIT_MAX_SECONDS;
    return new FetchFailure(
      'URL_UNREACHABLE',
      `${said}. Import the address again after ${retryAfterSeconds} seconds.`,
      { isTemporary: !isLong, afterSeconds: retryAfterSeconds },
    );
  }
  if (status >= 400)
    return new FetchFailure(
      'URL_REFUSED',
      `${said}: it refuses the service, which has no login there. Download the file, and upload it.`,
    );
  return new FetchFailure('URL_UNREACHABLE', `${said}, and sends no file. Correct the address.`);
}
