/** Messages are divided as mail programs divide them, also those that are not quite right. */
import { describe, expect, it, test } from 'vitest';
import { decodeWords, parseStructured } from './mime-headers.ts';
import { type MimePart, readMime, valuesOf } from './mime-parts.ts';

const read = (...lines: string[]) => readMime(Buffer.from(lines.join('\r\n'), 'latin1'));
const textOf = ({ bytes }: MimePart) => Buffer.from(bytes).toString('latin1');
const multipart = 'Content-Type: multipart/mixed; boundary="a b"';

describe('parts', () => {
  it('stand between the boundaries; what is before and after is none of them', () => {
    const { parts } = read(
      multipart,
      '',
      'before',
      '--a b',
      '',
      'one',
      '--a b  ',
      'X-A: b',
      '',
      'two',
      '',
      '--a b--',
      'after',
    );
    expect(parts.map(textOf)).toEqual(['one', 'two\r\n']);
  });

  it('may nest, with boundaries that begin alike', () => {
    const { parts } = read(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=b1',
      '',
      '--b1',
      '',
      'one',
      '--b1',
      '',
      'two',
      '--b1--',
      '--b',
      '',
      '--ba',
      'x--b',
      '--b--',
    );
    expect(parts.map(({ parts: inner }) => inner.map(textOf))).toEqual([['one', 'two'], []]);
    expect(parts.map(textOf)).toEqual(['', '--ba\r\nx--b']);
  });

  it('may end early, and may have no end at all', () => {
    expect(read(multipart, '', '--a b', '', 'one', '--a b', '', 'tw').parts.map(textOf)).toEqual([
      'one',
      'tw',
    ]);
    expect(textOf(read(multipart, '', 'No boundary.'))).toBe('No boundary.');
    expect(textOf(read('Content-Type: multipart/mixed', '', '--a', 'Text.'))).toBe('--a\r\nText.');
  });

  it('may lack headers, and the empty line after them', () => {
    const { parts } = read(multipart, '', '--a b', 'This is a text: signed.', '', 'More.', '--a b--');
    expect(parts.map(textOf)).toEqual(['This is a text: signed.\r\n\r\nMore.']);
  });

  it('of a digest are messages', () => {
    const { parts } = read(
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'Subject: a',
      '--b--',
    );
    expect(parts.map(({ type }) => type)).toEqual(['message/rfc822']);
  });

  it.each([
    ['base64', 'Y2Fm\r\n6Q==\r\n', 'caf\xe9'],
    ['BASE64', 'Y 2 F m', 'caf'],
    ['quoted-printable', 'caf=E9 =\r\nand =e9 =3D =x =\r\n', 'caf\xe9 and \xe9 = =x '],
    ['8bit', 'caf\xe9', 'caf\xe9'],
    ['', 'caf\xe9', 'caf\xe9'],
  ])('are decoded: %s', (encoding, content, decoded) => {
    expect(textOf(read(`Content-Transfer-Encoding: ${encoding}`, '', content))).toBe(decoded);
  });
});

test('headers go on in lines that begin with a blank, and end at the first empty line', () => {
  const message = read('SUBJECT : one', '\ttwo', ' three', 'no header', 'To: a@b', 'To: c@d', '', 'Cc: e@f');
  expect(valuesOf(message, 'subject')).toEqual(['one two three']);
  expect(valuesOf(message, 'to')).toEqual(['a@b', 'c@d']);
  expect(valuesOf(message, 'cc')).toEqual([]);
  expect(textOf(message)).toBe('Cc: e@f');
});

test.each([
  ['plain', 'plain'],
  ['=?utf-8?q?Caf=C3=A9_one?= two', 'Café one two'],
  ['a =?iso-8859-1?B?6Q==?= b', 'a é b'],
  ['=?utf-8?q?one?= =?utf-8?q?_two?=\t=?utf-8?q?!?=', 'one two!'],
  ['=?utf-8?q?=C3?= =?utf-8?q?=A9?=', 'é'],
  ['=?utf-8?q?a?= and =?utf-8?q?b?=', 'a and b'],
  ['=?utf-8*en?q?a?=', 'a'],
  ['=?x-unknown?q?caf=C3=A9?=', 'café'],
  ['=?utf-8?x?a?= =?utf-8?q?a', '=?utf-8?x?a?= =?utf-8?q?a'],
])('the words of %j are %j', (written, decoded) => {
  expect(decodeWords(written)).toEqual(decoded);
});

test.each([
  ['Text/HTML; Charset="utf-8"', 'text/html', { charset: 'utf-8' }],
  ['text/plain (a comment); name=the plan.pdf ; x', 'text/plain', { name: 'the plan.pdf' }],
  ['attachment; filename="a \\"b\\"; c.pdf"; filename=other', 'attachment', { filename: 'a "b"; c.pdf' }],
  ["attachment; filename*=utf-8'en'pl%C3%A4ne%.txt", 'attachment', { filename: 'pläne%.txt' }],
  [
    'attachment; filename*1*=%A4ne; filename*2=".txt"; filename*0*=utf-8\'\'pl%C3',
    'attachment',
    { filename: 'pläne.txt' },
  ],
  ['attachment; filename="=?iso-8859-1?q?pl=E4ne?=.txt"', 'attachment', { filename: 'pläne.txt' }],
  ['a/b; name="never closed', 'a/b', { name: 'never closed' }],
  ['; ; =', '', {}],
])('%j has its value and parameters', (header, value, parameters) => {
  expect(parseStructured(header)).toEqual({ value, parameters: expect.objectContaining(parameters) });
});
