/** The marked tokens of texts, and what else a query looks for. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { tokenise } from '../tokens.ts';
import { otherIdeographs } from './chinese.ts';
import { isMarked } from './marks.ts';
import { createPartTest, otherNotations } from './notations.ts';

const markedTokensOf = (text: string): string[] => tokenise(text).stackedTokens.filter(isMarked);

describe('dates', () => {
  const MARCH_5 = [
    '05.03.2024',
    '5.3.2024',
    '5. 3. 2024',
    '2024-03-05',
    '2024/3/5',
    '2024.03.05',
    '2024-03-05T10:00:00Z',
    '5 March 2024',
    '5th of March, 2024',
    'March 5, 2024',
    'March 5th, 2024',
    'Mar. 5 2024',
    '05-Mar-2024',
    '05/Mar/2024:10:00:00',
    '05-Mar-24',
    '5/Mar/24',
    '5. März 2024',
    '5 mars 2024',
    '5 de marzo de 2024',
    '5 de março de 2024',
    '5 marzo 2024',
    '5 maart 2024',
    '5. marts 2024',
    '5 martie 2024',
    '5. maaliskuuta 2024',
    '2024. március 5.',
    '2024 m. kovo 5 d.',
    '2024ko martxoaren 5a',
    '5 Márta 2024',
    '5 Mart 2024',
    '5 Maret 2024',
    '5 марта 2024 г.',
    '5. март 2024.',
    '5 Μαρτίου 2024',
    '5 մարտի, 2024',
    '5 मार्च 2024',
    '5 மார்ச், 2024',
    '5 مارس 2024',
    '٥ مارس ٢٠٢٤',
    '5 במרץ 2024',
    '5 tháng 3, 2024',
    '5 มีนาคม 2567',
    '2024年3月5日',
    '２０２４年３月５日',
    '2024년 3월 5일',
    '05.03.24',
  ];
  it.each(MARCH_5)('%s', (text) => expect(markedTokensOf(text)).toEqual(['=2024-03-05', '^03-05']));

  it.each([
    ['05/03/2024', '=2024-03/05'],
    ['5-3-2024', '=2024-03/05'],
    ['3/5/24', '=2024-03/05'],
    ['05/05/2024', '=2024-05-05'],
    ['25/03/2024', '=2024-03-25'],
    ['03/25/2024', '=2024-03-25'],
  ])('slashes and hyphens are taken for what they can be: %s', (text, token) =>
    expect(markedTokensOf(text)[0]).toBe(token),
  );

  it.each([
    '1.2.24',
    '192.168.1.1',
    '2024-13-45',
    '99.99.2024',
    '5 Marching 2024',
    '5-Marching-24',
    'March 2024',
    '1.2.3.2024',
  ])('no date: %s', (text) =>
    expect(markedTokensOf(text).filter((token) => /\d-\d/.test(token))).toEqual([]),
  );

  it('has the day of any year where there is no year', () => {
    expect(markedTokensOf('the 5th of March')).toEqual(['^03-05']);
    expect(markedTokensOf('3月5日')).toEqual(['^03-05']);
  });

  it('finds the dates that an unclear one may be, and the unclear one by both', () => {
    expect(otherNotations('05/03/2024', true)).toEqual(
      expect.arrayContaining(['=2024-03/05', '=2024-03-05', '=2024-05-03']),
    );
    expect(otherNotations('=2024-03-05', true)).toContain('=2024-03/05');
    expect(otherNotations('=2024-05-03', true)).toContain('=2024-03/05');
    expect(otherNotations('=2024-03-25', true)).toEqual(['20240325', '2024-03-25']);
  });

  it('finds one without separators, and is found by it', () => {
    expect(otherNotations('20240325', true)).toContain('=2024-03-25');
    expect(otherNotations('20241325', true).filter((other) => other.includes('-'))).toEqual([]);
  });

  it('has the signs between its numbers as parts', () => {
    const isPart = createPartTest(['=2024-03-05', '2024', '年', '日', '会']);
    expect(['2024', '年', '日', '会'].map(isPart)).toEqual([true, true, true, false]);
    expect(createPartTest(['年', '2024'])('年')).toBe(false);
  });
});

describe('numbers', () => {
  const NOTATIONS = ['1234567', '1.234.567', '1,234,567', "1'234'567", '=1 234 567', '12,34,567'];
  it.each(NOTATIONS)('%s looks for all others', (token) => {
    const others = otherNotations(token, true).filter(
      (other) => other !== '=1234567' && !/[.,]00$/.test(other),
    );
    expect(others.toSorted()).toEqual(NOTATIONS.filter((other) => other !== token).toSorted());
  });

  it.each([
    ['1.8', ['1,8', '1.80', '1,80']],
    ['1,50', ['1.50', '1.5', '1,5']],
    ['45,00', ['45.00', '45']],
    ['0.125', ['0,125']],
    ['3.14159', ['3,14159']],
    ['12', ['12.00', '12,00']],
    ['1.2.3', []],
    ['007', []],
    ['10.0.0.1', []],
  ])('a fraction is no group, and a version no number: %s', (token, others) =>
    expect(otherNotations(token, true)).toEqual(others),
  );

  it.each([
    ['1 800 Plätze', '=1 800'],
    ['12 345 678,90 €', '=12 345 678.90'],
    ['1\u00a0800', '=1 800'],
    ['1\u202f800', '=1 800'],
    ['1\u2009800', '=1 800'],
  ])('groups with blanks are a number: %s', (text, token) => expect(markedTokensOf(text)).toEqual([token]));

  it.each(['12 34', '1 8000', '5 100 20', '0 800'])('other groups are none: %s', (text) =>
    expect(markedTokensOf(text)).toEqual([]),
  );
});

describe('identifiers', () => {
  it.each([
    ['978-3-16-148410-0', '=9783161484100'],
    ['3-16-148410-X', '=316148410x'],
    ['No. 1234-5679', '=12345679'],
    ['1-800-555-0134', '=18005550134'],
    ['(800) 555-0134', '=8005550134'],
    ['+49 (0)30 90 18 20', '=4930901820'],
    ['030/901820', '=030901820'],
    ['tel:+1-800-555-0134', '=18005550134'],
    ['4711-0816-A', '=47110816a'],
    ['0x80070005', '=80070005'],
    ['00:1A:2B:3C:4D:5E', '=001a2b3c4d5e'],
    ['550e8400-e29b-41d4-a716-446655440000', '=550e8400e29b41d4a716446655440000'],
    ['DE89 3704 0044 0532 0130 00', '=de89370400440532013000'],
    ['GB29 NWBK 6016 1331 9268 19', '=gb29nwbk60161331926819'],
    ['4111 1111 1111 1111', '=4111111111111111'],
  ])('%s', (text, token) => expect(markedTokensOf(text)).toEqual([token]));

  it.each(['1998-2004', '3.1415926', '1234567,89', 'e-mail', '2-3', 'https://a.example/blog/2024/on-a-page'])(
    'no identifier: %s',
    (text) => expect(markedTokensOf(text)).toEqual([]),
  );
});

describe('capitals', () => {
  it.each([
    ['The IT department', ['^IT']],
    ['The U.S. office', ['^US']],
    ['IT', ['^IT']],
    ['IT部門に連絡', ['^IT']],
    ['Комитет ОН', ['^ОН']],
    ['ASK THE IT DEPARTMENT', []],
    ['A notice:\nASK THE IT DEPARTMENT\nin the hall', []],
    ['The It girl', []],
    ['MERCOSUR and a SAP system', ['^SAP']],
  ])('%s', (text, tokens) => expect(markedTokensOf(text)).toEqual(tokens));
});

describe('Chinese', () => {
  it.each([
    ['圖書', ['图书']],
    ['图书', ['圖書']],
    ['发', ['發', '髮']],
    ['台灣', expect.arrayContaining(['台湾', '臺灣'])],
    ['人口', []],
    ['東京タ', []],
  ])('%s', (token, others) => expect(otherIdeographs(token)).toEqual(others));

  it('keeps what a query in Japanese writes', () => expect(otherNotations('図書', false)).toEqual([]));
});

it('knows the parts of a number, a date or an identifier', () => {
  const isPart = createPartTest([
    '5.3.2024',
    '5',
    '3',
    '2024',
    '1.800',
    '800',
    'FY2023Q1',
    '2023',
    '15.3',
    '15',
  ]);
  expect(['5', '2024', '800'].map(isPart)).toEqual([true, true, true]);
  expect(['5.3.2024', 'q1', '15'].map(isPart)).toEqual([false, false, false]);
});

it('takes linear time, whatever the text', async () => {
  const piece = fc.constantFrom(
    '1 ',
    '12.',
    '(0)',
    'IT ',
    'AB12 ',
    'March 5 ',
    '5 of de ',
    '1-',
    ' 800',
    '年',
    '🚀',
    '\n',
    "d'",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 4 }), async (pieces) => {
      const text = pieces.join('').repeat(20_000);
      expect(await usedMsOf(() => tokenise(text))).toBeLessThan(10_000);
    }),
    { numRuns: 10 },
  );
});
