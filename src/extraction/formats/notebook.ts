/** Reads Jupyter notebooks (nbformat 4): Markdown and code unchanged, and outputs where they are text. */

type Cell = { cell_type?: unknown; source?: unknown; outputs?: unknown };

/** The notebook as Markdown; undefined where the document is not a notebook. */
export function notebookText(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null || !('nbformat' in document)) return undefined;
  if (!('cells' in document) || !Array.isArray(document.cells)) return undefined;
  return document.cells.map((cell: Cell) => cellText(cell ?? {})).join('\n\n');
}

function cellText({ cell_type: type, source, outputs }: Cell): string {
  const text = joined(source);
  if (type !== 'code') return text;
  const printed = Array.isArray(outputs) ? outputs.map((output) => joined(output?.text)).filter(Boolean) : [];
  return [text, ...printed].map(fenced).join('\n\n');
}

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
