/** Finds the ranges of a text that its tokens stand for: for highlights. Imports use the faster `tokeniseAs`. */
import { normaliseText } from './normalise.ts';
import { pieceEnd, tokenise } from './tokens.ts';

/** A range of a text in code points; `end` is the first one after it. */
export type Span = { start: number; end: number };

/** A token with the range of the text that it stands for. */
export type TokenSpan = Span & { token: string };

/** The normalised form of a text, and for each of its UTF-16 units the range in the original text. */
type NormalisedText = { text: string; starts: number[]; ends: number[] };

/**
 * A character with what belongs to it: combining marks, format characters, vowels and final consonants of decomposed
 * Hangul, half-width voicing marks. The normalised form of a text is nearly always that of its clusters in a row.
 */
const CLUSTER = /[\s\S][\p{M}\p{Cf}\u1160-\u11ff\uff9e\uff9f]*/gu;
const FORMAT_AT_END = /\p{Cf}+$/u;
/**
 * Normalisation keeps a zero-width non-joiner between two Arabic letters only. A cluster alone does not show what
 * precedes it, so the form of the whole text decides.
 */
const NON_JOINER = '\u200c';

function normaliseWithRanges(original: string): NormalisedText {
  const text = normaliseText(original);
  const ranges: NormalisedText = { text, starts: [], ends: [] };
  let at = 0;
  for (const [cluster] of original.matchAll(CLUSTER)) {
    const visible = [...cluster.replace(FORMAT_AT_END, '')].length;
    const part = normaliseText(cluster);
    if (text[ranges.starts.length] === NON_JOINER && !part.startsWith(NON_JOINER)) {
      ranges.starts.push(at);
      ranges.ends.push(at);
    }
    for (let unit = 0; unit < part.length; unit++) {
      ranges.starts.push(at);
      ranges.ends.push(at + visible);
    }
    at += [...cluster].length;
  }
  return ranges;
}

/**
 * The tokens of a text with their ranges; index and token are those of `tokenise`. A part of a compound has the range
 * of the part, where the compound shows it as it is; otherwise it has that of the whole compound.
 */
export function tokenSpans(original: string): TokenSpan[] {
  const { text, starts, ends } = normaliseWithRanges(original);
  const spans: TokenSpan[] = [];
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at);
    if (end === at) {
      at++;
      continue;
    }
    const base = at;
    for (const { token, start, end: tokenEnd } of spansInPiece(text.slice(at, end))) {
      const first = starts[base + start] ?? 0;
      spans.push({ token, start: first, end: ends[base + tokenEnd - 1] ?? first });
    }
    at = end;
  }
  return spans;
}

/** The tokens of a word, compound or run without spaces, with their ranges in UTF-16 units. */
function spansInPiece(piece: string): TokenSpan[] {
  const text = piece.toLowerCase();
  const isAligned = text.length === piece.length;
  let next = 0;
  return tokenise(piece).tokens.map((token) => {
    const found = isAligned ? text.indexOf(token, next) : -1;
    const start = found === -1 && isAligned ? text.indexOf(token) : found;
    if (start === -1) return { token, start: 0, end: piece.length };
    // The bigrams of a run overlap, and a compound as a whole comes before its parts.
    if (token.length < text.length) next = start + 1;
    return { token, start, end: start + token.length };
  });
}
