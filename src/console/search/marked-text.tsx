/** A text with some of its ranges marked. */
import { type Range, toPieces } from './pieces.ts';

export const MarkedText = ({ text, ranges }: { text: string; ranges: Range[] }) => (
  <>{toPieces(text, ranges).map(({ text: piece, isMarked }) => (isMarked ? <mark>{piece}</mark> : piece))}</>
);
