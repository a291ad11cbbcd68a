/** One line of the log, and one observation of the metrics, for each request that has ended. */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Answered } from '../telemetry/tracing.ts';

/** Routes that machines request every few seconds. Their lines would drown the rest of the log. */
const ROUTINE = new Set(['livez', 'readyz', 'metrics']);

/** Paths of this service are shorter than this. Other paths are cut to this length. */
const LOGGED_PATH_MAX = 256;

/** The status for a client that hung up before its answer was sent. */
const HUNG_UP = 499;

/** The segments of this service's paths: short names, and the id of a file. */
const OWN_SEGMENT = /^([\w.-]{0,24}|[\da-f-]{36}_[\da-f-]{36})$/;

/**
 * The path of a request target, as the log may hold it; undefined where the target is not a path. The query is left
 * out: in an upload address it holds the authority. Segments that no path of this service has become `…`: each may be
 * a secret in the wrong place.
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

/** Registered before all middleware that answers. Health checks and scrapes are logged at debug, all else at info. */
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
