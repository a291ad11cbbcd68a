/** The application on the service: handlers for the operations, its database and files for the other routes. */
import type { RequestListener } from 'node:http';
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import { singleFlight } from '../concurrency/single-flight.ts';
import type { Transact } from '../database/idempotency-keys.ts';
import { serverShuttingDown, serviceUnavailable } from '../errors.ts';
import type { FileStore } from '../files/file-store.ts';
import { accountHandlers } from '../handlers/account.ts';
import { documentHandlers } from '../handlers/documents.ts';
import type { HandlerContext, Handlers } from '../handlers/handler-types.ts';
import { knowledgeBaseHandlers } from '../handlers/knowledge-bases.ts';
import { searchHandlers } from '../handlers/search.ts';
import type { Service } from '../handlers/service.ts';
import { uploadHandlers } from '../handlers/uploads.ts';
import { createAdmission } from '../http/admission.ts';
import { createApp } from '../http/app.ts';
import { createAuthenticate } from '../http/authenticate.ts';
import type { Backend, RequestContext } from '../http/dispatch.ts';
import { createIdempotency, toKeyedRequest } from '../http/idempotency.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { createReceiveUpload } from '../http/receive-upload.ts';
import type { Routes } from '../http/routes.ts';
import type { OpenService } from './open-service.ts';

/** All operations of the spec. A missing operation, or one with another payload, does not compile. */
const handlers: Handlers = {
  ...searchHandlers,
  ...uploadHandlers,
  ...documentHandlers,
  ...knowledgeBaseHandlers,
  ...accountHandlers,
};

/** Long polls that give the request's permit up while they wait. */
const longPollsWithoutPermit = (
  { longPolls }: Service,
  withoutPermit: RequestContext['withoutPermit'],
): Service['longPolls'] => ({
  ...longPolls,
  untilFinal: (document, wait) => withoutPermit(() => longPolls.untilFinal(document, wait)),
});

/** A store that is reached over the network. A request that waits for it gives its permit up. */
function filesWithoutPermit({ files }: Service, withoutPermit: RequestContext['withoutPermit']): FileStore {
  const { directUploads, remove } = files;
  if (directUploads === undefined) return files;
  return {
    ...files,
    directUploads: {
      presign: (file, grant) => withoutPermit(() => directUploads.presign(file, grant)),
      take: (file, sizeBytes) => withoutPermit(() => directUploads.take(file, sizeBytes)),
    },
    remove: (name) => withoutPermit(() => remove(name)),
  };
}

const toHandlerContext = (
  service: Service,
  { caller: { accountId, keyId }, origin, withoutPermit, budget, signal }: RequestContext,
  transact: Transact,
): HandlerContext => ({
  ...service,
  accountId,
  keyId,
  transact,
  withoutPermit,
  budget,
  get files() {
    return filesWithoutPermit(service, withoutPermit);
  },
  get longPolls() {
    return longPollsWithoutPermit(service, withoutPermit);
  },
  get origin() {
    return origin();
  },
  get signal() {
    return signal();
  },
});

function createBackend(
  service: Service,
  { authenticate, limitRate }: Pick<Backend, 'authenticate' | 'limitRate'>,
): Backend {
  const answerIdempotently = createIdempotency(service.database);
  return {
    authenticate,
    limitRate,
    answer: (operationId, input, requestContext) => {
      const handle = handlers[operationId as keyof Handlers]; // the spec's ids: see layering.test.ts
      const { accountId } = requestContext.caller;
      service.markAccountPresent(accountId);
      const request = toKeyedRequest(operationId, input, {
        accountId,
        key: requestContext.header('idempotency-key'),
      });
      // The only cast: the spec's validation has checked that the input has the handler's type.
      return answerIdempotently(request, requestContext, (once) =>
        handle(input as never, toHandlerContext(service, requestContext, once)),
      );
    },
  };
}

/** The longest wait for the database: a balancer without an answer by then would take the server for dead. */
const READY_TIMEOUT_MS = 2_000;

/**
 * A server is ready while it reaches the database, until `ending` aborts: then balancers should send no more requests.
 * Without the store of files, queries and text imports still work. So its absence is reported, but does not make the
 * server unready.
 */
function createRequireReady(
  { database, isStoreAvailable }: Service,
  ending: AbortSignal,
): Routes['requireReady'] {
  const pingDatabase = singleFlight(() => sql`SELECT 1`.execute(database), READY_TIMEOUT_MS);
  return async () => {
    if (ending.aborted) throw serverShuttingDown();
    await pingDatabase().catch((error) => {
      throw serviceUnavailable(error);
    });
    return { store: (await isStoreAvailable()) ? 'available' : 'unavailable' };
  };
}

/** The routes outside the contract that report on this process. */
const healthRoutes = (service: OpenService, ending: AbortSignal): Routes => ({
  baseUrl: service.config.baseUrl,
  requireReady: createRequireReady(service, ending),
  deploymentId: service.deploymentId,
  ...(service.metrics && { metrics: service.metrics }),
});

/** The application of a worker: its health, and nothing of the contract. */
export function createWorkerApp(service: OpenService, ending: AbortSignal): Promise<RequestListener> {
  const { log, telemetry } = service;
  const routes = healthRoutes(service, ending);
  return createApp({ routes, log, telemetry, corsOrigins: [], validateResponses: false });
}

/**
 * How many requests may work at once. More than there are connections would only wait for those; one connection in four
 * is left to imports, statistics and waits. The embedded database works on the same cores: more requests than keep
 * those busy would only delay refusals.
 */
function permitsFor({ databasePoolSize, databaseUrl }: Service['config']): number {
  const byConnections = Math.ceil((databasePoolSize * 3) / 4);
  return databaseUrl === undefined ? Math.min(byConnections, 2 * availableParallelism() + 1) : byConnections;
}

/**
 * The service's application as a request listener. It does not listen yet. `ending` aborts when the server is about to
 * end.
 */
export function createServiceApp(
  service: OpenService,
  ending: AbortSignal = new AbortController().signal,
): Promise<RequestListener> {
  const { config, log, telemetry } = service;
  const { authenticate, ownerOf, lookUpUnknownKey } = createAuthenticate(service.database);
  const limitRate = createRateLimit(service.database, config.rateLimitPerMinute);
  const admission = createAdmission(permitsFor(config), ownerOf);
  ending.addEventListener('abort', () => admission.shortenWaits(), { once: true });
  return createApp({
    backend: createBackend(service, { authenticate, limitRate }),
    routes: {
      receiveUpload: createReceiveUpload(service, limitRate),
      ...healthRoutes(service, ending),
    },
    admission,
    lookUpUnknownKey,
    log,
    telemetry,
    corsOrigins: config.corsOrigins,
    validateResponses: config.validateResponses,
  });
}
