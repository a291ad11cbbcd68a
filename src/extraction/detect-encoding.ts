/** Guesses the encoding of a text that does not declare it. */
import { createRequire } from 'node:module';

/** Loads the guesser (jschardet) only when it is needed, which is rare: loading takes 40 ms. */
const loadGuesser = () => createRequire(import.meta.url)('jschardet') as typeof import('jschardet');

/** The guess uses this many bytes. More do not improve it, and these take 20 ms. */
const GUESS_SAMPLE_LENGTH = 65_536;

/** At most this many bytes are kept before the first non-ASCII byte of a line. */
const CONTEXT_LENGTH = 64;

const LINE_FEED = 10;

/** jschardet's names of encodings → the WHATWG encoding standard's, or the nearest encoding that the standard has. */
const LABELS = new Map([
  ['CP932', 'shift_jis'],
  ['CP949', 'euc-kr'],
  ['CP874', 'windows-874'],
  ['MacCyrillic', 'x-mac-cyrillic'],
  ['MacRoman', 'macintosh'],
  ['KZ1048', 'windows-1251'],
  ['ptcp154', 'windows-1251'],
  ['koi8-t', 'koi8-r'],
  ['cp1125', 'ibm866'],
]);

/** The guess where nothing else fits: the web's default, in which every byte is a character. */
const FALLBACK = 'windows-1252';

/** A guess needs at least this share of the best guess's confidence. */
const RIVAL_MIN_SHARE = 0.5;

type Guess = { encoding: string; confidence: number };

/**
 * The encoding (a WHATWG label) of a text that is neither UTF-8 nor UTF-16.
 * Measured on excerpts in 13 languages and 18 encodings, 150 for each of 24 pairs.
 * The right text came out of 88 % at 12 characters, 98 % at 40, and all at 300.
 */
export const detectEncoding = (bytes: Uint8Array): string => guessEncoding(bytes).encoding;

/** The best guess that can be decoded; else the fallback, with confidence 0. */
function guessEncoding(bytes: Uint8Array): Guess {
  const sample = Buffer.concat([...nonAsciiLines(bytes)]).subarray(0, GUESS_SAMPLE_LENGTH);
  const guesses = loadGuesser().detectAll(sample);
  const least = (guesses[0]?.confidence ?? 0) * RIVAL_MIN_SHARE;
  const isAccented = hasAccents(sample.toString('latin1'));
  for (const { encoding: name, confidence } of guesses) {
    const encoding = confidence >= least ? decodable(name ?? '') : undefined;
    if (encoding !== undefined && !(isAccented && OTHER_ALPHABET.test(encoding)))
      return { encoding, confidence };
  }
  return { encoding: FALLBACK, confidence: 0 };
}

/** Encodings of Cyrillic, Greek, Hebrew, Arabic and Thai. */
const OTHER_ALPHABET =
  /^(?:windows-125[1356]|windows-874|iso-8859-(?:5|6|7|8|8-i)|koi8-[ru]|ibm866|x-mac-cyrillic)$/;

/** Single non-ASCII bytes next to an ASCII letter. */
const ACCENTED = /(?<=[A-Za-z])[\x80-\xff](?![\x80-\xff])|(?<![\x80-\xff])[\x80-\xff](?=[A-Za-z])/g;

/** Whether the non-ASCII bytes are accented Latin letters. Letters of another alphabet stand in runs. */
const hasAccents = (latin1: string): boolean =>
  countMatches(latin1, ACCENTED) > countMatches(latin1, /[\x80-\xff]+/g) / 3;

/** The standard's name of an encoding that may be guessed; undefined for other encodings. */
function decodable(name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(LABELS.get(name) ?? name);
    // decode-text.ts has tried these already, on more evidence: jschardet accepts a single escape sequence.
    return encoding.startsWith('utf-') || encoding === 'iso-2022-jp' ? undefined : encoding;
  } catch {
    // The standard leaves some encodings out (DOS code pages, EBCDIC).
    return undefined;
  }
}

/** With fewer non-ASCII characters than this a sample is not judged: a short text may have no others. */
const NON_ASCII_TOLERATED = 16;
/**
 * Drawings in DOS code pages have a third as many ASCII letters and digits as non-ASCII characters.
 * Latin texts have three times as many.
 */
const ASCII_MIN_RATIO = 0.1;
/** 99 % of excerpts of 20 characters in 13 encodings have more confidence; 97 % of random non-ASCII bytes have less. */
const CONFIDENCE_MIN = 0.05;

/**
 * Whether a sample with hardly any ASCII letters is in no known encoding.
 * It may be in EBCDIC, or be no text at all although it has no control characters.
 */
export function isGarbled(sample: Uint8Array): boolean {
  const text = Buffer.from(withoutZeros(sample)).toString('latin1');
  const nonAscii = countMatches(text, /[\x80-\xff]/g);
  if (nonAscii < NON_ASCII_TOLERATED) return false;
  if (countMatches(text, /[\dA-Za-z]/g) > ASCII_MIN_RATIO * nonAscii) return false;
  return !isUtf8(sample) && guessEncoding(sample).confidence < CONFIDENCE_MIN;
}

/** Whether most non-ASCII bytes are UTF-8 characters. A text that is cut off or damaged still is UTF-8. */
function isUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  return countMatches(text, /\ufffd/g) < countMatches(text, /\P{ASCII}/gu) / 2;
}

