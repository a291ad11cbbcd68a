/** Tables of questions are read as spreadsheets write them, and errors name line and column. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsv, parseCsv } from './csv.ts';
import { readQuestions, writeQuestions } from './own-questions.ts';

test('a table with several documents for a question, and with columns in another order', () => {
  const text =
    'note,Document,GRADE,question\r\n' +
    ',hours.md,,When does it open?\r\n\r\n' +
    'why,"Rules, 2nd edition",2,"Who may ""enter""?"\r\n' +
    ',menu.md,"0,5",When does it open?\r\n';
  expect(readQuestions(text)).toEqual([
    {
      question: 'When does it open?',
      documents: [
        { name: 'hours.md', grade: 1, line: 2 },
        { name: 'menu.md', grade: 0.5, line: 5 },
      ],
    },
    { question: 'Who may "enter"?', documents: [{ name: 'Rules, 2nd edition', grade: 2, line: 4 }] },
  ]);
});

test.each([
  [';', '\ufeffquestion;document\nWann?;Öffnungszeiten'],
  ['a tab', 'question\tdocument\nWann?\tO\u0308ffnungszeiten'],
])('the separator is %s, and letters are composed', (_, text) => {
  expect(readQuestions(text)).toEqual([
    { question: 'Wann?', documents: [{ name: 'Öffnungszeiten', grade: 1, line: 2 }] },
  ]);
});

test.each([
  ['', 'The file is empty. The first line must name the columns: question,document or'],
  ['a,b\nc,d', 'Line 1: The first line must name the columns'],
  ['question,document', 'There are no questions below the first line.'],
  ['question,document\n,a', 'Line 2, column question: the question is missing.'],
  ['question,document\n\na', 'Line 3, column document: the document that answers the question is missing.'],
  ['question,document,grade\na,b,good', 'Line 2, column grade: "good" is no number from 0 to 100.'],
  ['question,document,grade\na,b,101', 'Line 2, column grade: "101" is no number'],
  ['question,document,grade\na,b,1\na,b,2', 'Line 3, column grade: line 2 has another grade for the same.'],
  ['question,document,grade\na,b,0', 'Line 2, column grade: no document answers this question: all have 0.'],
  ['question,document\na,"b\nc', 'Line 2, column 2: the quote is not closed.'],
  ['question,document\n"a\nb" c,d', 'Line 2, column 1: text follows the closing quote.'],
  [`question,document\n${'a'.repeat(8_193)},b`, 'Line 2, column question: the question has 8193 characters'],
])('%j is refused: %s', (text, message) => {
  expect(() => readQuestions(text)).toThrow(message);
});

test('several errors are told at once, and not all of very many', () => {
  const lines = Array.from({ length: 12 }, () => 'a,').join('\n');
  expect(() => readQuestions(`question,document\n${lines}`)).toThrow(
    /^Line 2.*\nLine 3(.*\n){9}And 2 more\.$/,
  );
});

test('every table is read as it was written', () => {
  const cell = fc.stringMatching(/^[,;"'\n=\-+@ aé]{1,8}$/).filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const heading = ['question', 'document'];
      const unguarded = rows.map((cells) => cells.map((text) => text.replace(/^'(?=[=+\-@])/, '')));
      const [, ...read] = parseCsv(formatCsv([heading, ...unguarded]));
      expect(read.map(({ cells }) => cells)).toEqual(unguarded);
    }),
  );
});

test('a title that a spreadsheet would run as a formula is written as a text', () => {
  const document = { question: '-5 degrees?', document: 'a_b', title: '=HYPERLINK("http://x")', grade: 1 };
  const written = writeQuestions([document]);
  expect(written).toContain(`'=HYPERLINK`);
  expect(readQuestions(written)).toMatchObject([{ question: '-5 degrees?', documents: [{ name: 'a_b' }] }]);
});
