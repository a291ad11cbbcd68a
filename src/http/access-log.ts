/** One line of the log, and one observation of the metrics, for each request that has ended. */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Answered, Telemetry } from '../telemetry/telemetry.ts';

/** What is asked every few seconds by machines, and would drown the rest. */
const ROUTINE = new Set(['livez', 'readyz', 'metrics']);

/** A path of ours has less; what else comes need not be kept whole. */
const LOGGED_PATH_MAX = 256;

/** The client hung up before its answer was out. */
const HUNG_UP = 499;

/** What paths of ours are made of: short names, and the id of a file. */
const OWN_SEGMENT = /^([\w.-]{0,24}|[\da-f-]{36}_[\da-f-]{36})$/;

/**
 * Without the query, where an upload address has its authority, and without what no path of ours has, which may be a
 * secret in the wrong place; undefined where the target is no path.
 */
export function loggedPath(target = ''): string | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  if (!path.startsWith('/')) return undefined;
  const segments = path.slice(0, LOGGED_PATH_MAX).split('/');
  return segments.map((segment) => (OWN_SEGMENT.test(segment) ? segment : '…')).join('/');
}

function toAnswered({ state, status, res }: Context): Answered {
  const operation: string = state.operationId ?? state.route ?? 'other';
  return { operation, status: res.destroyed && !res.writableFinished ? HUNG_UP : status };
}

/** To stand before everything that answers. Health checks and scrapes are logged at debug, all else at info. */
export const observeRequests =
  (log: Logger, watch: Telemetry): Middleware =>
  async (context, next) => {
    const startedAt = performance.now();
    context.res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const answered = toAnswered(context);
      const { requestId, caller, errorCode } = context.state;
      watch.requestEnded({ ...answered, seconds: durationMs / 1000 });
      log[ROUTINE.has(answered.operation) ? 'debug' : 'info'](
        {
          requestId,
          method: context.method,
          path: loggedPath(context.req.url),
          operationId: answered.operation,
          status: answered.status,
          errorCode,
          durationMs: Math.round(durationMs * 10) / 10,
          accountId: caller?.accountId,
          keyId: caller?.keyId,
        },
        'request',
      );
    });
    await watch.request(context.headers, async () => {
      await next();
      return toAnswered(context);
    });
  };
