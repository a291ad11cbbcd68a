/** The console at `/`: a page for people. A program that asks there gets the addresses of the service instead. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type Router from '@koa/router';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type { Context } from 'koa';
import { routeNotFound } from '../../../terms/errors.ts';
import { originOf } from '../../access/origin.ts';
import { type Content, compress, etagOf, IMMUTABLE, send } from '../static-content.ts';
import { bundleConsole, type ConsoleFile, consoleSources, PAGE_NAME } from './bundle-console.ts';

/**
 * The content security policy of the page. It may send requests to this server, and to `uploadOrigins`, where its
 * upload addresses lead.
 */
const policyFor = (uploadOrigins: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    ['connect-src', "'self'", ...uploadOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/** The files of the package, or those that a checkout makes of its sources. */
async function readConsole(): Promise<ConsoleFile[]> {
  if (existsSync(new URL('main.tsx', consoleSources))) return await bundleConsole();
  const names = await readdir(consoleSources);
  return await Promise.all(
    names.map(async (name) => ({ name, content: await readFile(new URL(name, consoleSources)) })),
  );
}

type Contents = ReadonlyMap<string, Content>;

async function toContents(files: ConsoleFile[]): Promise<Contents> {
  const contents = files.map(async ({ name, content }) => {
    const made = await compress({ type: extname(name), plain: content, etag: etagOf(content) });
    return [name, made] as const;
  });
  return new Map(await Promise.all(contents));
}

/** Returns a function that makes the files when it is first called, and again after a failure. */
function createContents(): () => Promise<Contents> {
  let made: Promise<Contents> | undefined;
  return () => {
    made ??= readConsole()
      .then(toContents)
      .catch((error) => {
        made = undefined;
        throw error;
      });
    return made;
  };
}

/** What a program is told that asks for no page. */
const describeService = (address: string) => ({
  name: manifest.name,
  version: manifest.version,
  console: `${address}/`,
  docs: `${address}/docs`,
  openapi: `${address}/openapi.json`,
  operations: `${address}/v1`,
});

export type ConsoleOptions = {
  /** The public address; undefined: the address of each request. */
  baseUrl: string | undefined;
  /** The origin of upload addresses that lead to a store; undefined: they lead to this server. */
  findStoreOrigin?: (() => Promise<string>) | undefined;
};

/**
 * Adds the routes, which take GET and HEAD.
 * @returns the paths of the routes
 */
export function addConsole(router: Router, { baseUrl, findStoreOrigin }: ConsoleOptions): string[] {
  const contents = createContents();
  let storeOrigin: string | undefined;
  const findPolicy = async () => {
    const publicOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
    // Without the store's credentials the page works, except for uploads.
    storeOrigin ??= await findStoreOrigin?.().catch(() => undefined);
    return policyFor([publicOrigin, storeOrigin].filter((origin) => origin !== undefined));
  };
  const sendFile = async (context: Context, name: string, cacheControl?: string) => {
    const content = (await contents()).get(name);
    if (content === undefined) throw routeNotFound();
    send(context, content, cacheControl);
  };
  router.get('/', async (context) => {
    context.vary('Accept');
    // A browser names HTML. A program that takes anything gets JSON.
    if (context.accepts('json', 'html') !== 'html') {
      context.body = { success: true, data: describeService(baseUrl ?? originOf(context)) };
      return;
    }
    context.set('content-security-policy', await findPolicy());
    await sendFile(context, PAGE_NAME);
  });
  router.get('/console/:name', async (context) => {
    const { name } = context.params;
    if (name === PAGE_NAME) throw routeNotFound();
    await sendFile(context, String(name), IMMUTABLE);
  });
  return ['/', '/console/:name'];
}
