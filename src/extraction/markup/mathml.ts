/**
 * Writes MathML (MathML Core, and older elements of MathML 3) as one line of text that keeps its structure:
 * `u=(hours worked)/(hours available)`, `K_0(1+p/100)^n`, `∑_(i=1)^n x_i`.
 */
import type { Attributes } from './markup-tokens.ts';

/**
 * A part of the line. `first` and `last` are its outer characters: a long text is a chain of pieces, and to look into
 * it would copy it at each level. `isSingle`: needs no parentheses as an operand; `isScripted`: begins with a base.
 */
type Piece = { text: string; first: string; last: string; isSingle?: boolean; isScripted?: boolean };
type OpenElement = { name: string; attributes: Attributes; pieces: Piece[]; text: string };

/** Elements that show nothing. An annotation is the equation again, in another language (MathML Core, 3.5). */
const UNSEEN = new Set(['annotation', 'annotation-xml', 'mphantom', 'mspace', 'none', 'mprescripts']);

export type MathWriter = {
  open(name: string, attributes: Attributes): void;
  /** Returns the line once the outermost element is closed. */
  close(): string | undefined;
  text(text: string): void;
};

/** Takes linear time in the length of the equation. */
export function writeMath(): MathWriter {
  const open: OpenElement[] = [];
  return {
    open(name, attributes) {
      open.push({ name, attributes, pieces: [], text: '' });
    },
    close() {
      const element = open.pop();
      if (!element) return undefined;
      const piece = pieceOf(element);
      const parent = open.at(-1);
      if (!parent) return piece.text || (element.attributes.get('alttext') ?? '');
      if (element.name === 'mprescripts') parent.pieces.push(PRESCRIPTS);
      else parent.pieces.push(piece);
      return undefined;
    },
    text(text) {
      const element = open.at(-1);
      if (element) element.text += text;
    },
  };
}

function pieceOf({ name, attributes, pieces, text }: OpenElement): Piece {
  if (UNSEEN.has(name)) return EMPTY;
  const children = /\S/.test(text) ? [...pieces, token(text, name === 'mo')] : pieces;
  return (STRUCTURES.get(name) ?? row)(children, attributes);
}

const EMPTY: Piece = { text: '', first: '', last: '', isSingle: true };
const PRESCRIPTS: Piece = { ...EMPTY };

const literal = (text: string): Piece => ({ text, first: text.slice(0, 1), last: text.slice(-1) });

/** Joins by `+`, which copies nothing. */
const join = (...pieces: Piece[]): Piece =>
  pieces.reduce(
    (before, { text, first, last }) => ({
      text: before.text + text,
      first: before.first || first,
      last: last || before.last,
    }),
    literal(''),
  );

const MATHEMATICAL_LETTERS = /[\u{1d400}-\u{1d7ff}\u210e]+/gu;
/** One name or number. */
const SINGLE = /^(?:[\p{L}\p{M}]+\p{N}*|[\p{N}.,]+)$/u;

/** The text of a piece that may be a sign; '' for a longer one. */
const signOf = ({ text }: Piece = EMPTY): string => (text.length <= 2 ? text : '');

/**
 * Letters as people type them: `𝑥` → `x`. Signs that are meant but not seen (U+2061 to U+2064) have no text, nor has
 * LibreOffice's sign for an empty place (U+2751).
 */
