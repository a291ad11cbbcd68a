/** Decodes the result of an analysis into rows, by PostgreSQL's binary formats. */
import type { AnalysedTexts, PassageBatch } from '../analyse-document.ts';
import type { PassageColumns } from '../passage-columns.ts';

type Row = Record<Exclude<keyof PassageColumns, 'length' | 'position' | 'text'>, string | null> & {
  position: number;
  length: number;
};

/** The elements of an array of one dimension; null where the length is -1. */
function readArray(array: Uint8Array): (Buffer | null)[] {
  const bytes = Buffer.from(array);
  const count = bytes.readInt32BE(12);
  const elements: (Buffer | null)[] = [];
  let at = 20;
  for (let i = 0; i < count; i++) {
    const length = bytes.readInt32BE(at);
    at += 4;
    elements.push(length < 0 ? null : bytes.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the last element`);
  return elements;
}

const readInteger = (bytes: Buffer | null): number | null => bytes?.readInt32BE() ?? null;

/** Bits as digits, the first one first. */
function readBits(bytes: Buffer | null): string | null {
  if (bytes === null) return null;
  const digits = [...bytes.subarray(4)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return digits.slice(0, bytes.readInt32BE());
}

/** A tsvector as text, without quotes. The lexemes keep the order in which they were written. */
export function readTsvector(bytes: Buffer): string {
  const lexemes: string[] = [];
  let at = 4;
  for (let i = 0; i < bytes.readInt32BE(); i++) {
    const end = bytes.indexOf(0, at);
    const count = bytes.readUInt16BE(end + 1);
    const positions = Array.from({ length: count }, (_, k) => bytes.readUInt16BE(end + 3 + 2 * k));
    const shown = positions.map((position) => `${position & 0x3fff}${['', 'C', 'B', 'A'][position >> 14]}`);
    lexemes.push(`${bytes.toString('utf8', at, end)}:${shown.join()}`);
    at = end + 3 + 2 * count;
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the last lexeme`);
  return lexemes.join(' ');
}

/** The rows of passages; `lexemes` in the form of `readTsvector`. */
function readColumns(columns: PassageColumns): Row[] {
  const text = (name: keyof PassageColumns) =>
    readArray(columns[name]).map((bytes) => bytes?.toString() ?? null);
  const integers = (name: keyof PassageColumns) => readArray(columns[name]).map(readInteger);
  const [content, headings, language] = [text('content'), text('headings'), text('language')];
  const later = text('later_starts');
  const [starts, ends, pages] = [integers('start_offset'), integers('end_offset'), integers('page')];
  const [positions, lengths, times] = [integers('position'), integers('length'), integers('time_ms')];
  const vector = readArray(columns.vector);
  return readArray(columns.lexemes).map((lexemes, i) => ({
    position: positions[i] ?? 0,
    content: content[i] ?? null,
    start_offset: String(starts[i]),
    end_offset: String(ends[i]),
    page: pages[i] === null ? null : String(pages[i]),
    time_ms: times[i] === null ? null : String(times[i]),
    later_starts: later[i] ?? null,
    headings: headings[i] ?? null,
    language: language[i] ?? null,
    length: lengths[i] ?? 0,
    lexemes: lexemes && readTsvector(lexemes),
    vector: readBits(vector[i] ?? null),
  }));
}

/** The objects of binary arrays of jsonb, from lexeme to passage count. */
export const readObjects = (arrays: Uint8Array[]): Record<string, number>[] =>
  arrays.flatMap(readArray).map((bytes) => {
    if (bytes?.[0] !== 1) throw new Error('not jsonb of version 1');
    return JSON.parse(bytes.subarray(1).toString());
  });

/** All these objects as one map. */
export const readDocumentFrequencies = (arrays: Uint8Array[]): Map<string, number> =>
  new Map(readObjects(arrays).flatMap((object) => Object.entries(object)));

/** A whole analysis: its passages, the document frequencies of its lexemes, and its totals. */
export async function readAnalysis(batches: AsyncIterable<PassageBatch>) {
  const passages: Row[] = [];
  const documentFrequencies = new Map<string, number>();
  let totals: PassageBatch['totals'];
  for await (const batch of batches) {
    passages.push(...readColumns(batch.columns));
    totals ??= batch.totals;
    for (const [lexeme, count] of readDocumentFrequencies(batch.documentFrequencies ?? [])) {
      documentFrequencies.set(lexeme, (documentFrequencies.get(lexeme) ?? 0) + count);
    }
  }
  return { passages, documentFrequencies, totals };
}

/** The analysis of several texts: the passages of each, the document frequencies of all, and their totals. */
export function readTextsAnalysis({ columns, passageCounts, documentFrequencies, totals }: AnalysedTexts) {
  const rows = readColumns(columns);
  const texts = readArray(columns.text).map(readInteger);
  return {
    passages: passageCounts.map((_, i) => rows.filter((_row, k) => texts[k] === i + 1)),
    passageCounts,
    documentFrequencies: readDocumentFrequencies(documentFrequencies),
    totals,
  };
}
