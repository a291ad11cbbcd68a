/** One line of the log, and one observation of the metrics, for each request that has ended. */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Answered, Watch } from './watch.ts';

/** What is asked every few seconds by machines, and would drown the rest. */
const ROUTINE = new Set(['livez', 'readyz', 'metrics']);

/** A path of ours has less; what else comes need not be kept whole. */
const LOGGED_PATH_MAX = 256;

/** The client hung up before its answer was out. */
const HUNG_UP = 499;

/** Without the query, where an upload address has its authority; none where the target is no path of ours anyhow. */
function loggedPath(target = ''): string | undefined {
  if (!target.startsWith('/')) return undefined;
  return target.split(/[?#]/, 1)[0]?.slice(0, LOGGED_PATH_MAX);
}

function toAnswered({ state, status, res }: Context): Answered {
  const operation: string = state.operationId ?? state.route ?? 'other';
  return { operation, status: res.destroyed && !res.writableFinished ? HUNG_UP : status };
}

/** To stand before everything that answers. Health checks and scrapes are logged at debug, all else at info. */
export const observeRequests =
  (log: Logger, watch: Watch): Middleware =>
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
