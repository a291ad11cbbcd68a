/**
 * Sessions of the console: a cookie stands for the key with which a person has signed in, in all tabs of a browser. No
 * script can read it, and the key itself is not in it. Only the console's own requests may use it.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isTokenText } from '../../terms/access-token.ts';
import { isSameSecret } from '../../terms/api-key.ts';

/**
 * What the console sends as `x-api-key`, so that the cookie is used. Pages of other origins cannot send this header
 * without a preflight, which never allows them to send cookies.
 */
export const CONSOLE_KEY = 'console';

/** A person signs in again after this time. A key that is revoked or expires ends its sessions within a second. */
const VALID_SECONDS = 7 * 86_400;

/** Begins what stands for a key, so that it is told from keys. */
const TOKEN_PATTERN = /^console_([0-9a-f]{24})_([0-9a-f]{24})_(\d{1,12})_([\w-]{43})$/;

/** `parts`: of the token, before the MAC. */
const macOf = (secret: string, parts: string[]): Buffer =>
  createHmac('sha256', secret)
    .update(['console session', ...parts].join('\n'))
    .digest();

/** `sessionId`: another one for each sign-in, by which it is ended. */
export type ConsoleSession = { keyId: string; sessionId: string; expiresAt: Date };

export type ConsoleSessions = {
  /** The cookie's name: servers on other ports of the same host have cookies of their own. */
  cookieName: string;
  /** Makes what stands for the key for a week. */
  issue(keyId: string): string;
  /**
   * The session of a token; undefined: it is no token of this service, or has expired. It may have been ended: the
   * database knows.
   */
  read(token: string): ConsoleSession | undefined;
};

/** @param secret the deployment's: all of its servers know it */
export function createConsoleSessions(secret: string, nowMs = Date.now): ConsoleSessions {
  const name = createHash('sha256').update(`console cookie\n${secret}`).digest('hex').slice(0, 8);
  return {
    cookieName: `knowledge-retrieval-${name}`,
    issue(keyId) {
      const expires = String(Math.floor(nowMs() / 1000) + VALID_SECONDS);
      const parts = [keyId, randomBytes(12).toString('hex'), expires];
      return ['console', ...parts, macOf(secret, parts).toString('base64url')].join('_');
    },
    read(token) {
      const [, keyId = '', sessionId = '', expires = '', mac] = TOKEN_PATTERN.exec(token) ?? [];
      if (mac === undefined) return undefined;
      const isOurs = isSameSecret(Buffer.from(mac, 'base64url'), macOf(secret, [keyId, sessionId, expires]));
      const expiresAt = new Date(Number(expires) * 1000);
      return isOurs && expiresAt.getTime() > nowMs() ? { keyId, sessionId, expiresAt } : undefined;
    },
  };
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/**
 * Whether a request comes from a page of this service. Browsers say so in Sec-Fetch-Site, over https and on the machine
 * itself. Elsewhere the origin, where there is one, must have the host that was asked. A page that is at another origin
 * could not send `CONSOLE_KEY` either.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined || hostOf(headers.origin) === headers.host;
}

/** The value of a cookie; '' without it. */
function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string {
  const start = `${name}=`;
  for (const part of cookie.split(';'))
    if (part.trim().startsWith(start)) return part.trim().slice(start.length);
  return '';
}

/** Reads the key of a request, or what stands for it; '' without either. */
export type KeyReader = (headers: IncomingHttpHeaders) => string;

/** Reads the cookie of the console's requests. */
export const createKeyReader =
  ({ cookieName }: Pick<ConsoleSessions, 'cookieName'>): KeyReader =>
  (headers) => {
    const key = keyOfHeader(headers);
    if (key !== CONSOLE_KEY) return key;
    return isSameOrigin(headers) ? cookieOf(headers, cookieName) : '';
  };

/** A key as a request gives it: what stands for one in the console's cookie is no key anywhere else. */
export const givenKey = (text: string): string => (TOKEN_PATTERN.test(text) ? '' : text);

/** The token in an Authorization header; '' where it has none. Keys are in a header of their own. */
function tokenOf({ authorization = '' }: IncomingHttpHeaders): string {
  const text = authorization.replace(/^Bearer +/i, '');
  return isTokenText(text) ? text : '';
}

/** The key that is in the header of a request, or a token. */
export const keyOfHeader: KeyReader = (headers) =>
  givenKey(String(headers['x-api-key'] ?? '')) || tokenOf(headers);
