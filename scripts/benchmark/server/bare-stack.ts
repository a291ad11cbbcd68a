/**
 * A program: the libraries of the service, and nothing of the service itself. It answers getBalance by Koa,
 * @koa/router, openapi-backend and one prepared statement. Prints its port, ends by SIGTERM.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import addFormats from 'ajv-formats';
import Koa from 'koa';
import { type Document, OpenAPIBackend, type Request } from 'openapi-backend';
import pg from 'pg';
import { cutRecursion } from '../../../src/http/contract/recursive-schemas.ts';
import { readSpec } from '../../../src/http/contract/spec.ts';

/** As many as the service may open. */
const CONNECTIONS = 16;
const STATEMENT = 'SELECT credits::float8 AS balance FROM account_balances LIMIT 1';

const pool = new pg.Pool({ connectionString: process.argv[2], max: CONNECTIONS });

async function getBalance(): Promise<object> {
  const { rows } = await pool.query<{ balance: number }>({ name: 'find_balance', text: STATEMENT });
  return { success: true, data: { balance: rows[0]?.balance, creditsPerQuery: 1 } };
}

const api = new OpenAPIBackend({
  definition: cutRecursion(readSpec()) as Document, // OpenAPI 3.0, as in the service
  strict: true,
  quick: true,
  ajvOpts: { strict: false },
  customizeAjv: (ajv) => addFormats.default(ajv.addKeyword('x-propertyNames')),
});
api.register({ getBalance });
api.registerSecurityHandler('apiKey', () => true);
await api.init();
const router = new Router();
router.get('/livez', (context) => {
  context.body = {};
});
const app = new Koa();
app.use(router.routes());
app.use(async (context) => {
  const { method, path, headers, query } = context;
  context.body = await api.handleRequest({ method, path, headers, query } as Request); // Koa's types allow undefined
});

const server = createServer(app.callback());
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a TCP port
  process.stdout.write(`${port}\n`);
});
