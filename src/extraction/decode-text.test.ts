/** Bytes of every encoding become their text; bytes of no encoding are detected as such. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, type Markup } from './decode-text.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Encodes by trying every character of one or two bytes, since Node can only decode these encodings. */
function encodeText(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytesOf = new Map<string, number[]>();
  for (let high = 0x81; high < 0xff; high++) {
    for (let low = 0x40; low < 0xff; low++) {
      const characters = [...decoder.decode(Uint8Array.of(high, low))];
      if (characters.length === 1 && characters[0]) bytesOf.set(characters[0], [high, low]);
    }
  }
  for (let byte = 0; byte < 0x100; byte++) bytesOf.set(decoder.decode(Uint8Array.of(byte)), [byte]);
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character) ?? []));
}

const koi8 = () => encodeText('Система поиска должна верно определять кодировку текста.', 'koi8-r');

describe('decodeText', () => {
  const encoded: [reason: string, bytes: Buffer, text: string][] = [
    ['UTF-8', Buffer.from('naïve 你好 😀'), 'naïve 你好 😀'],
    ['the byte order mark is left out', Buffer.from('\ufefftext'), 'text'],
    ['UTF-16 by its mark', Buffer.from('\ufefftext 你好', 'utf16le'), 'text 你好'],
    ['big-endian UTF-16 by its mark', Buffer.from('\ufefftext', 'utf16le').swap16(), 'text'],
    ['windows-1252 where the bytes are not UTF-8', latin1('na\xefve \x80 50'), 'naïve € 50'],
    [
      'one broken character does not spoil UTF-8',
      Buffer.concat([Buffer.from('naïve façade '.repeat(10)), latin1('\xff')]),
      `${'naïve façade '.repeat(10)}\ufffd`,
    ],
    ['line ends of every system', Buffer.from('a\r\nb\rc\n'), 'a\nb\nc\n'],
    ['NUL inside a word leaves the word whole', Buffer.from('a\0b'), 'ab'],
    [
      'two NULs, both on the same side of their pairs, do not make letters UTF-16',
      Buffer.from(`${'quick brown '.repeat(2)}\0x${'quick brown '.repeat(2)}\0y`),
      `${'quick brown '.repeat(2)}x${'quick brown '.repeat(2)}y`,
    ],
    ['letters between NULs that look like truncated UTF-16', Buffer.from('a\0b\0c'), 'abc'],
    [
      'a text that begins with a byte order mark by accident',
      latin1(`\xff\xfe${'The caracal jumps over the fence. '.repeat(9)}`),
      `ÿþ${'The caracal jumps over the fence. '.repeat(9)}`,
    ],
    [
      'a shift to two-byte characters without a shift back',
      latin1('\x1b$BEvenly long, words stay.'),
      '\x1b$BEvenly long, words stay.',
    ],
    ['nothing', Buffer.alloc(0), ''],
  ];
  it.each(encoded)('%s', (_reason, bytes, text) => expect(decodeText(bytes)).toBe(text));

  it('follows the declaration of an HTML page, even a late one', () => {
    const page = Buffer.concat([
      latin1(`<html>${' '.repeat(5000)}<meta charset="windows-1253">`),
      latin1('caf\xe9'),
    ]);
    expect(decodeText(page, { markup: 'html' })).toMatch(/cafι$/);
    const xhtml = latin1('<?xml version="1.0" encoding="iso-8859-7"?><html><p>caf\xe9');
    expect(decodeText(xhtml, { markup: 'html' })).toMatch(/cafι$/);
    expect(decodeText(page)).not.toMatch(/cafι$/);
  });

  it('ignores a declaration that is unknown or contradicts the bytes', () => {
    const page = (charset: string) => Buffer.from(`<meta charset=${charset}>Привет`);
    for (const charset of ['windows-1251', 'utf-16', 'klingon'])
      expect(decodeText(page(charset), { markup: 'html' })).toMatch(/Привет$/);
  });

  it('decodes UTF-16 without a byte order mark', () => {
    const text = 'Zeilen\nmit Blanks, 你好 😀\n';
    expect(decodeText(Buffer.from(text, 'utf16le'))).toBe(text);
    expect(decodeText(Buffer.from(text, 'utf16le').swap16())).toBe(text);
  });

  it.each([
    'The search has to recognise the encoding of a text.',
    'Die Suche muss die Kodierung eines Textes erkennen: größer, für, über.',
    'Система поиска должна верно определять кодировку текста.',
    'Το σύστημα αναζήτησης πρέπει να βρίσκει την κωδικοποίηση.',
    'يجب على نظام البحث تحديد ترميز النص بشكل صحيح.',
    'खोज प्रणाली को पाठ के एन्कोडिंग की पहचान करनी चाहिए।',
    'ระบบค้นหาต้องตรวจสอบ การเข้ารหัสของข้อความให้ถูกต้อง',
    '检索系统必须正确判断文字的编码，否则什么也找不到。一二三\n',
    '文字コードを正しく判定しなければ、検索はできない。\nひらがなも\n',
    '검색 시스템은 문자의 인코딩을 올바르게 판단해야 한다.',
  ])('decodes UTF-16 without a byte order mark in every script: %s', (text) => {
    const bytes = Buffer.from(text, 'utf16le');
    expect(decodeText(bytes)).toBe(text);
    expect(decodeText(Buffer.concat([bytes, latin1('\x20')]))).toContain(text);
    expect(decodeText(Buffer.from(bytes).swap16())).toBe(text);
  });

  const sentences: [encoding: string, text: string][] = [
    ['shift_jis', '文字コードを正しく判定しなければ、検索はできない。'],
    ['euc-jp', '文字コードを正しく判定しなければ、検索はできない。'],
    ['gb18030', '检索系统必须正确判断文字的编码，否则什么也找不到。'],
    ['big5', '檢索系統必須正確判斷文字的編碼，否則什麼也找不到。'],
    ['euc-kr', '검색 시스템은 문자의 인코딩을 올바르게 판단해야 한다.'],
    ['windows-1251', 'Система поиска должна верно определять кодировку текста.'],
    ['x-mac-cyrillic', 'Система поиска должна верно определять кодировку текста.'],
    [
      'macintosh',
      'Zwölf Boxkämpfer jagen Eva quer über den großen Sylter Deich, während süße Möwen über Häuser fliegen.',
    ],
    ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy, večer přišel starý přítel a vyprávěl.'],
    ['windows-1252', 'Où sont passés les élèves ? Ça dépend : « très loin », répondit-il, déçu.'],
    ['koi8-r', 'Система поиска должна верно определять кодировку текста.'],
    ['windows-1253', 'Το σύστημα αναζήτησης πρέπει να βρίσκει την κωδικοποίηση.'],
    ['windows-1255', 'מערכת החיפוש חייבת לזהות נכון את קידוד הטקסט.'],
    ['windows-1256', 'يجب على نظام البحث تحديد ترميز النص بشكل صحيح.'],
    ['windows-874', 'ระบบค้นหาต้องตรวจสอบการเข้ารหัสของข้อความให้ถูกต้อง'],
  ];
  it.each(sentences)('recognises %s', (encoding, text) =>
    expect(decodeText(encodeText(text, encoding))).toBe(text),
  );

  it('recognises an encoding by bytes late in a file', () => {
    const late = Buffer.concat([Buffer.from('ASCII only, line by line.\n'.repeat(5_000)), koi8()]);
    expect(decodeText(late)).toContain('Система поиска');
  });

  it('recognises ISO-2022-JP, whose bytes are all ASCII', () => {
    const bytes = latin1('\x1b$BJ8;z\x1b(B code');
    expect(decodeText(bytes)).toBe('文字 code');
  });

  it('never throws, and returns well-formed text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom<Markup>('html', 'xml'), (bytes, markup) => {
        const text = decodeText(bytes, { markup });
        return text.isWellFormed() && !text.includes('\0');
      }),
    );
  });
});
