/**
 * Writes equations of Office files (Office Math Markup, ECMA-376 part 1, 22.1) as one line of text that keeps their
 * structure, close to the linear format of Unicode Technical Note 28: `u=(hours worked)/(hours available)`, `K_0`.
 */
import { attributeOf, childOf, childrenOf, isElement, type XmlElement } from '../../../markup/xml-tree.ts';
import { isOn, isSwitchedOn } from '../on-off.ts';
import { BORDER, type Draft, joinPieces, newDraft, put, TIGHT, writeRun } from './pieces.ts';

export function linearEquation(equation: XmlElement): string {
  const draft = newDraft();
  writeAll(draft, equation);
  return joinPieces(draft);
}

type Writer = (draft: Draft, element: XmlElement) => void;

/** The structures of 22.1.2 that are more than the text inside them. */
const STRUCTURES = new Map<string, Writer>([
  ['f', writeFraction],
  ['sSub', (draft, element) => writeScripts(draft, element, [['_', 'sub']])],
  ['sSup', (draft, element) => writeScripts(draft, element, [['^', 'sup']])],
  ['sSubSup', (draft, element) => writeScripts(draft, element, SUB_AND_SUP)],
  ['limLow', (draft, element) => writeScripts(draft, element, [['_', 'lim']])],
  ['limUpp', (draft, element) => writeScripts(draft, element, [['^', 'lim']])],
  ['sPre', writePrescripts],
  ['rad', writeRoot],
  ['nary', writeNary],
  ['d', writeDelimited],
  ['m', writeMatrix],
  ['eqArr', writeArray],
  ['acc', (draft, accent) => writeAccented(draft, accent, propertyOf(accent, 'accPr', 'chr') ?? '\u0302')],
  [
    'bar',
    (draft, bar) => writeAccented(draft, bar, BARS.get(propertyOf(bar, 'barPr', 'pos') ?? '') ?? '\u0332'),
  ],
  ['groupChr', writeGrouped],
  ['func', writeFunction],
  ['phant', writePhantom],
]);

/** A line above, and (as without a position, 22.1.2.87) below. */
const BARS = new Map([
  ['top', '\u0305'],
  ['bot', '\u0332'],
]);
const SUB_AND_SUP: [sign: string, name: string][] = [
  ['_', 'sub'],
  ['^', 'sup'],
];

/** Structures that begin with their base, which may continue a name: `mc^2`. */
const JOINING = new Set(['sSub', 'sSup', 'sSubSup', 'acc', 'bar']);

/** Deleted text, field instructions, and properties. */
const WITHOUT_TEXT = new Set(['del', 'moveFrom', 'delText', 'instrText', 'rPr', 'ctrlPr']);

function write(draft: Draft, element: XmlElement): void {
  if (WITHOUT_TEXT.has(element.name)) return;
  const structure = STRUCTURES.get(element.name);
  if (element.name === 't') writeRun(draft, element);
  else if (element.name === 'br') put(draft, ' ');
  else if (!structure) writeAll(draft, element);
  else {
    put(draft, JOINING.has(element.name) ? TIGHT : BORDER);
    structure(draft, element);
    put(draft, BORDER);
  }
}

function writeAll(draft: Draft, element: XmlElement | undefined): void {
  for (const child of element?.children ?? []) if (isElement(child)) write(draft, child);
}

/** `propertyOf(d, 'dPr', 'begChr')`: the value of a property, empty where it is present without one. */
function propertyOf(element: XmlElement, ...path: string[]): string | undefined {
  const property = childOf(element, ...path);
  return property && (attributeOf(property, 'val') ?? '');
}

/** One name or number. */
const SINGLE = /^(?:[\p{L}\p{M}]+\p{N}*|[\p{N}.,]+|[∞°′″*]|)$/u;

/** Structures that need no parentheses where they are a whole operand; in fractions more than elsewhere. */
const CLOSED = new Set(['d']);
const CLOSED_IN_FRACTION = new Set(['d', 'sSub', 'sSup', 'sSubSup', 'rad', 'acc', 'bar']);

/** Writes an operand, in parentheses unless it is one name or number, or one of the closed structures. */
function writeOperand(draft: Draft, operand: XmlElement | undefined, closed = CLOSED): void {
  const { pieces } = draft;
  put(draft, '(');
  const start = pieces.length;
  writeAll(draft, operand);
  const [only = ''] = pieces.slice(start, start + 1);
  const isSingle = pieces.length <= start + 1 && typeof only === 'string' && SINGLE.test(only);
  if (isSingle || isClosed(operand, closed)) pieces[start - 1] = '';
  else put(draft, ')');
  draft.inRun = false;
}

function isClosed(operand: XmlElement | undefined, closed: ReadonlySet<string>): boolean {
  const elements = (operand?.children ?? []).filter(isElement).filter(({ name }) => name !== 'ctrlPr');
  const [only] = elements;
  return only !== undefined && elements.length === 1 && closed.has(only.name) && bracketsOf(only)[0] !== '';
}

function writeFraction(draft: Draft, fraction: XmlElement): void {
  writeOperand(draft, childOf(fraction, 'num'), CLOSED_IN_FRACTION);
  put(draft, propertyOf(fraction, 'fPr', 'type') === 'noBar' ? '¦' : '/');
  writeOperand(draft, childOf(fraction, 'den'), CLOSED_IN_FRACTION);
}

function writeScripts(draft: Draft, element: XmlElement, scripts: [sign: string, name: string][]): void {
  writeOperand(draft, childOf(element, 'e'));
  for (const [sign, name] of scripts) writeScript(draft, sign, childOf(element, name));
}

/** Signs that stand raised by themselves: `90°`, `x′`. */
const RAISED = new Map([
  ['∘', '°'],
  ['°', '°'],
  ["'", '′'],
  ['′', '′'],
  ['″', '″'],
]);

