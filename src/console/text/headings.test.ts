/** A heading is not shown twice. */
import { expect, test } from 'vitest';
import { headingsAbove } from './headings.ts';

test.each([
  [['Policy', 'Hotels'], '## **Hotels**\n\nA hotel', 'Policy'],
  [['Prices'], 'Prices\n\nItem | Price', ''],
  [['Policy', 'Hotels'], 'A hotel may cost', 'Policy › Hotels'],
  [[], 'A hotel', ''],
])('%j above %j', (headings, content, shown) => expect(headingsAbove(headings, content)).toBe(shown));
