/** Finds the ranges of a text that its tokens stand for: for highlights. Imports use the faster `tokeniseAs`. */
import { normaliseText } from './normalise.ts';
import { createNotationReader } from './notations/notations.ts';
import { isPlainWord, isWord, pieceEnd, tokenise } from './tokens.ts';

/** A range of a text in code points; `end` is the first one after it. */
export type Span = { start: number; end: number };

/** A token with the range of the text that it stands for. */
export type TokenSpan = Span & { token: string };

/** The normalised form of a text, and for each of its UTF-16 units the range in the original text. */
type NormalisedText = { text: string; starts: number[]; ends: number[] };

/**
 * A character with what belongs to it: combining marks, format characters, vowels and final consonants of decomposed
 * Hangul, half-width voicing marks. The normalised form of a text nearly always consists of the normalised clusters in
 * a row.
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

/** The ranges of a text's tokens, and of what its marked tokens stand for. */
export type TextSpans = {
  /** By the index of the token. */
  tokens: TokenSpan[];
  /** `at`: the index of the token at whose position the marked one is. */
  marked: (TokenSpan & { at: number })[];
};

/**
 * The tokens of a text with their ranges. Index and token come from `tokenise`. A part of a compound has its own
 * range where it stands in the compound letter by letter, otherwise the range of the compound. A marked token has the
 * range of its date, identifier or number.
 */
export function readSpans(original: string): TextSpans {
  const { text, starts, ends } = normaliseWithRanges(original);
  const spans: TextSpans = { tokens: [], marked: [] };
  const notationsAt = createNotationReader(text);
  const rangeOf = (start: number, end: number): Span => {
    const first = starts[start] ?? 0;
    return { start: first, end: ends[end - 1] ?? first };
  };
  let before: { start: number; end: number } | undefined;
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at);
    if (end === at) {
      at++;
      continue;
    }
    const first = spans.tokens.length;
    for (const { token, start, end: tokenEnd } of spansInPiece(text.slice(at, end)))
      spans.tokens.push({ token, ...rangeOf(at + start, at + tokenEnd) });
    if (isWord(text, at) && spans.tokens.length > first) {
      const isPlain = isPlainWord(text.slice(at, end));
      for (const { token, start, end: last } of notationsAt({ at, end, before }, isPlain))
        spans.marked.push({ token, at: first, ...rangeOf(start, last) });
      before = { start: at, end };
    }
    at = end;
  }
  return spans;
}

/**
 * The range of a token, by its index, and by the lexeme by which it was found if that may stand for more of the text.
 */
export type ReadSpan = (token: number, lexeme?: string) => Span | undefined;

export function spanReader(original: string): ReadSpan {
  const { tokens, marked } = readSpans(original);
  const ofMarked = new Map(marked.map((span) => [`${span.at} ${span.token}`, span]));
  return (token, lexeme) => (lexeme && ofMarked.get(`${token} ${lexeme}`)) || tokens[token];
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
