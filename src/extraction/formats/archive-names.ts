/** Decodes the names in a ZIP archive, which does not say reliably how they are encoded. */
import { type Entry, getFileNameLowLevel } from 'yauzl';
import { detectEncoding } from '../detect-encoding.ts';

/**
 * The encodings of programs that write names in the code page of their system, where it is not the specification's
 * code page 437. Elsewhere that one is closer to the truth than a guess.
 */
const SYSTEM_ENCODINGS = /^(?:shift_jis|gbk|gb18030|big5|euc-kr|euc-jp|ibm866)$/;

/**
 * The names of the entries, with `/` between folders. UTF-8 where the bytes are valid UTF-8, whatever the entry's flag
 * says; else the additional field for names in Unicode; else the encoding that all such names look like.
 */
export function decodeNames(entries: Entry[]): string[] {
  const names = entries.map(({ fileNameRaw }) => asUtf8(fileNameRaw));
  const others = entries.filter((_entry, i) => names[i] === undefined);
  if (others.length === 0) return names as string[];
  const lines = others.flatMap(({ fileNameRaw }) => [fileNameRaw, Buffer.from('\n')]);
  const encoding = detectEncoding(Buffer.concat(lines));
  return entries.map((entry, i) => names[i] ?? decodeOther(entry, encoding));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function asUtf8(bytes: Uint8Array): string | undefined {
  try {
    return withSlashes(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Field 0x7075 holds a name in Unicode (APPNOTE.TXT 4.6.9). */
const UNICODE_PATH = 0x7075;

function decodeOther({ fileNameRaw, extraFields }: Entry, encoding: string): string {
  const isNamed = extraFields.some(({ id }) => id === UNICODE_PATH);
  if (!isNamed && SYSTEM_ENCODINGS.test(encoding))
    return withSlashes(new TextDecoder(encoding).decode(fileNameRaw));
  return getFileNameLowLevel(0, fileNameRaw, extraFields, false);
}

/** Some programs for Windows write backslashes. */
const withSlashes = (name: string): string => name.replaceAll('\\', '/');
