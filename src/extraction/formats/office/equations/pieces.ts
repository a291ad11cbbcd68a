/** Collects the pieces of an equation's text, and joins them so that names and numbers stay apart. */
import type { XmlElement } from '../../../markup/xml-tree.ts';

/**
 * Where a structure begins or ends. `border`: a blank keeps letters and digits apart that meet there: `x_1 y`, `2 1/2`.
 * `tight`: only digits: `mc^2`, `2 10^3`.
 */
export type Border = { kind: 'border' | 'tight' };
export const BORDER: Border = { kind: 'border' };
export const TIGHT: Border = { kind: 'tight' };

/**
 * All structures write to one list of pieces, so an equation takes linear time.
 * `inRun`: the last piece is text of runs, which more text joins. `arrays`: the number of open equation arrays.
 */
export type Draft = { pieces: (string | Border)[]; inRun: boolean; arrays: number };

export const newDraft = (): Draft => ({ pieces: [], inRun: false, arrays: 0 });

export function put(draft: Draft, piece: string | Border): void {
  draft.pieces.push(piece);
  draft.inRun = false;
}

const MATHEMATICAL_LETTERS = /[\u{1d400}-\u{1d7ff}\u210e]+/gu;
/** Function application, and signs that are meant but not seen (Unicode 2061 to 2064). */
const APPLICATION = '\u2061';
const INVISIBLE_SIGNS = /[\u2062-\u2064]/g;

/** Writes italic and bold letters of mathematics as people type them: `𝑥` → `x`. In arrays `&` aligns lines. */
export function writeRun(draft: Draft, { children }: XmlElement): void {
  const plain = children
    .filter((child) => typeof child === 'string')
    .join('')
    .replace(MATHEMATICAL_LETTERS, (letters) => letters.normalize('NFKC'))
    .replaceAll(APPLICATION, ' ')
    .replace(INVISIBLE_SIGNS, '');
  const text = draft.arrays > 0 ? plain.replaceAll('&', '') : plain;
  if (draft.inRun) draft.pieces.push(`${String(draft.pieces.pop())}${text}`);
  else draft.pieces.push(text);
  draft.inRun = true;
}

const WORD_END = /[\p{L}\p{N}\p{M}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
const DIGIT_END = /\p{N}$/u;
const DIGIT_START = /^\p{N}/u;

export function joinPieces({ pieces }: Draft): string {
  const joined: string[] = [];
  let last = '';
  let border: Border | undefined;
  for (const piece of pieces) {
    // Where one structure ends and the next begins, the end counts.
    if (typeof piece !== 'string') border = border?.kind === 'border' ? border : piece;
    else if (piece !== '') {
      if (border && needsBlank(last, piece, border)) joined.push(' ');
      joined.push(piece);
      last = piece.slice(-2);
      border = undefined;
    }
  }
  return joined.join('');
}

function needsBlank(before: string, after: string, { kind }: Border): boolean {
  if (kind === 'tight') return DIGIT_END.test(before) && DIGIT_START.test(after);
  return WORD_END.test(before) && WORD_START.test(after);
}
