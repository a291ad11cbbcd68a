/** Writes one log line and one metrics observation when a request ends. */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RequestOutcome } from '../telemetry/tracing.ts';
import { createRequestedWait } from './capacity/requested-wait.ts';

/** Routes that machines request every few seconds. Their lines would drown the rest of the log. */
const PROBES = new Set(['livez', 'readyz', 'metrics']);

/** Paths of this service are shorter than this. Other paths are cut to this length. */
const LOGGED_PATH_MAX = 256;

/** nginx's status for a client that hung up before its answer was sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** Segments of this service's paths: short names, and file ids. */
const KNOWN_SEGMENT = /^([\w.-]{0,24}|[\da-f-]{36}_[\da-f-]{36})$/;

/**
 * The path of a request target, as the log may hold it; undefined where the target is not a path. The query is left
 * out: in an upload address it holds the signature. Unknown segments may be misplaced secrets, so they become `…`:
 * `/v1/query?a=b` → `/v1/query`, `/kr_0123456789abcdef01234567` → `/…`
 */
export function loggedPath(target = ''): string | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  if (!path.startsWith('/')) return undefined;
  const segments = path.slice(0, LOGGED_PATH_MAX).split('/');
  return segments.map((segment) => (KNOWN_SEGMENT.test(segment) ? segment : '…')).join('/');
}

function outcomeOf({ state, status, res }: Context): RequestOutcome {
  const operation: string = state.operationId ?? state.route ?? 'other';
  return { operation, status: res.destroyed && !res.writableFinished ? CLIENT_CLOSED_REQUEST : status };
}

/**
 * Registered before all middleware that answers. Health checks and scrapes are logged at debug, all else at info. A
 * wait that the client has asked for (`context.state.requestedWait`) is a part of the logged time, not of the metrics'.
 */
export const observeRequests =
  (log: Logger, telemetry: Telemetry): Middleware =>
  (context, next) => {
    const startedAt = performance.now();
    const requestedWait = createRequestedWait();
    context.state.requestedWait = requestedWait;
    context.res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const outcome = outcomeOf(context);
      telemetry.requestEnded({ ...outcome, seconds: (durationMs - requestedWait.takenMs()) / 1000 });
      const level = PROBES.has(outcome.operation) ? 'debug' : 'info';
      if (!log.isLevelEnabled(level)) return;
      const { requestId, caller, errorCode } = context.state;
      log[level](
        {
          requestId,
          method: context.method,
          path: loggedPath(context.req.url),
          operationId: outcome.operation,
          status: outcome.status,
          errorCode,
          durationMs: Math.round(durationMs * 10) / 10,
          accountId: caller?.accountId,
          keyId: caller?.keyId,
        },
        'request',
      );
    });
    return telemetry.request(context.headers, async () => {
      await next();
      return outcomeOf(context);
    });
  };
