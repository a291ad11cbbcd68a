/** The few routes beside the contract: the upload address and the health checks. */
import { METHODS } from 'node:http';
import cors from '@koa/cors';
import Router from '@koa/router';
import { sql } from 'kysely';
import { methodNotAllowed } from './errors.ts';
import { receiveUpload } from './ingestion/receive-upload.ts';
import type { Service } from './service.ts';

/** Answers every other method of a path; to be registered after those that it takes. */
function refuseOtherMethods(router: Router, path: string, allowed: string[]): void {
  router.all(path, () => {
    throw methodNotAllowed(allowed);
  });
}

/** `/livez` asks nothing but this process, `/readyz` the database as well. */
function addHealthChecks(router: Router, { database }: Service): void {
  router.get('/livez', (context) => {
    context.body = { success: true, data: { status: 'alive' } };
  });
  router.get('/readyz', async (context) => {
    await sql`SELECT 1`.execute(database);
    context.body = { success: true, data: { status: 'ready' } };
  });
  for (const path of ['/livez', '/readyz']) refuseOtherMethods(router, path, ['GET', 'HEAD']);
}

/** A page of any origin may upload: the authority lies in the address, not in the origin. */
function addUploads(router: Router, service: Service): void {
  const path = '/uploads/:fileId';
  const fromAnyOrigin = cors({
    origin: '*',
    allowMethods: ['PUT'],
    exposeHeaders: ['x-request-id'],
    keepHeadersOnError: true,
  });
  router.options(path, fromAnyOrigin);
  router.put(path, fromAnyOrigin, async (context) => {
    const query = new URLSearchParams(context.querystring);
    const { fileId = '' } = context.params;
    context.body = {
      success: true,
      data: await receiveUpload(service, { fileId, query, bytes: context.req }),
    };
  });
  refuseOtherMethods(router, path, ['PUT', 'OPTIONS']);
}

/** The router; any other path passes through it. */
export function createRoutes(service: Service): Router {
  const router = new Router({ methods: METHODS });
  addHealthChecks(router, service);
  addUploads(router, service);
  return router;
}
