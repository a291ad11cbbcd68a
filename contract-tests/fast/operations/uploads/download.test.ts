/** Download addresses: the bytes, their headers, parts of a file, and the end of an address. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { parse } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import contentDisposition from 'content-disposition';
import { describe, expect, inject, test } from 'vitest';
import { exchange } from '../../../../src/contract-check/requests/exchange.ts';
import { download } from '../../../harness/calls/downloading.ts';
import { expectRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, pathOf, untilFinal } from '../../../harness/calls/uploading.ts';
import {
  documentsMissing,
  readSharedDocument,
  sharedDocuments,
} from '../../../harness/documents/shared-documents.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { openBrowser } from '../../../harness/shared/browser.ts';

const { api } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Downloads' });

/** Imports the bytes as a file, and requests its download address. */
async function presign(bytes: Uint8Array, fileName = 'a.txt') {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName, bytes });
  await untilFinal(api, id);
  return { documentId: id, ...(await api.presignDownloadUrl(id)) };
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** One good file of each format. */
const FORMATS = [...new Set(sharedDocuments.map(({ format }) => format))].flatMap(
  (format) => sharedDocuments.find((each) => each.format === format && each.outcome === 'text') ?? [],
);

test.skipIf(documentsMissing !== undefined).each(FORMATS)(
  '200: the bytes of a $format file are those that were uploaded, under its name and the announced type',
  async ({ file }) => {
    const bytes = await readSharedDocument(file);
    const ticket = await presign(bytes, parse(file).base);
    const { status, headers, bytes: received } = await download(ticket);
    expect(status).toBe(200);
    expect(hashOf(received)).toBe(hashOf(bytes));
    expect(ticket.sha256).toBe(hashOf(bytes));
    expect(headers).toMatchObject({
      'content-type': ticket.mimeType,
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("sandbox; default-src 'none'");
    expect(contentDisposition.parse(headers['content-disposition'] ?? '')).toEqual({
      type: 'attachment',
      parameters: { filename: parse(file).base },
    });
  },
);

test('200: the largest file arrives, piece by piece', async () => {
  const bytes = randomBytes(52_428_800);
  const ticket = await presign(bytes, 'noise.bin');
  expect(ticket.mimeType).toBe('application/octet-stream');
  expect(hashOf((await download(ticket)).bytes)).toBe(hashOf(bytes));
});

test.each([
  'a "quoted" name.txt',
  "it's 100%.txt",
  'a\r\nset-cookie: b=c.txt',
  'ünïcode — 知識.txt',
  '👩‍🚀 🚀.txt',
  'דוח שנתי.txt',
  `${'x'.repeat(251)}.txt`,
  `${'😀'.repeat(252)}.txt`,
  ';filename=evil.html',
])('200: a file named %j keeps its name, without control characters', async (fileName) => {
  const ticket = await presign(bytesOf('A note.'), fileName);
  expect(ticket.fileName).toBe(fileName);
  const { headers } = await download(ticket);
  expect(headers).not.toHaveProperty('set-cookie');
  const { type, parameters } = contentDisposition.parse(headers['content-disposition'] ?? '');
  expect([type, parameters.filename]).toEqual(['attachment', fileName.replaceAll(/[\r\n]/g, '_')]);
});

const HTML = '<!doctype html><script>document.title = "run"</script><svg onload="document.title = 1">';

test.each([
  ['page.html', HTML],
  ['picture.svg', `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`],
  ['data.xml', '<?xml version="1.0"?><a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>1</h:script></a>'],
  ['note.txt', HTML],
  ['no-extension', HTML],
])('200: %s has a type that browsers do not show', async (fileName, content) => {
  const ticket = await presign(bytesOf(content), fileName);
  const { headers } = await download(ticket);
  expect(headers['content-type']).toBe(ticket.mimeType);
  expect(headers['content-type']).toMatch(/^(application\/octet-stream|text\/plain)$/);
});

test('200: HEAD has the headers of a GET and no body', async () => {
  const ticket = await presign(bytesOf('0123456789'));
  const [head, whole] = [await download(ticket, {}, 'HEAD'), await download(ticket)];
  expect([head.status, head.text]).toEqual([200, '']);
  for (const name of ['content-disposition', 'content-length', 'content-type', 'etag', 'accept-ranges'])
    expect(head.headers[name]).toBe(whole.headers[name] ?? expect.fail(name));
  const part = await download(ticket, { range: 'bytes=0-1' }, 'HEAD');
  expect([part.status, part.headers['content-length']]).toEqual([200, '10']);
});

describe('parts of a file', async () => {
  const ticket = await presign(bytesOf('0123456789'));
  const { headers: whole } = await download(ticket);

  test.each([
    ['bytes=0-0', '0'],
    ['bytes=3-6', '3456'],
    ['bytes=7-', '789'],
    ['bytes=-2', '89'],
    ['bytes=2-99', '23456789'],
  ])('206: %s', async (range, expected) => {
    const { status, headers, text } = await download(ticket, { range });
    const start = '0123456789'.indexOf(expected);
    expect([status, text]).toEqual([206, expected]);
    expect(headers).toMatchObject({
      'content-range': `bytes ${start}-${start + expected.length - 1}/10`,
      'content-length': String(expected.length),
      'content-type': whole['content-type'],
      'content-disposition': whole['content-disposition'],
      etag: whole.etag,
    });
  });

  test.each(['bytes=10-', 'bytes=-0', 'bytes=99-100'])('416 RANGE_NOT_SATISFIABLE: %s', async (range) => {
    const answer = await download(ticket, { range });
    expectRefusal(answer, 416, 'RANGE_NOT_SATISFIABLE');
    expect(answer.headers['content-range']).toBe('bytes */10');
  });

  test('200: several parts, another unit, or a condition that does not hold get the whole file', async () => {
    for (const headers of [
      { range: 'bytes=0-1,4-5' },
      { range: 'pages=1-2' },
      { range: 'bytes=0-1', 'if-range': '"another"' },
    ]) {
      const { status, text } = await download(ticket, headers);
      expect([status, text]).toEqual([200, '0123456789']);
    }
    const held = await download(ticket, { range: 'bytes=0-1', 'if-range': String(whole.etag) });
    expect([held.status, held.text]).toEqual([206, '01']);
  });
});

/** Sends a GET, and returns the answer before its body is read. */
async function begin(downloadUrl: string): Promise<IncomingMessage> {
  const [response] = await once(get(downloadUrl), 'response');
  return response;
}

test('200: a download goes on to its end when the document is deleted meanwhile', async () => {
  const bytes = randomBytes(20 * 1024 ** 2);
  const { documentId, downloadUrl } = await presign(bytes, 'noise.bin');
  const response = await begin(downloadUrl);
  await api.deleteDocument(documentId);
  await delay(200);
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  expect(hashOf(Buffer.concat(pieces))).toBe(hashOf(bytes));
  expectRefusal(await download({ downloadUrl }), 404, 'DOCUMENT_NOT_FOUND');
});

test('200: a page of any origin may read the file, its name and its parts', async () => {
  const { downloadUrl } = await presign(bytesOf('0123456789'));
  const origin = 'https://page.example';
  const preflight = await exchange(inject('address'), {
    method: 'OPTIONS',
    path: pathOf(downloadUrl),
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'range',
  });
  const { headers } = await download({ downloadUrl }, { origin });
  expect(headers['access-control-allow-origin']).toBe('*');
  for (const name of ['content-disposition', 'content-range', 'accept-ranges'])
    expect(headers['access-control-expose-headers']).toContain(name);
  const refused = await download({ downloadUrl: `${downloadUrl}x` }, { origin });
  expect(refused.headers['access-control-allow-origin']).toBe('*');
});

const browser = await openBrowser();

test.skipIf(browser === undefined)(
  'Chromium saves an HTML file under its name, and never shows it',
  async () => {
    const { downloadUrl } = await presign(bytesOf(HTML), 'evil page.html');
    const page = await browser?.newPage();
    if (page === undefined) return;
    await page.setContent(`<title>before</title><a href="${downloadUrl}">get</a>`);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('a')]);
    expect(saved.suggestedFilename()).toBe('evil page.html');
    expect(await page.title()).toBe('before');
    expect(page.frames()).toHaveLength(1);
    await page.close();
  },
);
