/** Reads Jupyter notebooks (nbformat 3 and 4): Markdown and code unchanged, and outputs where they are text. */
import { isBlank } from '../../indexing/split/extracted-text.ts';
import { extractHtml } from './html.ts';

type Cell = { cell_type?: unknown; source?: unknown; input?: unknown; level?: unknown; outputs?: unknown };
/** Printed text, a value in several media types, or an error. Version 3 has the types beside each other. */
type Output = { text?: unknown; data?: unknown; ename?: unknown; evalue?: unknown; html?: unknown };

/** The notebook as Markdown; undefined where the document is not a notebook. */
export function notebookText(document: unknown): string | undefined {
  if (!isObject(document) || !('nbformat' in document)) return undefined;
  const sheets = Array.isArray(document.worksheets) ? document.worksheets : [document];
  const cells = sheets.flatMap((sheet) => (isObject(sheet) && Array.isArray(sheet.cells) ? sheet.cells : []));
  if (cells.length === 0 && !Array.isArray(document.cells)) return undefined;
  return cells.map((cell: Cell) => cellText(cell ?? {})).join('\n\n');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function cellText({ cell_type: type, source, input, level, outputs }: Cell): string {
  const text = joined(source ?? input);
  if (type === 'heading') return `${'#'.repeat(Math.min(Math.abs(Number(level)) || 1, 6))} ${text}`;
  if (type !== 'code') return text;
  const printed = Array.isArray(outputs)
    ? outputs.map((output) => outputText(output ?? {})).filter(Boolean)
    : [];
  return [text, ...printed].map(fenced).join('\n\n');
}

/** What a notebook shows in place of a value without a text: `<Figure size 640x480 with 1 Axes>`. */
const OBJECT_NAME = /^<[^<>]*>$/;

function outputText({ text, data, ename, evalue, html }: Output): string {
  if (typeof ename === 'string') return `${ename}: ${joined(evalue)}`;
  const media = isObject(data) ? data : { 'text/plain': text, 'text/html': html };
  const plain = joined(media['text/markdown'] ?? media['text/plain'] ?? text)
    .replace(COLOURS, '')
    .replace(OVERWRITTEN, '');
  if (!isBlank(plain) && !OBJECT_NAME.test(plain.trim())) return plain;
  return extractHtml(joined(media['text/html'])).text;
}

/** Control sequences of terminals (ECMA-48, 5.4). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g;

/** What a carriage return lets the rest of its line replace: the progress of a program. */
const OVERWRITTEN = /^[^\r\n]*\r(?!\n|$)/gm;

/** The format stores a text as a string or as a list of its lines. */
function joined(text: unknown): string {
  const pieces = Array.isArray(text) ? text : [text];
  return pieces.filter((piece) => typeof piece === 'string').join('');
}

/** The fence is longer than any fence inside the code. */
const fenced = (code: string): string => {
  const fence = '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}\n${code}\n${fence}`;
};
