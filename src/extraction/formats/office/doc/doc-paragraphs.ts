/** Divides the text of a Word document into paragraphs, and these into stretches of one format ([MS-DOC] 2.4.2). */
import { type DocFile, type Piece, readPieces, readText, type Story } from './doc-file.ts';
import { characterFormats, type FormatFinder, type Formats, paragraphFormats } from './doc-formats.ts';

/** `end`: the offset of the character that ends it, `mark`. Offsets count characters of the whole text. */
export type Paragraph = { start: number; end: number; mark: string; style: number; formats: Formats };

/** Characters with the same formats. */
export type Stretch = { start: number; text: string; formats: Formats };

export type DocText = {
  length: number;
  slice(story: Story): string;
  paragraphs(story: Story): Generator<Paragraph>;
  stretches(story: Story): Generator<Stretch>;
};

/** The end of a paragraph, of a cell or row, of a section or page. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the file has them
const MARKS = /[\r\x07\x0c]/g;

export function openText(file: DocFile): DocText {
  const pieces = readPieces(file);
  const text = readText(file, pieces);
  const [characters, paragraphs] = [characterFormats(file), paragraphFormats(file)];
  const pieceAt = pieceFinder(pieces);
  return {
    length: text.length,
    slice: ({ start, end }) => text.slice(start, end),
    *paragraphs({ start, end }) {
      for (let at = start; at < end; ) {
        MARKS.lastIndex = at;
        const found = MARKS.exec(text)?.index ?? end;
        const last = Math.min(found, end - 1);
        const { style, formats } = paragraphs.at(offsetIn(pieceAt(last), last));
        const isMarked = found === last;
        yield {
          start: at,
          end: isMarked ? last : end,
          mark: isMarked ? (text[last] ?? '') : '',
          style,
          formats,
        };
        at = last + 1;
      }
    },
    *stretches({ start, end }) {
      for (let at = start; at < end; ) {
        const piece = pieceAt(at);
        const stretch = stretchIn(piece, characters, at);
        const next = Math.min(stretch.end, end, piece.end);
        yield { start: at, text: text.slice(at, next), formats: stretch.formats };
        at = next;
      }
    },
  };
}

const offsetIn = ({ start, offset, width }: Piece, at: number): number => offset + (at - start) * width;

/** The formats at a character, and where they end: at least one character later. */
function stretchIn(piece: Piece, finder: FormatFinder, at: number): { end: number; formats: Formats } {
  const offset = offsetIn(piece, at);
  const { end, formats } = finder.at(offset);
  return { end: at + Math.max(1, Math.floor((end - offset) / piece.width)), formats };
}

/** Each piece begins where the piece before ends, so that halving the list finds the piece with a character. */
function pieceFinder(pieces: Piece[]): (at: number) => Piece {
  const nothing: Piece = { start: 0, end: Number.MAX_SAFE_INTEGER, offset: 0, width: 1 };
  return (at) => {
    let [low, high] = [0, pieces.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pieces[middle]?.end ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return pieces[low] ?? nothing;
  };
}
