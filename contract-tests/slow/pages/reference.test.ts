/** The reference at /docs and the spec at /openapi.json: content, caching, and use in a browser. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { dereference } from '../../../src/contract-check/spec/read-document.ts';
import { operations, written } from '../../../src/contract-check/spec/read-spec.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { requestRoute } from '../../harness/calls/request-route.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const address = inject('address');
/** A new account without data. */
const { apiKey } = await openAccount();
const get = (path: string, headers = {}) => exchange(address, { method: 'GET', path, headers });

test('/openapi.json is the spec, with the address that the request was sent to', async () => {
  const { status, headers, body } = await get('/openapi.json', { host: 'kr.example.org:81' });
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const { servers, ...rest } = body as Record<string, unknown>; // an object, as the next line shows
  const { servers: _, ...spec } = written as Record<string, unknown>;
  expect(rest).toEqual(spec);
  expect(servers).toEqual([{ url: 'http://kr.example.org:81', description: 'This server' }]);
  expect(dereference(body)).toMatchObject({ openapi: '3.0.3' });
});

const PATHS = ['/docs', '/openapi.json', '/docs/page.mjs', '/docs/page.css', '/docs/swagger-ui-bundle.js'];

test.each(PATHS)(
  '%s is sent once to a client that keeps it, and compressed to a client that accepts gzip',
  async (path) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('content-encoding');
    const again = await get(path, { 'if-none-match': headers.etag });
    expect([again.status, again.text]).toEqual([304, '']);
    const packed = await fetch(address + path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toContain('Accept-Encoding');
    expect(await packed.text()).toBe(text);
  },
);

