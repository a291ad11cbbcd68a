/** Notices a proxy whose headers name another address than upload and download addresses begin with. */
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { forwardedAddressOf, originOf } from './origin.ts';

export type ProxyWatch = {
  watch: Middleware;
  /** The address that the headers named; undefined: no header did, or it was the service's own. */
  seen(): string | undefined;
};

/** Tells the log once. Requests with such headers cost a comparison until then, and others nothing. */
export function createProxyWatch(log: Logger): ProxyWatch {
  let seen: string | undefined;
  return {
    watch: (context, next) => {
      const { headers } = context;
      const isForwarded = headers['x-forwarded-proto'] ?? headers['x-forwarded-host'] ?? headers.forwarded;
      if (seen === undefined && (isForwarded ?? headers['x-forwarded-prefix']) !== undefined) {
        const [named, ours] = [forwardedAddressOf(context), originOf(context)];
        if (named !== undefined && named !== ours) {
          seen = named;
          log.warn(
            `a proxy says that clients call ${named}, but addresses for uploads and downloads begin with ${ours}: ` +
              `set BASE_URL=${named}, or TRUST_PROXY=on where only a proxy reaches the service`,
          );
        }
      }
      return next();
    },
    seen: () => seen,
  };
}
