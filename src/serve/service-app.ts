/** Connects the service with HTTP: handlers for the operations, and functions for the other routes. */
import type { RequestListener } from 'node:http';
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import { singleFlight } from '../concurrency/single-flight.ts';
import { endSession } from '../database/rows/ended-sessions.ts';
import type { FileStore } from '../files/file-store.ts';
import { accountHandlers } from '../handlers/account.ts';
import { attributeHandlers } from '../handlers/attributes.ts';
import { documentHandlers } from '../handlers/documents.ts';
import { downloadHandlers } from '../handlers/downloads.ts';
import type { HandlerContext, Handlers } from '../handlers/handler-types.ts';
import { keyHandlers } from '../handlers/keys.ts';
import { knowledgeBaseHandlers } from '../handlers/knowledge-bases.ts';
import { queryHistoryHandlers } from '../handlers/query-history.ts';
import { searchHandlers } from '../handlers/search.ts';
import type { Service } from '../handlers/service.ts';
import { synonymHandlers } from '../handlers/synonyms.ts';
import { uploadHandlers } from '../handlers/uploads.ts';
import { webhookHandlers } from '../handlers/webhooks.ts';
import { createAuthenticate } from '../http/access/authenticate.ts';
import { createConsoleSessions, createKeyReader } from '../http/access/console-session.ts';
import { isLoopbackHost } from '../http/access/own-address.ts';
import { createProxyWatch } from '../http/access/proxy-watch.ts';
import { createRateLimit } from '../http/access/rate-limit.ts';
import { createApp } from '../http/app.ts';
import { createAdmission } from '../http/capacity/admission.ts';
import { createDatabasePermits } from '../http/capacity/database-permits.ts';
import type { Backend, RequestContext } from '../http/contract/dispatch.ts';
import { createIdempotency, toKeyedRequest } from '../http/contract/idempotency.ts';
import { createOpenDownload } from '../http/routes/open-download.ts';
import { createReceiveUpload } from '../http/routes/receive-upload.ts';
import type { Routes } from '../http/routes/routes.ts';
import { createMcpEndpoint } from '../mcp/endpoint.ts';
import { createAccessTokens } from '../terms/access-token.ts';
import { serverShuttingDown, serviceUnavailable } from '../terms/errors.ts';
import { prove } from './discovery/server-proof.ts';
import type { OpenService } from './open-service.ts';

/** All operations of the spec. A missing operation, or one with another payload, does not compile. */
const handlers: Handlers = {
  ...searchHandlers,
  ...queryHistoryHandlers,
  ...keyHandlers,
  ...uploadHandlers,
  ...downloadHandlers,
  ...documentHandlers,
  ...attributeHandlers,
  ...knowledgeBaseHandlers,
  ...accountHandlers,
  ...synonymHandlers,
  ...webhookHandlers,
};

/** A store that waits for the network without the request's permit. A local store stays as it is. */
function filesWithoutPermit({ files }: Service, withoutPermit: RequestContext['withoutPermit']): FileStore {
  const { directUploads, downloads, remove } = files;
  if (directUploads === undefined || downloads.presign === undefined) return files;
  return {
    ...files,
    downloads: {
      presign: (objectName, download) => withoutPermit(() => downloads.presign(objectName, download)),
    },
    directUploads: {
      ...directUploads,
      presign: (file, grant) => withoutPermit(() => directUploads.presign(file, grant)),
      take: (file, sizeBytes) => withoutPermit(() => directUploads.take(file, sizeBytes)),
    },
    remove: (name) => withoutPermit(() => remove(name)),
  };
}

/** The context inherits the service. To copy its fields for each request takes longer than many an answer. */
const toHandlerContext = (
  service: Service,
  {
    caller: { accountId, keyId, allowedKnowledgeBases, restriction, token },
    origin,
    withoutPermit,
    requestedWait,
    remainingWait,
    byteBody,
    signal,
  }: RequestContext,
  { transact, keyed }: Pick<HandlerContext, 'transact' | 'keyed'>,
): HandlerContext =>
  Object.assign(Object.create(service) as Service, {
    accountId,
    keyId,
    allowedKnowledgeBases,
    restriction,
    token,
    transact,
    keyed,
    withoutPermit,
    requestedWait,
    remainingWait,
    byteBody,
    origin,
    signal,
    files: filesWithoutPermit(service, withoutPermit),
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
      const { caller } = requestContext;
      service.markAccountPresent(caller.accountId);
      const key = requestContext.header('idempotency-key');
      const keyed = toKeyedRequest(operationId, input, { caller, key });
      // The only cast: the spec's validation has checked that the input has the handler's type.
      return answerIdempotently(keyed, requestContext, (transact) =>
        handle(input as never, toHandlerContext(service, requestContext, { transact, keyed })),
      );
    },
  };
}

/** The routes of signed addresses. A store that clients download from has none for downloads. */
function transferRoutes(
  service: OpenService,
  checks: Pick<ReturnType<typeof createAuthenticate>, 'findCaller'> & Pick<Backend, 'limitRate'>,
): Pick<Routes, 'receiveUpload' | 'openDownload'> {
  const { downloads } = service.files;
  const shared = { ...service, ...checks, withDatabasePermit: createDatabasePermits() };
  return {
    receiveUpload: createReceiveUpload(shared),
    ...(downloads.open && { openDownload: createOpenDownload({ ...shared, downloads }) }),
  };
}