/** `_(i+1)`, `^2`; nothing where the script is empty. */
function writeScript(draft: Draft, sign: string, script: XmlElement | undefined): void {
  const { pieces } = draft;
  const start = pieces.length;
  put(draft, sign);
  writeOperand(draft, script);
  const written = pieces.slice(start + 1, start + 5).filter((piece) => piece !== '');
  const [only] = written.filter((piece) => piece !== '(' && piece !== ')');
  const raised = typeof only === 'string' && pieces.length <= start + 4 ? RAISED.get(only) : undefined;
  if (written.length > 0 && (sign === '_' || raised === undefined)) return;
  pieces.length = start;
  put(draft, raised ?? '');
}

/** Scripts before their base, as of isotopes: `_6^14 C`. */
function writePrescripts(draft: Draft, element: XmlElement): void {
  for (const [sign, name] of SUB_AND_SUP) writeScript(draft, sign, childOf(element, name));
  put(draft, ' ');
  writeOperand(draft, childOf(element, 'e'));
}

/** `√x`, `√(x+1)`, `√[3](x)`. */
function writeRoot(draft: Draft, root: XmlElement): void {
  put(draft, '√');
  put(draft, '[');
  const start = draft.pieces.length;
  if (!isSwitchedOn(childOf(root, 'radPr', 'degHide'))) writeAll(draft, childOf(root, 'deg'));
  if (draft.pieces.length > start) put(draft, ']');
  else draft.pieces[start - 1] = '';
  writeOperand(draft, childOf(root, 'e'));
}

/** `∑_(i=1)^n x_i`. Without a sign it is an integral (22.1.2.70). */
function writeNary(draft: Draft, nary: XmlElement): void {
  put(draft, propertyOf(nary, 'naryPr', 'chr') ?? '∫');
  for (const [sign, name] of SUB_AND_SUP) writeScript(draft, sign, childOf(nary, name));
  put(draft, ' ');
  writeAll(draft, childOf(nary, 'e'));
}

/** The delimiters around a structure; parentheses where it names none (22.1.2.24). */
function bracketsOf(element: XmlElement): [begin: string, end: string] {
  return [propertyOf(element, 'dPr', 'begChr') ?? '(', propertyOf(element, 'dPr', 'endChr') ?? ')'];
}

function writeDelimited(draft: Draft, delimited: XmlElement): void {
  const [begin, end] = bracketsOf(delimited);
  put(draft, begin);
  const separator = propertyOf(delimited, 'dPr', 'sepChr') ?? '|';
  for (const [i, operand] of childrenOf(delimited, 'e').entries()) {
    if (i > 0) put(draft, separator);
    const matrix = childOf(operand, 'm');
    // A matrix in brackets needs none of its own.
    if (matrix && isClosed(operand, new Set(['m']))) writeRows(draft, matrix);
    else writeAll(draft, operand);
  }
  put(draft, end);
}

function writeMatrix(draft: Draft, matrix: XmlElement): void {
  put(draft, '[');
  writeRows(draft, matrix);
  put(draft, ']');
}

/** `a, b; c, d` */
function writeRows(draft: Draft, matrix: XmlElement): void {
  for (const [i, row] of childrenOf(matrix, 'mr').entries()) {
    if (i > 0) put(draft, '; ');
    for (const [j, cell] of childrenOf(row, 'e').entries()) {
      if (j > 0) put(draft, ', ');
      writeAll(draft, cell);
    }
  }
}

/** Equations below each other. */
function writeArray(draft: Draft, array: XmlElement): void {
  draft.arrays++;
  for (const [i, line] of childrenOf(array, 'e').entries()) {
    if (i > 0) put(draft, '; ');
    writeAll(draft, line);
  }
  draft.arrays--;
}

/** Accents of equations as the combining characters that they look like. */
const COMBINING = new Map([
  ['\u00af', '\u0305'],
  ['\u203e', '\u0305'],
  ['^', '\u0302'],
  ['\u02c6', '\u0302'],
  ['~', '\u0303'],
  ['\u02dc', '\u0303'],
  ['\u02d9', '\u0307'],
  ['\u00a8', '\u0308'],
  ['\u02c7', '\u030c'],
  ['\u2192', '\u20d7'],
]);

/** An accent is a combining character after its base. */
function writeAccented(draft: Draft, element: XmlElement, accent: string): void {
  writeOperand(draft, childOf(element, 'e'));
  put(draft, COMBINING.get(accent) ?? accent);
}

const ARROW = /[\u2190-\u21ff\u27f0-\u27ff=]/u;

/** Braces above or below say nothing in a line. An arrow is a sign of its own, with its condition: `→^heat`. */
function writeGrouped(draft: Draft, group: XmlElement): void {
  const sign = propertyOf(group, 'groupChrPr', 'chr') ?? '⏟';
  if (!ARROW.test(sign)) writeAll(draft, childOf(group, 'e'));
  else {
    put(draft, sign);
    writeScript(draft, propertyOf(group, 'groupChrPr', 'pos') === 'top' ? '_' : '^', childOf(group, 'e'));
  }
}

/** `sin x`, `sin(x+1)`, `log_2 x` */
function writeFunction(draft: Draft, element: XmlElement): void {
  const argument = childOf(element, 'e');
  writeAll(draft, childOf(element, 'fName'));
  put(draft, isClosed(argument, CLOSED) ? '' : ' ');
  writeAll(draft, argument);
}

/** A phantom takes room; its text is invisible where it says so. */
function writePhantom(draft: Draft, phantom: XmlElement): void {
  if (isOn(propertyOf(phantom, 'phantPr', 'show'))) writeAll(draft, childOf(phantom, 'e'));
}
