/** The HTTP application: request id, error boundary, the routes beside the contract, and the contract's operations. */
import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Logger } from 'pino';
import { loggedPath, observeRequests } from './access-log.ts';
import type { Admission } from './admission.ts';
import { type Backend, createDispatch, type ResponseCheck } from './dispatch.ts';
import {
  brokenOff,
  overloaded,
  routeNotFound,
  ServiceError,
  toErrorEnvelope,
  toServiceError,
} from './errors.ts';
import { createRoutes, type Routes } from './routes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Watch } from './watch.ts';

/** Ids that a client may choose itself, so that its log and ours meet. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Node lets request targets pass that are no URL; everything behind this may parse it. */
async function requireTarget(context: Context, next: Next): Promise<void> {
  if (!URL.canParse(context.req.url ?? '', 'http://service')) {
    throw new ServiceError('MALFORMED_REQUEST', 'The request target is no URL.');
  }
  await next();
}

async function identify(context: Context, next: Next): Promise<void> {
  const given = context.get('x-request-id');
  context.state.requestId = REQUEST_ID.test(given) ? given : randomUUID();
  context.set('x-request-id', context.state.requestId);
  await next();
}

async function secure(context: Context, next: Next): Promise<void> {
  context.set(SECURITY_HEADERS);
  await next();
}

function answerError(context: Context, error: ServiceError): void {
  // What is left of a refused body has to be read, or the next request on its connection never is.
  context.req.resume();
  context.status = error.status;
  context.state.errorCode = error.errorCode;
  context.set(error.headers);
  context.body = toErrorEnvelope(error);
}

/** The one place where a thrown error becomes an answer. */
const errorBoundary =
  (log: Logger): Middleware =>
  async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = context.req.readableAborted ? brokenOff() : toServiceError(thrown);
      const { requestId } = context.state;
      if (error.status >= 500 && !error.isExpected) {
        log.error({ err: thrown, requestId, path: loggedPath(context.req.url) }, error.message);
      }
      answerError(context, error);
    }
  };

/** Refuses what cannot have its turn soon, before anything is looked at; as cheaply as can be, and not as an error of ours. */
const admit =
  ({ enter }: Admission): Middleware =>
  async (context, next) => {
    const place = await enter();
    if (place === undefined) {
      context.state.route = 'refused';
      return answerError(context, overloaded());
    }
    context.state.place = place;
    try {
      // Whoever has hung up meanwhile needs no answer.
      if (!context.req.socket.destroyed) await next();
    } finally {
      place.leave();
    }
  };

/** Holds every answer of an operation against the spec; one that breaks the contract becomes a 500. */
const contractBoundary =
  (log: Logger, check: ResponseCheck): Middleware =>
  async (context, next) => {
    await next();
    const { operationId, requestId } = context.state;
    if (operationId === undefined) return;
    const problem = check(operationId, context.status, context.body);
    if (problem === undefined) return;
    const broken = new Error(`${operationId} answered ${context.status} against the spec: ${problem}`);
    log.error({ err: broken, requestId }, 'response breaks the contract');
    answerError(context, toServiceError(broken));
  };

const refuseRoute: Middleware = () => {
  throw routeNotFound();
};

/** What the application is made of; without a `backend` it has the routes only. `corsOrigin`: whose pages may call, undefined: nobody's. */
type Parts = {
  backend?: Backend;
  routes: Routes;
  /** Who of those that call operations has a turn; undefined: all, at once. */
  admission?: Admission;
  log: Logger;
  watch: Watch;
  corsOrigin: string | undefined;
  validateResponses: boolean;
};

/** The application; it listens to nothing yet. */
export async function createApp({
  backend,
  routes,
  admission,
  log,
  watch,
  corsOrigin,
  validateResponses,
}: Parts): Promise<Koa> {
  const dispatch = backend && (await createDispatch(backend));
  const app = new Koa();
  app.use(identify);
  app.use(observeRequests(log, watch));
  app.use(secure);
  if (validateResponses && dispatch) app.use(contractBoundary(log, dispatch.checkResponse));
  app.use(errorBoundary(log));
  app.use(requireTarget);
  app.use(createRoutes(routes).routes());
  if (corsOrigin !== undefined)
    app.use(
      cors({
        origin: corsOrigin,
        exposeHeaders: ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'],
      }),
    );
  if (admission) app.use(admit(admission));
  app.use(dispatch?.handle ?? refuseRoute);
  app.on('error', (error) => log.debug({ err: error }, 'connection broke while answering'));
  return app;
}
