/** The page of a document shows every word of its text once, in order. */
import { expect, test } from 'vitest';
import type { Passage } from '../../client/index.ts';
import { toBlocks } from './load-text.ts';

const TEXT = 'Cover\n\n😀 first passage.\n\nsecond one.\n\nImprint';

function passageOf(content: string, number: number): Passage {
  const start = Array.from(TEXT.slice(0, TEXT.indexOf(content))).length;
  const location = { passage: number, headings: [], start, end: start + Array.from(content).length };
  return { id: String(number), content, language: 'simple', location };
}

const [first, second] = [passageOf('😀 first passage.', 1), passageOf('second one.', 2)];

test('what stands before, between and after passages is shown, white space is not', () => {
  expect(toBlocks([first, second], Array.from(TEXT), 0)).toEqual([
    { between: 'Cover\n\n' },
    { passage: first },
    { passage: second },
    { between: '\n\nImprint' },
  ]);
});

test('a portion begins in the middle of the text', () => {
  const { start } = second.location;
  expect(toBlocks([second], Array.from(TEXT).slice(start), start)).toEqual([
    { passage: second },
    { between: '\n\nImprint' },
  ]);
});
