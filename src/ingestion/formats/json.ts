/** Reads JSON as readable text: the names of objects are headings, their values lines below. */
import type { ExtractedText } from '../../retrieval/extracted-text.ts';
import { scanMarkdown } from '../../retrieval/markdown.ts';
import { decodeText } from '../decode-text.ts';
import { withoutNuls } from '../text-writer.ts';
import { notebookText } from './notebook.ts';
import { extendPath, structuredTextWriter } from './structured-text.ts';

/** A value that is still to be written, with its name and the names above it. */
type Task = { value: unknown; name: string; path: readonly string[] };

/**
 * The text of a document, of one document a line, or of a notebook. What is no JSON in the end is read as the text
 * that it is. @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function extractJson(bytes: Uint8Array): ExtractedText {
  const text = decodeText(bytes);
  const documents = parse(text) ?? parseLines(text);
  if (documents === undefined) return scanMarkdown(text);
  const notebook = notebookText(documents[0]);
  return notebook === undefined ? treeText(documents) : scanMarkdown(withoutNuls(notebook));
}

function parse(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function parseLines(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const documents = lines.map((line) => parse(line)?.[0]);
  return documents.includes(undefined) ? undefined : documents;
}

/** With a stack of its own: documents may nest deeper than calls may. */
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