test('/openapi.json compresses one answer a second for new host names, and sends the others uncompressed', async () => {
  const startedAtMs = performance.now();
  const encodings: unknown[] = [];
  for (let number = 0; number < 60; number++) {
    const host = `made-up-${number}.example.org`;
    const { status, headers, body } = await get('/openapi.json', {
      host,
      'accept-encoding': 'gzip, identity',
    });
    expect(status).toBe(200);
    encodings.push(headers['content-encoding']);
    if (headers['content-encoding'] === undefined)
      expect(body).toMatchObject({ servers: [{ url: `http://${host}` }] });
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  // Sixteen names are kept with their compressed answers.
  expect(encodings.filter((encoding) => encoding === 'gzip').length).toBeLessThanOrEqual(17 + seconds);
});

test('405 METHOD_NOT_ALLOWED by other methods; 404 NOT_FOUND for other files of the folder', async () => {
  for (const path of PATHS) {
    expectRefusal(await requestRoute({ method: 'POST', path }), 405, 'METHOD_NOT_ALLOWED');
  }
  for (const path of ['/docs/package.json', '/docs/..%2fpackage.json', '/docs/swagger-ui-bundle.js.map']) {
    expectRefusal(await requestRoute({ method: 'GET', path }), 404, 'NOT_FOUND');
  }
});

/** Every operation, in the order in which a newcomer can use them. */
const USE_ORDER = [
  ...['createKnowledgeBase', 'listKnowledgeBases', 'getKnowledgeBase', 'updateKnowledgeBase'],
  'deleteKnowledgeBase',
  ...[
    'importTextContent',
    ...['listDocuments', 'listAttributes'],
    'getDocumentStatus',
    'getDocument',
    'listPassages',
    ...['getDocumentContent', 'updateDocument', 'retryDocument'],
    'deleteDocument',
  ],
  ...['uploadFile', 'presignUploadUrl', 'importFile', 'importUrl', 'presignDownloadUrl'],
  ...['query', 'getSynonyms', 'setSynonyms', 'listQueries', 'setQueryHistory'],
  ...['createWebhook', 'testWebhook', 'listWebhooks', 'deleteWebhook'],
  ...['getUsage', 'getBalance', 'createToken', 'createKey', 'listKeys', 'revokeKey'],
];

/**
 * What axe-core reports of Swagger UI's own markup: buttons within buttons, the order of headings, parts outside of
 * landmarks, and examples that scroll but take no focus.
 */
const NOT_OURS = ['nested-interactive', 'heading-order', 'region', 'scrollable-region-focusable'];

/** The rules that the page breaks, with the first place. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const rules = Object.fromEntries(NOT_OURS.map((rule) => [rule, { enabled: false }]));
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify({ rules })})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** A busy machine takes seconds to draw an operation. */
const SLOW = { timeout: 180_000 };

const browser = await openBrowser();

describe.skipIf(browser === undefined).each([
  ['wide', 1280],
  ['narrow', 390],
])('in a browser, on a %s screen', (_name, width) => {
  let page: Page;
  const requested = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    if (browser === undefined) return;
    page = await browser.newPage({ viewport: { width, height: 900 } });
    page.on('request', (request) => requested.add(new URL(request.url()).origin));
    page.on('console', (message) => {
      // The browser logs every refused request. One refusal is expected, and the page shows it.
      if (!/ (?:409 \(Conflict|404 \(Not Found)\)/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${address}/docs/`);
    await page.locator('.opblock').first().waitFor();
  });

  const operation = (operationId: string) => page.locator(`.opblock[id$="-${operationId}"]`);
  /** Sends the operation from the page with the values that it suggests. Returns the status. */
  const execute = async (operationId: string): Promise<string | undefined> => {
    const block = operation(operationId);
    await open(operationId);
    if ((await block.locator('.execute').count()) === 0) await block.locator('.try-out__btn').click();
    const file = block.locator('input[type=file]');
    if ((await file.count()) > 0)
      await file.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('A note.') });
    await block.locator('.execute').click();
    const status = block.locator('.live-responses-table tbody .response-col_status');
    await status.waitFor();
    const [first] = (await status.innerText()).split('\n');
    await open(operationId);
    return first;
  };
  const open = (operationId: string) => operation(operationId).locator('.opblock-summary-control').click();

  test('shows every operation', async () => {
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    for (const { operationId } of operations) expect(await operation(operationId).count()).toBe(1);
  });

  test('lists the operations in the order of their use: creation, then lists, then deletion', async () => {
    const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
    expect(ids.map((id) => id.split('-').at(-1))).toEqual(USE_ORDER);
  });

  test('describes an upload in three steps, both in the introduction and above its operations', async () => {
    const about = await page.locator('.info').innerText();
    const uploads = await page.locator('#operations-tag-uploads').innerText();
    for (const text of [about, uploads]) expect(text).toMatch(/\bin three steps\b/);
  });

  test('finds operations by words of their description', async () => {
    const search = page.locator('.operation-filter-input');
    await search.fill('credits left');
    await expect.poll(() => page.locator('.opblock').count()).toBe(1);
    expect(await operation('getBalance').isVisible()).toBe(true);
    await search.fill('');
    await expect.poll(() => page.locator('.opblock').count()).toBe(operations.length);
  });

  test('shows the scope and the success of an operation, and in a line that opens its errors', async () => {
    await open('importFile');
    const body = operation('importFile').locator('.opblock-section-request-body');
    expect(await body.innerText()).toContain('"fileId"');
    const description = await operation('importFile').locator('.opblock-description').first().innerText();
    expect(description).toContain('It needs a key with the scope write.');
    const success = await operation('importFile').locator('.responses-wrapper').innerText();
    expect(success).toContain('200');
    expect(success).not.toContain('409');
    const errors = operation('importFile').locator('details.errors');
    expect(await errors.innerText()).toBe(
      'Errors: 401, 403, 404, 409, 410, 413, 415, 422, 429, 503, any other',
    );
    await errors.locator('summary').click();
    await errors.locator('.responses-wrapper').waitFor();
    const shown = await errors.innerText();
    for (const expected of ['409', 'FILE_NOT_UPLOADED', '410', '503', 'Retry-After']) {
      expect(shown).toContain(expected);
    }
    await open('importFile');
  });

  test('says where the key is, in the introduction and where it is entered', async () => {
    await page.locator('.auth-wrapper .authorize').first().click();
    for (const place of ['.info', '.auth-container']) {
      const text = await page.locator(place).innerText();
      expect(text).toContain('.data/api-key');
      expect(text).toContain('knowledge-retrieval keys create');
    }
    await page.locator('.auth-btn-wrapper .btn-done').click();
  });

  test.each(['light', 'dark'] as const)(
    'is accessible in %s colours, as far as axe-core finds and Swagger UI allows',
    SLOW,
    async (colorScheme) => {
      const own = (await browser?.newPage({ viewport: { width, height: 900 }, colorScheme })) ?? page;
      await own.goto(`${address}/docs`);
      const block = own.locator('.opblock[id$="-query"]');
      await block.locator('.opblock-summary-control').click();
      await block.locator('.errors summary').click();
      await block.locator('.errors .responses-wrapper').waitFor();
      expect(await findViolations(own)).toEqual([]);
      await own.close();
    },
  );

  test.runIf(width > 1000)('who is signed in to the console needs no key here', SLOW, async () => {
    const own = (await browser?.newPage()) ?? page;
    await own.request.post(`${address}/console/session`, { headers: { 'x-api-key': apiKey } });
    await own.goto(`${address}/docs`);
    const block = own.locator('.opblock[id$="-getUsage"]');
    await block.locator('.opblock-summary-control').click();
    await block.locator('.try-out__btn').click();
    await block.locator('.execute').click();
    const status = block.locator('.live-responses-table tbody .response-col_status');
    await status.waitFor();
    expect(await status.innerText()).toMatch(/^200/);
    expect(await block.locator('.request-snippets').innerText()).not.toContain('console');
    await own.close();
  });

  test.runIf(width > 1000)(
    'every operation works for a newcomer who enters a key and nothing else',
    SLOW,
    async () => {
      await page.locator('.auth-wrapper .authorize').click();
      await page.locator('.auth-container input').fill(apiKey);
      await page.locator('.auth-btn-wrapper .authorize').click();
      await page.locator('.auth-btn-wrapper .btn-done').click();
      // A search of the empty account comes first, and the deletions come last.
      const others = USE_ORDER.filter((operationId) => !operationId.startsWith('delete'));
      const executed = ['query', ...others, 'deleteDocument', 'deleteKnowledgeBase', 'deleteWebhook'];
      const answers: string[] = [];
      for (const operationId of executed) answers.push(`${operationId} ${await execute(operationId)}`);
      // The page cannot upload the bytes of a file to an address, so the import is refused. No import has failed.
      const refused = ['importFile', 'retryDocument'];
      const statusOf = (operationId: string) => {
        if (operationId === 'revokeKey') return 404; // the example names a key of somebody else
        return refused.includes(operationId) ? 409 : 200;
      };
      const expected = executed.map((operationId) => `${operationId} ${statusOf(operationId)}`);
      expect(answers).toEqual(expected);
    },
  );

  test('fits the screen, sends requests to this server only, and obeys its Content-Security-Policy', async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect([...requested]).toEqual([address]);
    expect(complaints).toEqual([]);
  });
});
