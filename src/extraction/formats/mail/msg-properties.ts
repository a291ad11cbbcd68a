/** Reads the properties of a message, a recipient or an attachment in Outlook's message files ([MS-OXMSG] 2.4). */

import type { Storage } from '../../compound-file.ts';
import { decodeText } from '../../decode-text.ts';
import { wideText } from '../../wide-text.ts';

/** By the ids of [MS-OXPROPS], as in 0x0037 for the subject. */
export type Properties = {
  /** A text; '' where there is none. */
  text(id: number): string;
  bytes(id: number): Buffer | undefined;
  number(id: number): number | undefined;
  /** As `2024-06-03 07:00 UTC`; '' where there is none. */
  time(id: number): string;
  /** The encoding of texts that are not in Unicode; undefined where the message names none. */
  charset: string | undefined;
};

/** The length of what precedes the properties in their stream: at the top, in a message in a message, elsewhere. */
const HEADER_LENGTHS = { top: 32, inner: 24, part: 8 };

/** Types of properties (2.1). */
const UNICODE = '001F';
const BYTE_TEXT = '001E';
const BINARY = '0102';
const INTEGER = 0x0003;
const BOOLEAN = 0x000b;
const TIME = 0x0040;

const INTERNET_CODE_PAGE = 0x3fde;
const MESSAGE_CODE_PAGE = 0x3ffd;

/** `charset`: of the message around it. */
export function readProperties(
  storage: Storage,
  place: keyof typeof HEADER_LENGTHS,
  around?: { charset: string | undefined },
): Properties {
  const fixed = readFixed(storage.read('__properties_version1.0') ?? Buffer.alloc(0), HEADER_LENGTHS[place]);
  const stream = (id: number, type: string) =>
    storage.read(`__substg1.0_${id.toString(16).padStart(4, '0')}${type}`);
  const number = (id: number) => fixed.get(id)?.readInt32LE(0);
  const codePage = number(MESSAGE_CODE_PAGE) ?? number(INTERNET_CODE_PAGE);
  const charset = (codePage !== undefined ? charsetOf(codePage) : undefined) ?? around?.charset;
  return {
    charset,
    number,
    bytes: (id) => stream(id, BINARY),
    time: (id) => timeText(fixed.get(id)),
    text(id) {
      const wide = stream(id, UNICODE);
      if (wide) return wideText(wide).replaceAll('\0', '');
      return decodeText(stream(id, BYTE_TEXT) ?? Buffer.alloc(0), { charset });
    },
  };
}

/** The values of properties of a fixed length: 8 bytes each, after the tag and flags. */
function readFixed(stream: Buffer, headerLength: number): Map<number, Buffer> {
  const values = new Map<number, Buffer>();
  for (let at = headerLength; at + 16 <= stream.length; at += 16) {
    const type = stream.readUInt16LE(at);
    if (type === INTEGER || type === BOOLEAN || type === TIME)
      values.set(stream.readUInt16LE(at + 2), stream.subarray(at + 8, at + 16));
  }
  return values;
}

/** Code pages of Windows whose encoding has another name; the others are `windows-1252` and the like. */
const CODE_PAGES = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [20127, 'us-ascii'],
  [28591, 'iso-8859-1'],
  [28592, 'iso-8859-2'],
  [28605, 'iso-8859-15'],
  [50220, 'iso-2022-jp'],
  [51932, 'euc-jp'],
  [54936, 'gb18030'],
  [65001, 'utf-8'],
]);

const charsetOf = (codePage: number): string | undefined =>
  CODE_PAGES.get(codePage) ?? (codePage >= 874 && codePage <= 1258 ? `windows-${codePage}` : undefined);

/** Times count 100 ns from 1601. */
const TICKS_PER_MS = 10_000n;
const MS_BEFORE_1970 = 11_644_473_600_000n;
const YEARS = { first: Date.UTC(1970, 0), end: Date.UTC(2200, 0) };

function timeText(ticks: Buffer | undefined): string {
  if (ticks === undefined) return '';
  const ms = Number(ticks.readBigUInt64LE(0) / TICKS_PER_MS - MS_BEFORE_1970);
  if (ms < YEARS.first || ms > YEARS.end) return '';
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
