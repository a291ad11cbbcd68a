/** The examples of docs/filters.md are what the parser does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseFilterText } from './filter-text.ts';

const page = readFileSync(new URL('../../docs/filters.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, text = '', result = '']) => ({
  text,
  result,
}));
const translated = rows.filter(({ result }) => result.startsWith('`'));
const refused = rows.filter(({ result }) => result.startsWith('at character'));

test('has examples', () => expect([translated.length, refused.length]).toEqual([17, 5]));

test.each(translated)('$text', ({ text, result }) =>
  expect(parseFilterText(text)).toEqual(JSON.parse(result.slice(1, -1))),
);

test.each(refused)('$text is refused', ({ text, result }) =>
  expect(() => parseFilterText(text)).toThrow(result),
);
