/** Names of files by headers and addresses, of which both may be hostile. */
import { expect, test } from 'vitest';
import { readContentType, readRetryAfter, readValidators } from './answer-headers.ts';
import { nameByAddress, readName } from './file-name.ts';

test.each([
  ['https://example.org/a/b%20c.pdf?d=e', 'b c.pdf'],
  ['https://example.org/', 'example.org'],
  ['https://example.org', 'example.org'],
  ['https://example.org/docs//', 'docs'],
  ['https://example.org/%E7%9F%A5%E8%AD%98', '知識'],
  ['https://example.org/%FF%FE', '%FF%FE'],
  ['https://example.org/..%2F..%2Fetc%2Fpasswd', 'passwd'],
  ['https://example.org/a%00b%0Ac', 'abc'],
  [`https://example.org/${'x'.repeat(300)}`, 'x'.repeat(256)],
  ['http://[2001:db8::1]/', '[2001:db8::1]'],
])('%s is called %s', (address, name) => {
  expect(nameByAddress(address)).toBe(name);
});

test.each([
  [`attachment; filename="a b.pdf"`, 'a b.pdf'],
  ['attachment; filename=report.csv', 'report.csv'],
  [`inline; filename="C:\\\\temp\\\\x.doc"`, 'x.doc'],
  [`attachment; filename*=utf-8'en'%e2%82%ac.txt; filename="euro.txt"`, '€.txt'],
  [Buffer.from('attachment; filename="Größe.txt"').toString('latin1'), 'Größe.txt'],
  ['attachment; filename="Gr\u00f6\u00dfe.txt"', 'Größe.txt'],
  ['attachment; filename="../../x.md"', 'x.md'],
  ['attachment', 'page.html'],
  ['attachment; filename=""', 'page.html'],
  ['attachment; filename="not closed', 'page.html'],
])('Content-Disposition %j names %s', (disposition, fileName) => {
  const headers = { 'content-disposition': disposition };
  expect(readName(headers, 'https://example.org/page.html').fileName).toBe(fileName);
});

test.each([
  ['text/html', '/page', { title: 'page', fileName: 'page.html' }],
  ['text/html', '/', { title: 'example.org', fileName: 'example.org.html' }],
  ['text/html', '/index.php', { title: 'index.php', fileName: 'index.php.html' }],
  ['text/markdown; charset=utf-8', '/README', { title: 'README', fileName: 'README.md' }],
  ['text/plain', '/notes.md', { title: 'notes.md', fileName: 'notes.md' }],
  ['application/pdf', '/report', { title: 'report', fileName: 'report' }],
])('%s at %s', (mediaType, path, names) => {
  expect(readName({ 'content-type': mediaType }, `https://example.org${path}`)).toEqual(names);
});

test('validators are kept only where they can be sent back', () => {
  const valid = { etag: 'W/"a-1"', 'last-modified': 'Thu, 15 Jan 2026 09:28:41 GMT' };
  expect(readValidators(valid)).toEqual({ etag: 'W/"a-1"', lastModified: valid['last-modified'] });
  for (const etag of ['v1', '"a\u00e9"', `"${'x'.repeat(2_000)}"`, '"a"b"'])
    expect(readValidators({ etag, 'last-modified': 'yesterday' })).toEqual({
      etag: null,
      lastModified: null,
    });
});

test('other headers are read, or not there', () => {
  expect(readContentType({ 'content-type': "Text/HTML ; Charset='x'" })).toEqual({
    mediaType: 'text/html',
    charset: null,
  });
  expect(readContentType({})).toEqual({ mediaType: '', charset: null });
  expect(readRetryAfter({ 'retry-after': 'soon' })).toBeUndefined();
  expect(readRetryAfter({ 'retry-after': 'Thu, 15 Jan 2026 09:28:41 GMT' })).toBe(0);
});
