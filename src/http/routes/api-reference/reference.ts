/** The API reference at /docs, and its spec at /openapi.json. Neither needs a key. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type Router from '@koa/router';
import { createBoundedCache } from '../../../concurrency/bounded-cache.ts';
import { originOf } from '../../access/origin.ts';
import { readSpec, type Spec } from '../../contract/spec.ts';
import { type Content, compress, etagOf, send } from '../static-content.ts';

/**
 * The content security policy of the page. It allows the style attributes that Swagger UI sets, its own files, and
 * requests to its own address.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The most origins whose spec is kept. A server has one or two names, but a client may invent more. */
const REMEMBERED_ORIGINS = 16;
/**
 * The least time between two compressions for further origins. A compression takes 3 ms, and clients without a key can
 * cause it.
 */
const COMPRESSION_PAUSE_MS = 1_000;

const ownFile = (name: string): URL => new URL(`./${name}`, import.meta.url);
const bundleFile = (name: string): string =>
  createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);

const PAGE = { type: 'html', file: ownFile('page.html') };
/** The files that the page loads, by their names below /docs. */
const PAGE_FILES: Record<string, { type: string; file: URL | string }> = {
  'page.css': { type: 'css', file: ownFile('page.css') },
  'page.mjs': { type: 'js', file: ownFile('page.mjs') },
  'own-ids.mjs': { type: 'js', file: ownFile('own-ids.mjs') },
  'swagger-ui-insides.mjs': { type: 'js', file: ownFile('swagger-ui-insides.mjs') },
  'swagger-ui.css': { type: 'css', file: bundleFile('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', file: bundleFile('swagger-ui-bundle.js') },
};

/** The placeholder for the server's address. The spec is serialised once, with this address. */
const ADDRESS = 'http://address.invalid';

/** Returns a function that makes the spec's JSON for an address, by replacing the placeholder. */
function createSpecTemplate(spec: Spec): (url: string) => Content {
  const servers = [{ url: ADDRESS, description: 'This server' }];
  const [before = '', after = ''] = JSON.stringify({ ...spec, servers }).split(JSON.stringify(ADDRESS));
  const [head, tail, hash] = [Buffer.from(before), Buffer.from(after), etagOf(before, after)];
  return (url) => {
    const plain = Buffer.concat([head, Buffer.from(JSON.stringify(url)), tail]);
    return { type: 'json', plain, etag: etagOf(hash, url) };
  };
}

/** Returns a function that makes the spec for an origin. Reads the spec at the first request. */
function createSpecContent(baseUrl: string | undefined): (origin: string) => Promise<Content> {
  let template: ReturnType<typeof createSpecTemplate> | undefined;
  let [compressed, compressedAtMs] = [0, Number.NEGATIVE_INFINITY];
  const made = createBoundedCache<Promise<Content>>(REMEMBERED_ORIGINS);
  return async (origin) => {
    template ??= createSpecTemplate(readSpec());
    const url = baseUrl ?? origin;
    const known = made.get(url);
    if (known !== undefined) return await known;
    const content = template(url);
    const isFirst = compressed < REMEMBERED_ORIGINS;
    if (!isFirst && performance.now() - compressedAtMs < COMPRESSION_PAUSE_MS) return content;
    compressed++;
    compressedAtMs = performance.now();
    const smaller = compress(content);
    made.set(url, smaller);
    return await smaller;
  };
}

/** Returns a function that reads and compresses a file at its first request: the bundle has 1.7 MB. */
function createFileContent(): (file: { type: string; file: URL | string }) => Promise<Content> {
  const read = new Map<URL | string, Promise<Content>>();
  return ({ type, file }) => {
    const content =
      read.get(file) ?? readFile(file).then((plain) => compress({ type, plain, etag: etagOf(plain) }));
    read.set(file, content);
    return content;
  };
}

/**
 * Adds the routes, which take GET and HEAD.
 * @param baseUrl the public address; undefined: the address of each request
 * @returns the paths of the routes
 */
export function addReference(router: Router, { baseUrl }: { baseUrl: string | undefined }): string[] {
  const contentOf = createFileContent();
  const specFor = createSpecContent(baseUrl);
  router.get('/openapi.json', async (context) => send(context, await specFor(originOf(context))));
  // The page refers to its files relative to /docs, so that they are found with any proxy.
  router.get('/docs/', (context) => context.redirect('../docs'));
  router.get('/docs', async (context) => {
    context.set('content-security-policy', PAGE_POLICY);
    send(context, await contentOf(PAGE));
  });
  for (const [name, part] of Object.entries(PAGE_FILES)) {
    router.get(`/docs/${name}`, async (context) => send(context, await contentOf(part)));
  }
  return ['/openapi.json', '/docs', '/docs/', ...Object.keys(PAGE_FILES).map((name) => `/docs/${name}`)];
}