/** The lines with non-ASCII bytes, up to the length of a sample. The first such line may come late in the file. */
function* nonAsciiLines(bytes: Uint8Array): Generator<Uint8Array> {
  let length = 0;
  for (let at = nextNonAscii(bytes, 0); at < bytes.length && length < GUESS_SAMPLE_LENGTH; ) {
    const lineEnd = bytes.indexOf(LINE_FEED, at);
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
    const start = Math.max(at - CONTEXT_LENGTH, bytes.lastIndexOf(LINE_FEED, at) + 1);
    length += end - start;
    yield bytes.subarray(start, end);
    at = nextNonAscii(bytes, end);
  }
}

/** The offset of the next non-ASCII byte; the length where there is none. */
function nextNonAscii(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at++;
  return at;
}

/**
 * Characters that texts do not contain: controls, unassigned and private characters, lone surrogates, U+FFFD for
 * errors.
 */
const NON_TEXT = /(?!\s)[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]/gu;
/** Damage and private characters cause a few of them. Random pairs of bytes cause one in six. */
const NON_TEXT_MAX_SHARE = { withMark: 0.1, withoutMark: 0.02 };

/**
 * A text's first and second bytes may have at most this share in common, or it is not UTF-16.
 * Measured on 300 excerpts each in ten languages, 12 to 2,000 characters long.
 * UTF-16 had at most .28 (Chinese; .01 in scripts of one block).
 * UTF-8 had at least .35 from 100 characters on, and at least .58 from 400 on.
 */
const ALIKE_MAX_SHARE = 0.3;

/** In a Latin text, at least this share of the bytes with the block numbers is zero. */
const LATIN_MIN_SHARE = 0.75;

/**
 * If more than this share of the text without its zero bytes is controls and errors, it is not UTF-8.
 * Cyrillic UTF-16 has half.
 */
const PLAIN_MAX_SHARE = 0.1;

/**
 * Whether a text is UTF-16, and which; undefined for everything else.
 * Zero bytes and byte order marks alone are weak evidence, since any bytes may contain some.
 * In UTF-16 the two bytes of a character differ throughout the text: one side has only the few block numbers of the
 * script.
 * If the bytes without zeros are a text and there is no mark, the text is UTF-16 only with as many zeros as Latin
 * letters have.
 */
export function detectUtf16(bytes: Uint8Array): Utf16 | undefined {
  const marked = encodingByMark(bytes);
  if (marked === undefined && !bytes.includes(0)) return undefined;
  const { encoding, alike, zeros } = compareSides(bytes);
  const isUnlike = alike <= ALIKE_MAX_SHARE;
  if (marked) {
    const isMarked = isTextIn(bytes, marked, NON_TEXT_MAX_SHARE.withMark) && (isUnlike || !isPlain(bytes));
    return isMarked ? marked : undefined;
  }
  const isLatin = bytes.length % 2 === 0 && zeros >= LATIN_MIN_SHARE;
  if (!isUnlike || (!isLatin && isPlain(bytes))) return undefined;
  return isTextIn(bytes, encoding, NON_TEXT_MAX_SHARE.withoutMark) ? encoding : undefined;
}

function encodingByMark([first, second]: Uint8Array): Utf16 | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

export type Utf16 = 'utf-16le' | 'utf-16be';

/**
 * Counts each byte as the first and as the second of its pair. `alike`: the share that both sides have in common.
 * `encoding`: from the side with fewer different bytes, which holds the block numbers.
 * `zeros`: that side's share of zero bytes.
 */
function compareSides(bytes: Uint8Array): { encoding: Utf16; alike: number; zeros: number } {
  const first = new Uint32Array(256);
  const second = new Uint32Array(256);
  const pairs = bytes.length >> 1;
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    count(first, bytes[at]);
    count(second, bytes[at + 1]);
  }
  const common = first.reduce((sum, times, byte) => sum + Math.min(times, second[byte] ?? 0), 0);
  const isBigEndian = concentration(first) > concentration(second);
  const blocks = isBigEndian ? first : second;
  return {
    encoding: isBigEndian ? 'utf-16be' : 'utf-16le',
    alike: common / Math.max(pairs, 1),
    zeros: (blocks[0] ?? 0) / Math.max(pairs, 1),
  };
}

function count(counts: Uint32Array, byte = 0): void {
  counts[byte] = (counts[byte] ?? 0) + 1;
}

/** Higher for fewer different bytes. */
const concentration = (counts: Uint32Array): number => counts.reduce((sum, times) => sum + times ** 2, 0);

/** Whether the bytes without their zeros are UTF-8 text, apart from some damage. */
export function isPlain(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(withoutZeros(bytes));
  return countMatches(text, NOT_PLAIN) <= PLAIN_MAX_SHARE * text.length;
}

/** The non-zero bytes: no encoding but UTF-16 uses zero in a character. */
export function withoutZeros(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0)) return bytes;
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  // An iterator or `filter` would take seconds for 50 MiB.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0) kept[length++] = byte;
  }
  return kept.subarray(0, length);
}

/** Control characters and invalid UTF-8. Tabs count too: their byte is the number of Devanagari's block. */
const NOT_PLAIN = /(?![\r\n])[\p{Cc}\ufffd]/gu;

/** Even, so that no UTF-16 unit is cut. */
const PIECE_LENGTH = 65_536;

/** Whether all bytes are text in this encoding, up to the given share of errors. */
function isTextIn(bytes: Uint8Array, encoding: Utf16, wrongMaxShare: number): boolean {
  const decoder = new TextDecoder(encoding);
  let wrong = 0;
  for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
    const piece = bytes.subarray(start, start + PIECE_LENGTH);
    wrong += countMatches(decoder.decode(piece, { stream: true }), NON_TEXT);
  }
  return wrong <= (wrongMaxShare * bytes.length) / 2;
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
