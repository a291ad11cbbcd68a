/** The browsable reference at /docs, and the spec that it shows, at /openapi.json. Both need no key. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { originOf } from './origin.ts';
import { readSpec, type Spec } from './spec.ts';

/** Something to serve, plain and compressed, with the validator that tells whether a browser has it already. */
type Content = { type: string; plain: Buffer; gzipped: Buffer; etag: string };

/** Swagger UI sets style attributes. Beside that the page runs its own files only, and talks to its own address only. */
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

/** Names by which one server is reached: usually one or two, but a client may invent more. */
const REMEMBERED_ORIGINS = 16;

const ownFile = (name: string): URL => new URL(`./reference/${name}`, import.meta.url);
const bundleFile = (name: string): string =>
  createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);

const PAGE = { type: 'html', file: ownFile('page.html') };
/** What the page loads, by its name below /docs. */
const PARTS: Record<string, { type: string; file: URL | string }> = {
  'page.css': { type: 'css', file: ownFile('page.css') },
  'page.mjs': { type: 'js', file: ownFile('page.mjs') },
  'own-ids.mjs': { type: 'js', file: ownFile('own-ids.mjs') },
  'swagger-ui.css': { type: 'css', file: bundleFile('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', file: bundleFile('swagger-ui-bundle.js') },
};

async function toContent(type: string, plain: Buffer): Promise<Content> {
  const hash = createHash('sha256').update(plain).digest('base64url');
  // Weak, because the compressed bytes are others.
  return { type, plain, gzipped: await promisify(gzip)(plain), etag: `W/"${hash}"` };
}

/** Sends the content, or says that the client's copy is good. Copies are kept, but asked about at each use. */
function send(context: Context, { type, plain, gzipped, etag }: Content): void {
  context.status = 200;
  context.type = type;
  context.etag = etag;
  context.set('cache-control', 'no-cache');
  context.vary('Accept-Encoding');
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const encoding = context.acceptsEncodings('gzip', 'identity');
  if (encoding === 'gzip') context.set('content-encoding', 'gzip');
  context.body = encoding === 'gzip' ? gzipped : plain;
}

/** The spec as JSON, with the server's own address. It is read when it is first asked for, and made for each address. */
function createSpecContent(baseUrl: string | undefined): (origin: string) => Promise<Content> {
  let spec: Spec | undefined;
  const made = new LRUCache<string, Promise<Content>>({ max: REMEMBERED_ORIGINS });
  return (origin) => {
    spec ??= readSpec();
    const url = baseUrl ?? origin;
    const servers = [{ url, description: 'This server' }];
    const content = made.get(url) ?? toContent('json', Buffer.from(JSON.stringify({ ...spec, servers })));
    made.set(url, content);
    return content;
  };
}

/** Files are read and compressed when they are first asked for: the bundle has 1.7 MB. */
function createFileContent(): (file: { type: string; file: URL | string }) => Promise<Content> {
  const read = new Map<URL | string, Promise<Content>>();
  return ({ type, file }) => {
    const content = read.get(file) ?? readFile(file).then((bytes) => toContent(type, bytes));
    read.set(file, content);
    return content;
  };
}

/** Adds the routes, which take GET and HEAD; gives their paths. `baseUrl`: the public address; undefined: as requested. */
export function addReference(router: Router, { baseUrl }: { baseUrl: string | undefined }): string[] {
  const contentOf = createFileContent();
  const specFor = createSpecContent(baseUrl);
  router.get('/openapi.json', async (context) => send(context, await specFor(originOf(context))));
  // The page names its parts relative to /docs, so that they are found behind any proxy.
  router.get('/docs/', (context) => context.redirect('../docs'));
  router.get('/docs', async (context) => {
    context.set('content-security-policy', PAGE_POLICY);
    send(context, await contentOf(PAGE));
  });
  for (const [name, part] of Object.entries(PARTS)) {
    router.get(`/docs/${name}`, async (context) => send(context, await contentOf(part)));
  }
  return ['/openapi.json', '/docs', '/docs/', ...Object.keys(PARTS).map((name) => `/docs/${name}`)];
}
