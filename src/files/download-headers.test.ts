/** The file name of a download is the same in every client, and breaks no header. */
import contentDisposition from 'content-disposition';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDownloadHeaders } from './download-headers.ts';

const headerOf = (fileName: string): string => toDownloadHeaders(fileName, 'txt').contentDisposition;

test.each([
  ['a.txt', 'attachment; filename="a.txt"'],
  ['a "b" \\ c.txt', `attachment; filename="a _b_ _ c.txt"; filename*=UTF-8''a%20%22b%22%20_%20c.txt`],
  ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
  ['é.txt', `attachment; filename="_.txt"; filename*=UTF-8''%C3%A9.txt`],
  ['a%20b.txt', `attachment; filename="a_20b.txt"; filename*=UTF-8''a%2520b.txt`],
  ['a\r\nset-cookie: b', 'attachment; filename="a__set-cookie: b"'],
  ['report\u202efdp.exe', 'attachment; filename="report_fdp.exe"'],
])('%j has a plain form, and its own where that differs', (fileName, header) => {
  expect(headerOf(fileName)).toBe(header);
});

test.each(['דוח שנתי.pdf', 'تقرير.pdf', '知識.pdf', '👩‍🚀🚀.pdf', '😀'.repeat(256), 'x'.repeat(256)])(
  '%j arrives unchanged',
  (fileName) => {
    expect(contentDisposition.parse(headerOf(fileName)).parameters.filename).toBe(fileName);
  },
);

test('any name becomes a header of printable ASCII characters, and stays a single name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 256 }), (fileName) => {
      const header = headerOf(fileName);
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      const { type, parameters } = contentDisposition.parse(header);
      expect([type, Object.keys(parameters)]).toEqual(['attachment', ['filename']]);
      expect(parameters.filename).not.toMatch(/[/\\\p{Cc}]/u);
    }),
  );
});

test('no type is one that a browser runs', () => {
  for (const type of ['html', 'xml', 'unknown', 'text'] as const)
    expect(toDownloadHeaders('a.svg', type).contentType).toBe('application/octet-stream');
});
