/** Reads JSON: the names of objects become headings, their values lines below. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../indexing/split/markdown.ts';
import { decodeText } from '../decode-text.ts';
import { requireShort } from '../extraction-error.ts';
import { extendPath, structuredTextWriter } from '../rendering/structured-text.ts';
import { withoutNuls } from '../rendering/text-writer.ts';
import { notebookText } from './notebook.ts';

/** A value to be written, with its name and the names above it. */
type Task = { value: unknown; name: string; path: readonly string[] };

/**
 * The text of a document, of one document per line, or of a notebook. Invalid JSON is taken as plain text.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function extractJson(bytes: Uint8Array): ExtractedText {
  const text = decodeText(bytes);
  const documents = parse(text) ?? parseLines(text);
  if (documents === undefined) return scanMarkdown(requireShort(text));
  const notebook = notebookText(documents[0]);
  return notebook === undefined ? treeText(documents) : scanMarkdown(requireShort(withoutNuls(notebook)));
}

function parse(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function parseLines(text: string): unknown[] | undefined {
  const documents: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const document = parse(line);
    if (document === undefined) return undefined; // at once: an error for each of a million lines takes ten seconds
    documents.push(...document);
  }
  return documents;
}

/** Uses its own stack, since documents may nest deeper than the call stack allows. */
function treeText(documents: unknown[]): ExtractedText {
  const writer = structuredTextWriter();
  const tasks = documents.map((value): Task => ({ value, name: '', path: [] })).reverse();
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { value, name, path } = task;
    if (Array.isArray(value) && !value.some(isTree))
      writer.value(path, name, value.filter(isShown).join(', '));
    else if (isTree(value)) {
      writer.separate();
      const below = extendPath(path, name);
      const members: [string, unknown][] = Array.isArray(value)
        ? value.map((one) => ['', one])
        : Object.entries(value);
      for (const [own, one] of members.reverse()) tasks.push({ value: one, name: own, path: below });
    } else if (isShown(value)) writer.value(path, name, String(value));
  }
  return writer.finish();
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isShown = (value: unknown): boolean => value !== null && value !== undefined;
