/** Reads the words that Tesseract has recognised, and leaves out what it took for words: spots, lines, photographs. */

/** `confidence`: from 0 to 1. `beginsParagraph`: no line of the same paragraph is before it. */
export type RecognisedLine = { text: string; confidence: number; beginsParagraph: boolean };

/**
 * `confidence`: the mean over the letters of the lines; 0 without any. `doubtful`: letters of lines that were left out.
 */
export type RecognisedPage = { lines: RecognisedLine[]; confidence: number; doubtful: number };

/** Lines of photographs have 10 to 40 percent, lines of pages that are hard to read 60 and more. */
const LINE_MIN_CONFIDENCE = 0.5;

/** The columns of a row, and the level of words among rows (tesseract(1), `tsv`). */
const [BLOCK, PARAGRAPH, LINE, CONFIDENCE, TEXT] = [2, 3, 4, 10, 11];
const WORD_LEVEL = '5';

/** Scripts without spaces between words. Tesseract finds words in them all the same. */
const LETTERS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const UNSPACED = `[${LETTERS}、。，「」（）：；？！]`;
const BETWEEN_UNSPACED = new RegExp(`(?<=${UNSPACED}) (?=${UNSPACED})`, 'gu');

type Word = { text: string; confidence: number };

/** `words`: tab-separated values with a row for each word. */
export function recognisedPage(words: string): RecognisedPage {
  const lines = new Map<string, Word[]>();
  for (const row of words.split('\n')) {
    const fields = row.split('\t');
    const text = (fields[TEXT] ?? '').trim();
    if (fields[0] !== WORD_LEVEL || text === '') continue;
    const key = [BLOCK, PARAGRAPH, LINE].map((column) => fields[column]).join(' ');
    const line = lines.get(key) ?? [];
    lines.set(key, line);
    line.push({ text, confidence: Math.max(0, Number(fields[CONFIDENCE])) / 100 });
  }
  const kept: RecognisedLine[] = [];
  let doubtful = 0;
  let paragraph = '';
  for (const [key, line] of lines) {
    const text = line
      .map((word) => word.text)
      .join(' ')
      .replace(BETWEEN_UNSPACED, '');
    const confidence = meanConfidence(line);
    if (confidence < LINE_MIN_CONFIDENCE || !/[\p{L}\p{N}]/u.test(text)) {
      doubtful += text.length;
      continue;
    }
    const own = key.slice(0, key.lastIndexOf(' '));
    kept.push({ text, confidence, beginsParagraph: own !== paragraph });
    paragraph = own;
  }
  return { lines: kept, confidence: meanConfidence(kept), doubtful };
}

/** Each letter counts the same. */
function meanConfidence(parts: Word[]): number {
  const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
  return (
    parts.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / Math.max(1, letters)
  );
}
