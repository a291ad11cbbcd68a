/** Files of questions are read in the encodings of spreadsheets, and the line of a wrong one is named. */
import { expect, test } from 'vitest';
import { decodeTable } from './read-table.ts';

test('UTF-8, and what Excel calls Unicode text', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('question\tÖl', 'utf16le')]);
  expect(decodeTable(utf16, 'own.csv')).toBe('question\tÖl');
  expect(decodeTable(Buffer.from('question,Öl'), 'own.csv')).toBe('question,Öl');
});

test('a file in another encoding is refused with the first line that shows it', () => {
  const latin1 = Buffer.from('question,document\nWhere?,a\nWann?,Öffnungszeiten\n', 'latin1');
  expect(() => decodeTable(latin1, 'own.csv')).toThrow(/^own\.csv, line 3: this is no UTF-8\. Save/);
});
