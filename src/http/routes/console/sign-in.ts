/** Exchanges the code that a start has printed for the key: the console opens signed in. */
import type Router from '@koa/router';
import type { Context } from 'koa';
import { signInCodeRefused } from '../../../terms/errors.ts';
import { isLoopbackHost, requireOwnAddress } from '../../access/own-address.ts';

export const SIGN_IN_PATH = '/console/sign-in';

/** What most proxies add to requests that come from elsewhere. */
const PROXY_FIELDS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the request comes from this machine, and from no proxy on it that says so. */
function isLocal({ req: { socket, headers } }: Context): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  return isLoopbackHost(address) && PROXY_FIELDS.every((name) => headers[name] === undefined);
}

/**
 * Adds the route, which takes POST. The code is in the Authorization header: pages of other origins cannot send that
 * without the permission of CORS.
 */
export function addSignIn(router: Router, redeem: (code: string) => Promise<string | undefined>): void {
  router.post(SIGN_IN_PATH, async (context) => {
    requireOwnAddress(context, { isLocal: true, baseUrl: undefined });
    const code = context.get('authorization').replace(/^Bearer +/i, '');
    const apiKey = isLocal(context) ? await redeem(code) : undefined;
    if (apiKey === undefined) throw signInCodeRefused();
    context.body = { success: true, data: { apiKey } };
  });
}
