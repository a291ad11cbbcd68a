/** The routes outside the contract: uploads, downloads, health checks, metrics, the console and the API reference. */
import { createHash } from 'node:crypto';
import { type IncomingMessage, METHODS } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import cors from '@koa/cors';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Client } from '../../concurrency/wait-queue.ts';
import type { Metrics } from '../../telemetry/telemetry.ts';
import { isSameSecret } from '../../terms/api-key.ts';
import { methodNotAllowed, metricsNotAuthorized } from '../../terms/errors.ts';
import { givenKey } from '../access/console-session.ts';
import { originOf } from '../access/origin.ts';
import { type OwnAddress, requireOwnAddress } from '../access/own-address.ts';
import { type BodyResources, readJsonBody } from '../contract/request-body.ts';
import { addReference } from './api-reference/reference.ts';
import { addConsole } from './console/serve-console.ts';
import { addSession, type ConsoleSignIn, SESSION_PATH } from './console/session-route.ts';
import { addSignIn, SIGN_IN_PATH } from './console/sign-in.ts';
import { addDownloads, type OpenDownload } from './download-route.ts';
import { expectStream } from './expect-stream.ts';

/** A request to an upload address. `target`: its path and query as they were requested. */
export type Upload = { target: string; request: IncomingMessage; client: Client };

/** A message to `/mcp`. */
export type McpMessage = {
  /** The API key that came with it; '' without one. */
  key: string;
  /** The request without its body. Its signal aborts when the client hangs up. */
  request: Request;
  client: Client;
  /** Called where the answer is a stream that lasts until the client hangs up: its time says nothing. */
  beginListening(): void;
  readBody(resources: BodyResources): Promise<unknown>;
  /** The address at which this server has received the message, and answers requests of the interface. */
  serviceAddress: string;
  /** The address at which people open the console. */
  publicAddress: string;
};

/** The functions that answer the routes. Failures are thrown. */
export type Routes = {
  /** The public address; undefined: the address of each request. */
  baseUrl: string | undefined;
  /** Whether the server listens on a loopback address only. */
  isLocal: boolean;
  /** Undefined: there is no path `/metrics`. */
  metrics?: Metrics;
  /** Returns the success payload. Undefined: this server, a worker, has neither uploads nor pages. */
  receiveUpload?(upload: Upload): Promise<object>;
  /** The origin of upload addresses that lead to a store; undefined: they lead to this server. */
  findStoreOrigin?(): Promise<string>;
  /** Undefined: there is no path `/downloads`, as at a worker and with a store that clients download from. */
  openDownload?: OpenDownload;
  /** Returns the key for a code that the start has printed, once; undefined: no code has been printed. */
  redeemSignInCode?(code: string): Promise<string | undefined>;
  /** How the console signs in; undefined: it keeps its key by itself. */
  consoleSignIn?: ConsoleSignIn;
  /** Undefined: there is no path `/mcp`. */
  answerMcp?(message: McpMessage): Promise<Response>;
  /**
   * Returns the state of the parts that only some answers need.
   * @throws SERVICE_UNAVAILABLE when a part is down that all answers need
   */
  requireReady(): Promise<object>;
  /** Identifies the deployment, so that commands recognise a server with their own settings: see deployment.ts. */
  deploymentId?: string;
  /** The answer to `/livez?challenge=`, by which commands recognise this process; undefined: no valid challenge. */
  prove?(challenge: unknown): string | undefined;
};

/** Sets the short name under which requests to a path are logged and counted. */
function nameRoute(router: Router, path: string, route: string): void {
  router.all(path, async (context, next) => {
    context.state.route = route;
    await next();
  });
}

/** Refuses all other methods of a path. Register it after the allowed methods. */
function refuseOtherMethods(router: Router, path: string, allowed: string[]): void {
  router.all(path, () => {
    throw methodNotAllowed(allowed);
  });
}

/** The pages for people with their files, and the names of their requests in log and metrics. */
const PAGES = [
  ['/', 'console'],
  ['/console/:name', 'console'],
  ['/docs', 'docs'],
  ['/docs/{*file}', 'docs'],
  ['/openapi.json', 'openapi'],
] as const;

