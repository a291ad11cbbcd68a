/** The picture of a comparison is well-formed, and names each way and the verdict. */
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { type Answered, compareWays } from '../../evaluation/compare-ways.ts';
import { describeVerdict } from '../../evaluation/verdict.ts';
import { toSvg } from './comparison-svg.ts';

const answered: Answered[] = Array.from({ length: 24 }, (_, i) => ({
  grades: new Map([['right', 1]]),
  answers: new Map([
    ['words', { documents: i % 2 === 0 ? ['right'] : [] }],
    ['both', { documents: ['right'] }],
  ]),
}));

test('the picture of a comparison is well-formed, and names each way and the verdict', () => {
  const comparison = compareWays(answered);
  if (comparison === undefined) throw new Error('nothing was compared');
  const picture = toSvg(comparison);
  const texts: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('text', (text) => texts.push(text.trim()));
  parser.write(picture).close();
  expect(texts.filter((text) => text === 'words' || text === 'both')).toEqual(['words', 'both']);
  expect(texts).toContain('words  0.500');
  expect(texts).toContain(describeVerdict(comparison));
  expect(picture).not.toMatch(/NaN|undefined/);
});
