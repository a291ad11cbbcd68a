/** Guesses the encoding of a text that says nothing about it. */
import { createRequire } from 'node:module';

/** Loads the guesser when it is needed, which is rare; it takes 40 ms. */
const loadGuesser = () => createRequire(import.meta.url)('jschardet') as typeof import('jschardet');

/** Bytes that are looked at: the guess gets no better with more, and takes 20 ms for these. */
const SAMPLE_LENGTH = 65_536;

/** Encodings that the guesser calls otherwise than the WHATWG's encoding standard does. */
const LABELS: Record<string, string | undefined> = {
  CP932: 'shift_jis',
  CP949: 'euc-kr',
  CP874: 'windows-874',
};

/** What is guessed where nothing else fits: the web's default, in which every byte is a character. */
const FALLBACK = 'windows-1252';

/**
 * The encoding (a WHATWG label) of a text that is neither UTF-8 nor UTF-16.
 * Guessed rightly of excerpts of Wikipedia, 300 for each of ten encodings: of 12 characters 88 %, of 40 99 %.
 */
export function detectEncoding(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.subarray(0, SAMPLE_LENGTH));
  const guess: string | null = loadGuesser().detect(sample).encoding;
  const label = LABELS[guess ?? ''] ?? guess ?? FALLBACK;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith('utf-') ? FALLBACK : encoding;
  } catch {
    // One of those that the standard leaves out (code pages of DOS, EBCDIC).
    return FALLBACK;
  }
}

/** Controls, unassigned and private characters and half surrogate pairs: what a text has none of. */
const NO_TEXT = /(?!\s)[\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u;

/** A character like U+1F600 has a zero byte on the other side; they are rare among line ends and blanks. */
const OTHER_SIDE_MAX_SHARE = 0.5;

/**
 * `utf-16le` or `utf-16be` for a text without a byte order mark, by its zero bytes: ASCII characters (blanks and
 * line ends at least) have one, on the same side all. undefined for all else.
 */
export function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_LENGTH);
  if (bytes.length % 2 !== 0 || !sample.includes(0)) return undefined;
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [first = 0, second = 0] = zeros;
  if (Math.min(first, second) > OTHER_SIDE_MAX_SHARE * Math.max(first, second)) return undefined;
  const encoding = first < second ? 'utf-16le' : 'utf-16be';
  const text = new TextDecoder(encoding).decode(withoutHalf(sample, encoding));
  return NO_TEXT.test(text) ? undefined : encoding;
}

/** The sample without the first half of a surrogate pair at its end. */
function withoutHalf(sample: Uint8Array, encoding: string): Uint8Array {
  const high = sample.at(encoding === 'utf-16le' ? -1 : -2) ?? 0;
  return high >= 0xd8 && high < 0xdc ? sample.subarray(0, -2) : sample;
}
