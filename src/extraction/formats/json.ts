/** Reads JSON and JSON by lines: the names of objects become headings, their values lines below. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../indexing/split/markdown.ts';
import { decodeText } from '../decode-text.ts';
import type { ExtractedFile } from '../extracted-file.ts';
import { requireShort } from '../extraction-error.ts';
import { extendPath, structuredTextWriter } from '../rendering/structured-text.ts';
import { withoutNuls } from '../rendering/text-writer.ts';
import { notebookText } from './notebook.ts';
import { withoutEmbedded } from './plain.ts';
import { cutOff } from './web/cut-off.ts';

/**
 * A value to be written, with its name and the names above it. `isInRecord`: it is one of a list of records that have
 * no name, or in one.
 */
type Task = { value: unknown; name: string; path: readonly string[]; isInRecord: boolean };

/**
 * The text of a document, of one document per line, or of a notebook. Invalid JSON is taken as plain text; one that
 * ends inside a value has a warning.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function extractJson(bytes: Uint8Array): ExtractedFile {
  const text = decodeText(bytes);
  const whole = parse(text);
  const documents = whole ?? parseLines(text);
  const warnings = whole === undefined && endsInside(text) ? cutOff('a value of its JSON has no end') : [];
  if (documents === undefined) return { extracted: scanMarkdown(requireShort(text)), warnings };
  const notebook = notebookText(documents[0]);
  const extracted =
    notebook === undefined
      ? treeText(documents)
      : scanMarkdown(requireShort(withoutEmbedded(withoutNuls(notebook))));
  return { extracted, warnings };
}

/** What begins and ends strings, objects and lists; an escaped character does not. */
const SIGN = /\\.|["[\]{}]/gs;

/** Whether a text that begins as JSON ends inside a string, an object or a list. */
function endsInside(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  let depth = 0;
  let isInString = false;
  for (const [sign] of text.matchAll(SIGN)) {
    if (sign === '"') isInString = !isInString;
    else if (isInString || sign.startsWith('\\')) continue;
    else depth += sign === '{' || sign === '[' ? 1 : -1;
  }
  return isInString || depth > 0;
}

function parse(text: string): unknown[] | undefined {
  try {
    return [LONG_NUMBER.test(text) ? parseInFull(text) : JSON.parse(text)];
  } catch {
    return undefined;
  }
}

/** A number that JavaScript may round: an order number of 20 digits. */
const LONG_NUMBER = /[[:,\s]-?\d[\d.]{15}/;
const LONG_NUMBER_MIN_LENGTH = 16;

/** Keeps such numbers as they are written. Where the tree is too deep for that, they are rounded. */
function parseInFull(text: string): unknown {
  try {
    return JSON.parse(text, keepLongNumber);
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** Node 22 calls a reviver with the text of the value, which TypeScript 6 does not know. */
function keepLongNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = typeof value === 'number' ? context?.source : undefined;
  return source !== undefined && source.length >= LONG_NUMBER_MIN_LENGTH ? source : value;
}

/** Lines that are no JSON are kept as text up to this number. More take long, and the file is plain text. */
const BROKEN_LINES_MAX = 100;

/** The document of each line; undefined where too many lines hold none, or as many as those that do. */
function parseLines(text: string): unknown[] | undefined {
  const documents: unknown[] = [];
  let broken = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const document = parse(line);
    documents.push(...(document ?? [line]));
    if (document === undefined) broken++;
    if (broken > BROKEN_LINES_MAX) return undefined;
  }
  return broken < documents.length - broken ? documents : undefined;
}

/** Uses its own stack, since documents may nest deeper than the call stack allows. */
function treeText(documents: unknown[]): ExtractedText {
  const writer = structuredTextWriter();
  const isList = documents.length > 1;
  const tasks = documents.map((value): Task => ({ value, name: '', path: [], isInRecord: isList })).reverse();
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { value, name, path, isInRecord } = task;
    const isValues = Array.isArray(value) && !value.some(isTree);
    if (isInRecord ? name === '' : isTree(value) && !isValues) writer.separate();
    if (isValues) writer.value(path, name, value.filter(isShown).join(', '));
    else if (isTree(value)) for (const member of membersOf(task).reverse()) tasks.push(member);
    else if (isShown(value)) writer.value(path, name, String(value));
  }
  return writer.finish();
}

/**
 * Members of a record have their whole name, `address.city`. A heading for `address` would stand above the records that
 * follow, too, since these have no name.
 */
function membersOf({ value, name, path, isInRecord }: Task): Task[] {
  const members: [string, unknown][] = Array.isArray(value)
    ? value.map((one) => ['', one])
    : Object.entries(value as object); // treeText has looked
  if (isInRecord)
    return members.map(([own, one]) => ({ value: one, name: nested(name, own), path, isInRecord }));
  const isList = Array.isArray(value) && path.length === 0 && name === '';
  const below = extendPath(path, name);
  return members.map(([own, one]) => ({ value: one, name: own, path: below, isInRecord: isList }));
}

/** A longer name is cut to its last part, so that the text stays linear. */
const NAME_MAX_LENGTH = 100;

function nested(name: string, own: string): string {
  const whole = name !== '' && own !== '' ? `${name}.${own}` : name || own;
  return whole.length > NAME_MAX_LENGTH ? own : whole;
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isShown = (value: unknown): boolean => value !== null && value !== undefined;
