/**
 * Downloads from an S3-compatible store: the address is the store's, and says how the file comes. The tests run twice,
 * like the tests in `s3-store.test.ts`.
 */
import contentDisposition from 'content-disposition';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBucketService } from '../serve/testing/bucket-service.ts';

let started: Awaited<ReturnType<typeof startBucketService>>;
let knowledgeBaseId: string;
beforeAll(async () => {
  started = await startBucketService();
  const { body } = await started.suite.call('createKnowledgeBase', { name: 'in a bucket' });
  knowledgeBaseId = String(body.data.id);
});
afterAll(() => started.close());

/** Imports the text as a file, and requests its download address. */
async function presign(fileName: string, text: string) {
  const { call } = started.suite;
  const path = `uploadFile?knowledgeBaseId=${knowledgeBaseId}&fileName=${encodeURIComponent(fileName)}`;
  const { body } = await call(path, Buffer.from(text));
  const ticket = await call(`presignDownloadUrl?documentId=${body.data.id}`);
  expect(ticket.status).toBe(200);
  return { ...ticket.body.data, url: new URL(String(ticket.body.data.downloadUrl)) };
}

test('a file comes from the store itself, under its name and as a type that no browser shows', async () => {
  const html = '<script>document.title = "run"</script>';
  const fileName = 'sé "ite" 😀.html';
  const { url, ...described } = await presign(fileName, html);
  expect(url.origin).toBe(started.store.endpoint);
  expect(url.searchParams.get('X-Amz-Expires')).toBe('300');
  expect(described).toMatchObject({ fileName, mimeType: 'application/octet-stream', size: html.length });
  const file = await fetch(url);
  expect([file.status, await file.text()]).toEqual([200, html]);
  expect(contentDisposition.parse(file.headers.get('content-disposition') ?? '')).toEqual({
    type: 'attachment',
    parameters: { filename: fileName },
  });
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  expect(file.headers.get('cache-control')).toBe('private, no-store');
});

test('a file with the longest name is downloaded; its address fits the bounds of the spec', async () => {
  const { url } = await presign(`${'😀'.repeat(252)}.txt`, 'a note');
  expect(await (await fetch(url)).text()).toBe('a note');
});

test('the store refuses an address for another file, type, name, time or method', async () => {
  const [first, second] = [await presign('a.txt', 'one'), await presign('b.txt', 'two')];
  const edited = (change: (url: URL) => void) => {
    const url = new URL(first.url);
    change(url);
    return url;
  };
  for (const url of [
    edited((each) => Object.assign(each, { pathname: second.url.pathname })),
    edited(({ searchParams }) => searchParams.set('response-content-type', 'text/html')),
    edited(({ searchParams }) => searchParams.delete('response-content-disposition')),
    edited(({ searchParams }) => searchParams.set('X-Amz-Expires', '9999')),
  ])
    expect((await fetch(url)).status).toBe(403);
  expect((await fetch(first.url, { method: 'DELETE' })).status).toBe(403);
  expect((await fetch(first.url, { method: 'PUT', body: 'three' })).status).toBe(403);
  expect(await (await fetch(first.url)).text()).toBe('one');
});

test('404 NOT_FOUND: the service itself has no downloads', async () => {
  const response = await fetch(`${started.suite.address}/downloads/x`);
  expect(await response.json()).toMatchObject({ errorCode: 'NOT_FOUND' });
});