function token(written: string, isOperator: boolean): Piece {
  const text = written
    .replace(MATHEMATICAL_LETTERS, (letters) => letters.normalize('NFKC'))
    .replace(/[\u2061-\u2064\u2751]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return { ...literal(text), isSingle: text.length <= 1 || (!isOperator && SINGLE.test(text)) };
}

const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;

/** A blank keeps apart what would become another name or number. Single letters are factors: `mc^2`. */
function needsBlank(before: Piece, after: Piece): boolean {
  if (!LETTER_OR_DIGIT.test(before.last) || !LETTER_OR_DIGIT.test(after.first)) return false;
  if (/\d/.test(before.last) && /\d/.test(after.first)) return true;
  return before.text.length > 1 || (after.text.length > 1 && !after.isScripted);
}

function row(all: Piece[]): Piece {
  const pieces = all.filter(({ text }) => text !== '');
  const [only = EMPTY] = pieces;
  if (pieces.length <= 1) return only;
  const spaced = pieces.flatMap((piece, i) => {
    const before = pieces[i - 1];
    return before && needsBlank(before, piece) ? [literal(' '), piece] : [piece];
  });
  return { ...join(...spaced), isSingle: isBracketed(pieces) };
}

const isBracketed = (pieces: Piece[]): boolean =>
  /^[([{|‖⟨]$/.test(signOf(pieces[0])) &&
  /^[)\]}|‖⟩]$/.test(signOf(pieces.at(-1))) &&
  pieces.slice(1, -1).every((piece) => !/[()[\]{}|‖⟨⟩]/.test(signOf(piece)));

const operand = (piece: Piece = EMPTY): Piece =>
  piece.isSingle ? piece : join(literal('('), piece, literal(')'));

/** `^2`, `_(i+1)`; nothing where the script is empty. Primes and degrees stand raised by themselves. */
function script(sign: '_' | '^', piece: Piece = EMPTY): Piece {
  if (piece.text === '') return EMPTY;
  const raised = signOf(piece);
  if (sign === '^' && /^[′″‴'*†∘°]$/.test(raised)) return literal(raised === '∘' ? '°' : raised);
  return join(literal(sign), operand(piece));
}

function scripted(base: Piece | undefined, below: Piece | undefined, above: Piece | undefined): Piece {
  const written = join(operand(base), script('_', below), script('^', above));
  // A sum stands apart from what it adds: `∑_(i=1)^n x`.
  const isSum = /^[∑∏∐⋃⋂⨁⨂∫∬∭∮]$/.test(signOf(base));
  return { ...(isSum ? join(written, literal(' ')) : written), isScripted: true };
}

/** Accents by the characters that combine with a letter. */
const ACCENTS = new Map([
  ['^', '\u0302'],
  ['ˆ', '\u0302'],
  ['~', '\u0303'],
  ['˜', '\u0303'],
  ['¯', '\u0305'],
  ['‾', '\u0305'],
  ['―', '\u0305'],
  ['_', '\u0305'],
  ['→', '\u20d7'],
  ['⃗', '\u20d7'],
  ['˙', '\u0307'],
  ['.', '\u0307'],
  ['¨', '\u0308'],
]);
/** Braces above or below a part say nothing in a line. */
const BRACES = /^[⏞⏟︷︸⏜⏝⎴⎵]$/;

function over([base, above = EMPTY]: Piece[]): Piece {
  const accent = ACCENTS.get(signOf(above));
  if (accent) return { ...join(operand(base), literal(accent)), isScripted: true };
  return BRACES.test(signOf(above)) ? (base ?? EMPTY) : scripted(base, undefined, above);
}

/** Pairs of scripts after the base, then those before it: `_6^14 C`. */
function multiscripts([base, ...scripts]: Piece[]): Piece {
  const at = scripts.indexOf(PRESCRIPTS);
  const pairs = (pieces: Piece[]): Piece =>
    join(...pieces.map((piece, i) => script(i % 2 === 0 ? '_' : '^', piece)));
  const before = at < 0 ? EMPTY : pairs(scripts.slice(at + 1));
  const gap = before.text === '' ? EMPTY : literal(' ');
  return join(before, gap, operand(base), pairs(at < 0 ? scripts : scripts.slice(0, at)));
}

/** `[3]`; nothing for a square root. */
const rootDegree = (degree: Piece = EMPTY): Piece =>
  degree.text === '' ? EMPTY : join(literal('['), degree, literal(']'));

const list = (pieces: Piece[], separator: string): Piece =>
  join(...pieces.flatMap((piece, i) => (i > 0 ? [literal(separator), piece] : [piece])));

/** By the children of an element, empty ones included. Elements that are not listed are rows. */
const STRUCTURES = new Map<string, (children: Piece[], attributes: Attributes) => Piece>([
  // Without a line it is a binomial coefficient.
  [
    'mfrac',
    ([above, below], attributes) =>
      join(
        operand(above),
        literal(/^0(?![.]?[1-9])/.test(attributes.get('linethickness') ?? '') ? '¦' : '/'),
        operand(below),
      ),
  ],
  ['msup', ([base, above]) => scripted(base, undefined, above)],
  ['msub', ([base, below]) => scripted(base, below, undefined)],
  ['msubsup', ([base, below, above]) => scripted(base, below, above)],
  [
    'munder',
    ([base, below = EMPTY]) =>
      BRACES.test(signOf(below)) ? (base ?? EMPTY) : scripted(base, below, undefined),
  ],
  ['mover', over],
  ['munderover', ([base, below, above]) => scripted(base, below, above)],
  ['mmultiscripts', multiscripts],
  ['msqrt', (children) => join(literal('√'), operand(row(children)))],
  ['mroot', ([base, degree]) => join(literal('√'), rootDegree(degree), operand(base))],
  ['mtable', (rows) => list(rows, '; ')],
  ['mtr', (cells) => list(cells, ', ')],
  ['mlabeledtr', ([label = EMPTY, ...cells]) => join(list(cells, ', '), literal(' '), label)],
  [
    'mfenced',
    (children, attributes) => ({
      ...join(
        literal(attributes.get('open') ?? '('),
        list(children, `${attributes.get('separators')?.trim().slice(0, 1) ?? ','} `),
        literal(attributes.get('close') ?? ')'),
      ),
      isSingle: true,
    }),
  ],
  ['semantics', ([shown = EMPTY]) => shown],
]);
