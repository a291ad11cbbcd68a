/** Exchanges the code that a start has printed for the key: the console opens signed in. */
import { isIPv4 } from 'node:net';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { signInCodeRefused } from '../../../terms/errors.ts';

export const SIGN_IN_PATH = '/console/sign-in';

/** What proxies add to requests that come from elsewhere. */
const PROXY_FIELDS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the request comes from this machine, and from no proxy on it. */
function isLocal({ req: { socket, headers } }: Context): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isLoopback = address === '::1' || (isIPv4(address) && address.startsWith('127.'));
  return isLoopback && PROXY_FIELDS.every((name) => headers[name] === undefined);
}

/**
 * Adds the route, which takes POST. The code is in the Authorization header: pages of other origins cannot send that
 * without the permission of CORS.
 */
export function addSignIn(router: Router, redeem: (code: string) => Promise<string | undefined>): void {
  router.post(SIGN_IN_PATH, async (context) => {
    const code = context.get('authorization').replace(/^Bearer +/i, '');
    const apiKey = isLocal(context) ? await redeem(code) : undefined;
    if (apiKey === undefined) throw signInCodeRefused();
    context.body = { success: true, data: { apiKey } };
  });
}
