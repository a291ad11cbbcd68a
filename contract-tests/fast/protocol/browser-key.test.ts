/** A search key in a web page of another origin, in a real browser: it may search, and reads why it may not write. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { startSecondServer } from '../../harness/service/service-process.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();

/** Serves an empty page at each of two origins. */
async function servePages() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    allowed: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    close: () => server.close(),
  };
}

/** Runs in the page: calls an operation, and returns what the page can read of the answer. */
async function callFromPage([address, apiKey, operation, body]: [string, string, string, object]) {
  try {
    const response = await fetch(`${address}/v1/${operation}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const hasRequestId = response.headers.get('x-request-id') !== null;
    return { status: response.status, hasRequestId, body: await response.json() };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

describe.skipIf(browser === undefined)('in Chromium', async () => {
  const pages = await servePages();
  const settings = { CORS_ORIGIN: pages.allowed };
  const service = await startSecondServer(inject('dataDirectory'), settings, { options: ['--no-worker'] });
  afterAll(async () => {
    pages.close();
    await service.stop();
  });
  const { api, name } = await openAccount();
  const [shown, hidden] = [
    await api.createKnowledgeBase({ name: 'Shown' }),
    await api.createKnowledgeBase({ name: 'Hidden' }),
  ];
  for (const { id: knowledgeBaseId } of [shown, hidden])
    await api.importTextContent({ knowledgeBaseId, title: 'Hours', content: 'The café opens at nine.' });
  const apiKey = await createKey(name, undefined, { scope: 'search', knowledgeBaseIds: [shown.id] });

  const callFrom = async (origin: string, operation: string, body: object) => {
    const page = await browser?.newPage();
    if (page === undefined) throw new Error('there is no browser');
    try {
      await page.goto(origin);
      return await page.evaluate(callFromPage, [service.address, apiKey, operation, body] as Parameters<
        typeof callFromPage
      >[0]);
    } finally {
      await page.close();
    }
  };

  test('200: a query from a page of the allowed origin finds what the key may see, and no more', async () => {
    const { status, body } = await callFrom(pages.allowed, 'query', { query: 'When does the café open?' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [{ knowledge_base_id: shown.id }] });
  });

  test('403 KEY_NOT_PERMITTED: an import is refused, and the page can read why', async () => {
    const text = { knowledgeBaseId: shown.id, title: 'Defaced', content: 'Closed for ever.' };
    const answer = await callFrom(pages.allowed, 'importTextContent', text);
    expect(answer).toMatchObject({
      status: 403,
      hasRequestId: true,
      body: { success: false, errorCode: 'KEY_NOT_PERMITTED', message: expect.stringContaining('search') },
    });
    expect((await api.getKnowledgeBase(shown.id)).documentCount).toBe(1);
  });

  test('a page of another origin cannot read an answer', async () => {
    const answer = await callFrom(pages.other, 'query', { query: 'café' });
    expect(answer).toMatchObject({ status: 0, body: expect.stringContaining('Failed to fetch') });
  });
});
