/** A text with its marks. */
import { type Marks, toPieces } from './pieces.ts';

/** `offset`: where the text begins in the text that the marks count in. */
export const MarkedText = ({ text, marks, offset = 0 }: { text: string; marks: Marks; offset?: number }) => (
  <>
    {toPieces(text, marks, offset).map(({ text: piece, isMarked }) =>
      isMarked ? <mark>{piece}</mark> : piece,
    )}
  </>
);
