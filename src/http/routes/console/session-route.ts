/** Signs the console in and out: it exchanges a key for a cookie, tells what the cookie's key may do, and ends it. */
import type Router from '@koa/router';
import type { Context } from 'koa';
import { ServiceError, unauthorized } from '../../../terms/errors.ts';
import type { Caller } from '../../access/authenticate.ts';
import {
  type ConsoleSession,
  type ConsoleSessions,
  isSameOrigin,
  type KeyReader,
  keyOfHeader,
} from '../../access/console-session.ts';

export const SESSION_PATH = '/console/session';

export type ConsoleSignIn = {
  sessions: ConsoleSessions;
  /** The key of a request, or what stands for it. */
  keyOf: KeyReader;
  /** @throws UNAUTHORIZED */
  authenticate(key: string): Promise<Caller>;
  /** Ends a session on all servers. */
  endSession(session: ConsoleSession): Promise<void>;
  /** @throws RATE_LIMITED */
  limitRate(keyId: string): Promise<Record<string, string>>;
};

/** What the console has to know of a key. `account`: it may do everything. */
const describe = ({ keyId, scope, allowedKnowledgeBases }: Caller) => ({
  keyId,
  scope: scope === 'search' ? 'search' : allowedKnowledgeBases === undefined ? 'account' : 'write',
});

/** Whether the page came over https, by what its browser says: a proxy may speak http to this server. */
const isSecure = (context: Context): boolean => context.secure || context.get('origin').startsWith('https:');

/** The cookie ends with the browser. Without a value it ends at once. */
function setCookie(context: Context, name: string, value: string): void {
  const fields = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (value === '') fields.push('Max-Age=0');
  if (isSecure(context)) fields.push('Secure');
  context.set('set-cookie', fields.join('; '));
}

/** A key that was revoked meanwhile, or a session that was ended. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof ServiceError && error.errorCode === 'UNAUTHORIZED') return;
  throw error;
}

function requireSameOrigin({ req }: Context): void {
  if (!isSameOrigin(req.headers))
    throw new ServiceError('KEY_NOT_PERMITTED', 'Only the page of the console may do this.');
}

/** Adds the route, which takes GET, POST and DELETE. */
export function addSession(
  router: Router,
  { sessions, keyOf, authenticate, endSession, limitRate }: ConsoleSignIn,
): void {
  router.get(SESSION_PATH, async (context) => {
    const session = sessions.read(keyOf(context.req.headers));
    // Without a session, the page asks for a key: that is no error.
    const caller = session && (await authenticate(keyOf(context.req.headers)).catch(unlessRefused));
    context.body = { success: true, data: caller ? describe(caller) : {} };
  });
  router.post(SESSION_PATH, async (context) => {
    requireSameOrigin(context);
    const caller = await authenticate(keyOfHeader(context.req.headers));
    // A session would outlive the token, and see all that its key sees.
    if (caller.token !== undefined) throw unauthorized();
    context.set(await limitRate(caller.keyId));
    setCookie(context, sessions.cookieName, sessions.issue(caller.keyId));
    context.body = { success: true, data: describe(caller) };
  });
  router.delete(SESSION_PATH, async (context) => {
    requireSameOrigin(context);
    // First, so that a sign-out that fails leaves the page its cookie, with which to try again.
    const session = sessions.read(keyOf(context.req.headers));
    if (session) await endSession(session);
    setCookie(context, sessions.cookieName, '');
    context.body = { success: true, data: {} };
  });
}
