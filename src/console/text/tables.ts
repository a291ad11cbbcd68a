/** Tables in the text of files that are no Markdown: their cells stand on a line, with bars between them. */

/** `offset`: where the text begins in the whole one. */
export type Part = { text: string; offset: number };
/** `rows`: the first one has the names of the columns. */
export type Block = Part | { rows: Part[][] };

const SEPARATOR = ' | ';
const FIRST_SEPARATOR = '| ';

/** 'a | b' → 'a', 'b'; '| b' → '', 'b'. */
function toCells({ text, offset }: Part): Part[] {
  const cells: Part[] = [];
  let start = 0;
  if (text.startsWith(FIRST_SEPARATOR)) {
    cells.push({ text: '', offset });
    start = FIRST_SEPARATOR.length;
  }
  for (let end = text.indexOf(SEPARATOR, start); end >= 0; end = text.indexOf(SEPARATOR, start)) {
    cells.push({ text: text.slice(start, end), offset: offset + start });
    start = end + SEPARATOR.length;
  }
  cells.push({ text: text.slice(start), offset: offset + start });
  return cells;
}

function* linesOf(text: string): Generator<Part> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { text: text.slice(start, end), offset: start };
    start = end + 1;
  }
}

/** Divides a text into tables, which have two rows at least, and what stands between them. */
export function toBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let rows: Part[][] = [];
  let textStart = 0;
  const end = (position: number) => {
    const [first] = rows;
    const tableStart = first?.[0]?.offset ?? position;
    if (rows.length > 1) {
      if (tableStart > textStart) blocks.push({ text: text.slice(textStart, tableStart), offset: textStart });
      blocks.push({ rows });
      textStart = position;
    }
    rows = [];
  };
  for (const line of linesOf(text)) {
    const cells = toCells(line);
    if (cells.length > 1) rows.push(cells);
    else end(line.offset);
  }
  end(text.length);
  if (textStart < text.length) blocks.push({ text: text.slice(textStart), offset: textStart });
  return blocks;
}