/** `/livez` checks only this process, `/readyz` also the parts that it depends on. */
function addHealthChecks(router: Router, { requireReady, deploymentId, prove }: Routes): void {
  nameRoute(router, '/livez', 'livez');
  nameRoute(router, '/readyz', 'readyz');
  router.get('/livez', (context) => {
    // Undefined without a challenge, and then left out.
    const proof = prove?.(context.query.challenge);
    context.body = { success: true, data: { status: 'alive', deploymentId, proof } };
  });
  router.get('/readyz', async (context) => {
    const parts = await requireReady();
    context.body = { success: true, data: { status: 'ready', deploymentId, ...parts } };
  });
  for (const path of ['/livez', '/readyz']) refuseOtherMethods(router, path, ['GET', 'HEAD']);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The metrics need a token. A check for loopback would not protect them: with a proxy on the same machine, all requests
 * come from loopback.
 */
function addMetrics(router: Router, { tokens, expose }: Metrics): void {
  const path = '/metrics';
  const accepted = tokens.map((token) => sha256(`Bearer ${token}`));
  nameRoute(router, path, 'metrics');
  router.get(path, async (context) => {
    const given = sha256(context.get('authorization'));
    if (!accepted.some((token) => isSameSecret(token, given))) throw metricsNotAuthorized();
    const { type, text } = await expose();
    context.type = type;
    context.body = text;
  });
  refuseOtherMethods(router, path, ['GET', 'HEAD']);
}

/** Pages of any origin may upload: the signed address is the authorisation. */
function addUploads(router: Router, receiveUpload: NonNullable<Routes['receiveUpload']>): void {
  const path = '/uploads/:fileId';
  const fromAnyOrigin = cors({
    origin: '*',
    allowMethods: ['PUT'],
    exposeHeaders: ['x-request-id'],
    keepHeadersOnError: true,
  });
  nameRoute(router, path, 'upload');
  router.options(path, fromAnyOrigin);
  router.put(path, fromAnyOrigin, async (context) => {
    const target = context.path + context.search;
    context.body = {
      success: true,
      data: await receiveUpload({ target, request: context.req, client: context.res }),
    };
  });
  refuseOtherMethods(router, path, ['PUT', 'OPTIONS']);
}

/** The largest message of an agent: a text of a million characters in Chinese. */
const MCP_BODY_MAX_BYTES = 4 * 2 ** 20;

/** The key, as the interface takes it or as MCP clients send theirs. */
const keyOf = (context: Context): string =>
  givenKey(context.get('x-api-key') || context.get('authorization').replace(/^Bearer +/i, ''));

/** The address of this server at the end of the request's connection. */
function serviceAddressOf({ localAddress = '', localPort }: Context['socket']): string {
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** The request as the Fetch API has it, without its body. Its Host header may hold anything, so it is left out. */
function toFetchRequest({ method, headers, path, res }: Context): Request {
  const hungUp = new AbortController();
  res.once('close', () => hungUp.abort());
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(path, 'http://service'), { method, headers: named, signal: hungUp.signal });
}

/** A whole answer, or the stream of one that goes on. */
async function bodyOf(response: Response): Promise<Buffer | Readable | null> {
  if (response.body === null) return null;
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    return Readable.fromWeb(response.body as ReadableStream);
  return Buffer.from(await response.arrayBuffer());
}

function addMcp(router: Router, answerMcp: NonNullable<Routes['answerMcp']>, address: OwnAddress): void {
  const path = '/mcp';
  nameRoute(router, path, 'mcp');
  for (const method of ['get', 'post', 'delete'] as const)
    router[method](path, async (context) => {
      // The protocol wants it of every server (MCP, "Streamable HTTP", security warning).
      requireOwnAddress(context, address);
      const response = await answerMcp({
        key: keyOf(context),
        request: toFetchRequest(context),
        client: context.res,
        beginListening: () => void context.state.requestedWait.begin(),
        readBody: (resources) => readJsonBody(context.req, { limitBytes: MCP_BODY_MAX_BYTES }, resources),
        serviceAddress: serviceAddressOf(context.socket),
        publicAddress: address.baseUrl ?? originOf(context),
      });
      expectStream(context);
      context.body = await bodyOf(response);
      // After the body: without one, Koa would make a 204 of the 202 that accepts a notification.
      context.status = response.status;
      context.set(Object.fromEntries(response.headers));
    });
  refuseOtherMethods(router, path, ['GET', 'POST', 'DELETE']);
}

/** Creates the router. Requests to other paths pass through it. */
export function createRoutes(routes: Routes): Router {
  const router = new Router({ methods: METHODS, strict: true, sensitive: true });
  addHealthChecks(router, routes);
  if (routes.receiveUpload) {
    addUploads(router, routes.receiveUpload);
    if (routes.redeemSignInCode) {
      addSignIn(router, routes.redeemSignInCode);
      refuseOtherMethods(router, SIGN_IN_PATH, ['POST']);
    }
    if (routes.consoleSignIn) {
      nameRoute(router, SESSION_PATH, 'console');
      addSession(router, routes.consoleSignIn);
      refuseOtherMethods(router, SESSION_PATH, ['GET', 'HEAD', 'POST', 'DELETE']);
    }
    for (const [path, name] of PAGES) nameRoute(router, path, name);
    const pages = [...addReference(router, routes), ...addConsole(router, routes)];
    for (const path of pages) refuseOtherMethods(router, path, ['GET', 'HEAD']);
  }
  if (routes.openDownload) {
    const path = '/downloads/:documentId';
    nameRoute(router, path, 'download');
    addDownloads(router, path, routes.openDownload);
    refuseOtherMethods(router, path, ['GET', 'HEAD', 'OPTIONS']);
  }
  if (routes.answerMcp) addMcp(router, routes.answerMcp, routes);
  if (routes.metrics) addMetrics(router, routes.metrics);
  return router;
}
