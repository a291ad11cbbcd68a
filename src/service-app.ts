/** The application with the service behind it: its handlers for the operations, its database and files for the rest. */
import type Koa from 'koa';
import { sql } from 'kysely';
import { createApp } from './app.ts';
import { createAuthenticate } from './authenticate.ts';
import type { Call, Handlers } from './contract.ts';
import type { Arrival, Backend } from './dispatch.ts';
import { accountHandlers } from './handlers/account.ts';
import { documentHandlers } from './handlers/documents.ts';
import { knowledgeBaseHandlers } from './handlers/knowledge-bases.ts';
import { searchHandlers } from './handlers/search.ts';
import { uploadHandlers } from './handlers/uploads.ts';
import { receiveUpload } from './ingestion/receive-upload.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Service } from './service.ts';

/** Every operation of the spec: one missing, or with another payload, does not compile. */
const handlers: Handlers = {
  ...searchHandlers,
  ...uploadHandlers,
  ...documentHandlers,
  ...knowledgeBaseHandlers,
  ...accountHandlers,
};

const toCall = (service: Service, { caller: { accountId }, origin, signal }: Arrival): Call => ({
  ...service,
  accountId,
  get origin() {
    return origin();
  },
  get signal() {
    return signal();
  },
});

const createBackend = (service: Service): Backend => ({
  authenticate: createAuthenticate(service.database),
  limitRate: createRateLimit(service.config.rateLimitPerMinute),
  answer: (operationId, input, arrival) => {
    const handle = handlers[operationId as keyof Handlers]; // the spec's ids; layering.test.ts
    // The one cast: the spec's validation has made the input what the handler's type says.
    return handle(input as never, toCall(service, arrival));
  },
});

/** The service's application; it listens to nothing yet. */
export function createServiceApp(service: Service): Promise<Koa> {
  const { config, database, log } = service;
  return createApp({
    backend: createBackend(service),
    routes: {
      baseUrl: config.baseUrl,
      receiveUpload: (upload) => receiveUpload(service, upload),
      requireReady: () => sql`SELECT 1`.execute(database),
    },
    log,
    corsOrigin: config.corsOrigin,
    validateResponses: config.validateResponses,
  });
}