/** The time-out of the database check. Balancers take a server that answers later for dead. */
const READY_TIMEOUT_MS = 2_000;

/**
 * A server is ready while it reaches the database. It is not ready after `ending` aborts, so that balancers send no
 * more requests. A store of files that is down is only reported, since queries and text imports work without it.
 * `proxiedAs`: the public address, where a proxy has named another one than the service's.
 */
function createRequireReady(
  { database, isStoreAvailable }: Service,
  ending: AbortSignal,
  proxiedAs: () => string | undefined,
): Routes['requireReady'] {
  const pingDatabase = singleFlight(() => sql`SELECT 1`.execute(database), READY_TIMEOUT_MS);
  return async () => {
    if (ending.aborted) throw serverShuttingDown();
    await pingDatabase().catch((error) => {
      throw serviceUnavailable(error);
    });
    const address = proxiedAs();
    return {
      store: (await isStoreAvailable()) ? 'available' : 'unavailable',
      ...(address !== undefined && { proxiedAs: address }),
    };
  };
}

/** The routes outside the contract that report on this process. */
const healthRoutes = (
  service: OpenService,
  ending: AbortSignal,
  proxiedAs: () => string | undefined = () => undefined,
): Routes => ({
  baseUrl: service.config.baseUrl,
  // A proxy that is believed brings requests from elsewhere.
  isLocal: isLoopbackHost(service.config.host) && !service.config.trustsProxy,
  requireReady: createRequireReady(service, ending, proxiedAs),
  deploymentId: service.deploymentId,
  prove: (challenge) => prove(service.proofSecret, challenge),
  ...(service.metrics && { metrics: service.metrics }),
});

/** The application of a worker: health checks and metrics, no operations. */
export function createWorkerApp(service: OpenService, ending: AbortSignal): Promise<RequestListener> {
  const { log, telemetry } = service;
  const routes = healthRoutes(service, ending);
  return createApp({ routes, log, telemetry, corsOrigins: [], validateResponses: false });
}

/**
 * How many requests may work at once. More requests than connections would only wait for those; one connection in four
 * is left to imports, statistics and long polls. The embedded database runs on the same cores, so more requests than
 * keep these busy would only wait there, and be refused later.
 */
function permitsFor({ databasePoolSize, databaseUrl }: Service['config']): number {
  const byConnections = Math.ceil((databasePoolSize * 3) / 4);
  return databaseUrl === undefined ? Math.min(byConnections, 2 * availableParallelism() + 1) : byConnections;
}

/** Part of the routes: how the console signs in, with the same checks of keys as operations. */
const consoleRoutes = (
  { database }: OpenService,
  checks: Pick<Routes['consoleSignIn'] & object, 'sessions' | 'keyOf' | 'authenticate' | 'limitRate'>,
): Pick<Routes, 'consoleSignIn'> => ({
  consoleSignIn: {
    ...checks,
    endSession: ({ sessionId: id, expiresAt }) => endSession(database, { id, expiresAt }),
  },
});

/**
 * Creates the service's application as a request listener. It does not listen yet. `ending` aborts when the shutdown
 * begins. `redeemSignInCode`: returns the key for the code that the start has printed.
 */
export function createServiceApp(
  service: OpenService,
  ending: AbortSignal = new AbortController().signal,
  redeemSignInCode?: Routes['redeemSignInCode'],
): Promise<RequestListener> {
  const { config, log, telemetry } = service;
  const sessions = createConsoleSessions(service.uploadSecret);
  const keyOf = createKeyReader(sessions);
  const tokens = createAccessTokens(service.uploadSecret);
  const { authenticate, findCaller, ownerOf, lookUpUnknownKey } = createAuthenticate(service.database, {
    sessions,
    tokens,
  });
  const limitRate = createRateLimit(service.database, config.rateLimitPerMinute);
  const admission = createAdmission(permitsFor(config), ownerOf);
  ending.addEventListener('abort', () => admission.shortenWaits(), { once: true });
  const proxy = config.baseUrl === undefined ? createProxyWatch(log) : undefined;
  return createApp({
    backend: createBackend(service, { authenticate, limitRate }),
    routes: {
      ...transferRoutes(service, { limitRate, findCaller }),
      ...(redeemSignInCode && { redeemSignInCode }),
      ...consoleRoutes(service, { sessions, keyOf, authenticate, limitRate }),
      ...(service.files.directUploads && { findStoreOrigin: service.files.directUploads.findOrigin }),
      answerMcp: createMcpEndpoint({ authenticate, limitRate }, ending),
      ...healthRoutes(service, ending, proxy?.seen),
    },
    trustsProxy: config.trustsProxy,
    ...(proxy && { watch: proxy.watch }),
    admission,
    lookUpUnknownKey,
    keyOf,
    log,
    telemetry,
    corsOrigins: config.corsOrigins,
    validateResponses: config.validateResponses,
  });
}
