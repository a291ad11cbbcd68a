/** Lines with bars are tables, and nothing of the text is lost. */
import { expect, test } from 'vitest';
import { type Block, toBlocks } from './tables.ts';

const texts = (blocks: Block[]) =>
  blocks.map((block) =>
    'rows' in block ? block.rows.map((row) => row.map(({ text }) => text)) : block.text,
  );

test('two lines with bars are a table, between the text around it', () => {
  const text = 'Prices\n\nItem | Price\nHotel |  | x\n| 7\n\nEnd';
  const blocks = toBlocks(text);
  expect(texts(blocks)).toEqual([
    'Prices\n\n',
    [
      ['Item', 'Price'],
      ['Hotel', '', 'x'],
      ['', '7'],
    ],
    '\nEnd',
  ]);
  for (const block of blocks)
    for (const { text: part, offset } of 'rows' in block ? block.rows.flat() : [block])
      expect(text.slice(offset, offset + part.length)).toBe(part);
});

test('one line with a bar is text', () => {
  expect(texts(toBlocks('either | or\nand so on'))).toEqual(['either | or\nand so on']);
  expect(texts(toBlocks(''))).toEqual([]);
});
