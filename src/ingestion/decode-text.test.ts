import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('decodeText', () => {
  const encoded: [reason: string, bytes: Buffer, text: string][] = [
    ['UTF-8', Buffer.from('naïve 你好 😀'), 'naïve 你好 😀'],
    ['a byte order mark is no text', Buffer.from('\ufefftext'), 'text'],
    ['UTF-16 by its mark', Buffer.from('\ufefftext 你好', 'utf16le'), 'text 你好'],
    ['big-endian UTF-16 by its mark', Buffer.from('\ufefftext', 'utf16le').swap16(), 'text'],
    ['windows-1252 where it is no UTF-8', latin1('na\xefve \x80 50'), 'naïve € 50'],
    [
      'one broken character does not spoil UTF-8',
      Buffer.concat([Buffer.from('naïve façade '.repeat(10)), latin1('\xff')]),
      `${'naïve façade '.repeat(10)}\ufffd`,
    ],
    ['line ends of every system', Buffer.from('a\r\nb\rc\n'), 'a\nb\nc\n'],
    ['NUL, which PostgreSQL cannot store', Buffer.from('a\0b'), 'a\ufffdb'],
    ['nothing', Buffer.alloc(0), ''],
  ];
  it.each(encoded)('%s', (_reason, bytes, text) => expect(decodeText(bytes)).toBe(text));

  it('follows the declaration of an HTML page, also a late one', () => {
    const page = Buffer.concat([
      latin1(`<html>${' '.repeat(5000)}<meta charset="windows-1251">`),
      latin1('\xcf\xf0\xe8\xe2\xe5\xf2'),
    ]);
    expect(decodeText(page, { isHtml: true })).toMatch(/Привет$/);
    expect(decodeText(page)).not.toMatch(/Привет$/);
  });

  it('does not follow a declaration that the bytes disprove, or an unknown one', () => {
    const page = (charset: string) => Buffer.from(`<meta charset=${charset}>Привет`);
    for (const charset of ['windows-1251', 'utf-16', 'klingon'])
      expect(decodeText(page(charset), { isHtml: true })).toMatch(/Привет$/);
  });

  it('never throws, and gives well-formed text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (bytes, isHtml) => {
        const text = decodeText(bytes, { isHtml });
        return text.isWellFormed() && !text.includes('\0');
      }),
    );
  });
});
