/**
 * A query finds numbers, dates, identifiers, Chinese, abbreviations and emoji in all their notations, its own first.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { mergeFrequencyDeltas } from '../indexing/postings/document-frequencies.ts';
import { importText } from './testing/imported-texts.ts';
import { titled, useSearch } from './testing/searched-texts.ts';

const suite = useSearch();
const { orderOf, openSearch } = suite;

/** Texts that have nothing to do with any query here. */
const OTHERS = {
  other1: 'The stairs were painted by a firm of the neighbourhood.',
  other2: 'Der Garten ist im Sommer auch am Abend offen.',
  other3: 'Les clés sont chez le gardien, qui habite en face.',
};

const cases: [reason: string, query: string, found: string, elsewhere: string][] = [
  // Numbers: grouped by points, commas, blanks, apostrophes, as in India; fractions.
  ['a number by a point', '1800', 'Der Saal fasst 1.800 Personen.', 'Room 1 has 800 seats.'],
  ['a number by a blank', '2300', 'Le théâtre accueille 2 300 personnes.', 'Room 2 has 300 seats.'],
  ['a number by an apostrophe', '12500', "Das Stadion fasst 12'500 Zuschauer.", 'Hall 12, 500 seats.'],
  ['a number by a comma', '1500', 'The hall seats 1,500 people.', 'Room 1, row 500.'],
  ['a typographic apostrophe', '12500', 'Der Preis ist CHF 12’500.–', 'Hall 12, 500 seats.'],
  ['a narrow no-break space', '2300', 'Le théâtre accueille 2\u202f300 personnes.', 'Room 2 has 300 seats.'],
  ['a point for a comma', '1.800', 'The hall seats 1,800 people.', 'Row 1, and 800 chairs.'],
  ['a blank for a point', '1.800', 'La salle a 1 800 places.', 'Row 1, then chairs: 800.'],
  ['a point for a blank', '1 800', 'Der Saal fasst 1.800 Personen.', 'Das Auto hat 800 kg.'],
  ['an apostrophe for a comma', "1'250'000", 'The budget is 1,250,000 dollars.', 'Row 1, 250 chairs.'],
  ['millions without separators', '1250000', 'Das Budget ist 1.250.000 Euro.', 'Row 1, 250 chairs.'],
  ['Indian groups', '100000', 'The fee is ₹1,00,000 a year.', 'Row 1, chair 00, 000.'],
  [
    'Indian and western groups',
    '12,34,567',
    'The loan is 1,234,567 rupees.',
    'Row 34, 567 chairs in hall 12.',
  ],
  ['a fraction by a comma', '3.75', 'Der Zins ist 3,75 Prozent.', 'Row 3, chair 75.'],
  ['a grouped fraction', '1,800.50', 'Der Preis ist 1.800,50 Euro.', 'Row 1,50.'],
  ['Arabic digits', '1800', 'تتسع القاعة لـ ١٬٨٠٠ شخص', 'Room 1 has 800 seats.'],
  // Compounds written in one word.
  [
    'a word without its hyphen',
    'treatment of pre-eclampsia',
    'The treatment that doctors have for preeclampsia is here.',
    'The treatment that doctors have for eclampsia is here.',
  ],
  // Identifiers with and without separators.
  ['an ISBN', '9783161484100', 'ISBN 978-3-16-148410-0 is the handbook.', 'Shelf 978, row 3.'],
  ['an ISBN with other hyphens', '978-3161484100', 'ISBN 978-3-16-148410-0 is it.', 'Shelf 978, 3161484.'],
  ['an ISBN with blanks', '9783161484100', 'ISBN 978 3 16 148410 0 is it.', 'Shelf 978, row 3.'],
  ['a phone number', '18005550134', 'Call toll-free 1-800-555-0134 at night.', 'Room 555.'],
  ['a phone number with brackets', '8005550134', 'Call (800) 555-0134 at night.', 'Room 800.'],
  ['a phone number with blanks', '1-800-555-0134', 'Call 1 800 555 0134 at night.', 'Room 800, chair 555.'],
  ['a phone number with dots', '+18005550134', 'Call 1.800.555.0134 at night.', 'Room 800.'],
  ['a German phone number', '030901820', 'Zentrale: 030/901820', 'Raum 030.'],
  ['a phone number from abroad', '+4930901820', 'Zentrale: +49 (0)30 90 18 20', 'Raum 49.'],
  ['a part number', '47110816A', 'Article 4711-0816-A is a stainless bolt.', 'Article 4711 is a nut.'],
  ['a part number with a point', '4711.0816', 'Article 4711-0816 is a bolt.', 'Article 4711 is a nut.'],
  ['an error code', '80070005', 'Windows shows 0x80070005 without rights.', 'Error 80.'],
  ['an error code with its prefix', '0x80070005', 'Windows shows error 80070005.', 'Error 0.'],
  ['a MAC', '001A2B3C4D5E', 'The printer is 00:1A:2B:3C:4D:5E.', 'Row 00.'],
  ['a MAC with hyphens', '00-1a-2b-3c-4d-5e', 'The printer is 00:1A:2B:3C:4D:5E.', 'Row 1A, chair 2B.'],
  ['a MAC with points', '001a.2b3c.4d5e', 'The printer is 00:1A:2B:3C:4D:5E.', 'Row 001a.'],
  ['a UUID', '550e8400e29b41d4a716446655440000', 'Id 550e8400-e29b-41d4-a716-446655440000', 'Row 550.'],
  ['an IBAN', 'DE89370400440532013000', 'IBAN DE89 3704 0044 0532 0130 00', 'Zone DE 89.'],
  ['an IBAN with blanks', 'DE89 3704 0044 0532 0130 00', 'IBAN: DE89370400440532013000', 'Zone DE 89, 3704.'],
  ['a British IBAN', 'GB29NWBK60161331926819', 'IBAN GB29 NWBK 6016 1331 9268 19', 'Zone GB 29.'],
  // Dates.
  [
    'a date without zeros',
    '5.3.2024',
    'The alarm was inspected on 05.03.2024.',
    '5 alarms, 3 roofs in 2024.',
  ],
  ['an ISO date', '2024-03-03', 'The boiler was inspected on 3 March 2024.', 'In 2024, 03 boilers.'],
  [
    'an ordinal',
    'March 7 2024',
    'Inspected on March 7th, 2024.',
    'The boiler was inspected on 3 March 2024.',
  ],
  ['a German date', '5. März 2024', 'Inspected on March 5th, 2024.', 'Am 7. März 2024 war er da.'],
  ['a date in words', 'March 5, 2024', 'Geprüft am 05.03.2024.', 'Inspected on May 3, 2024.'],
  ['a Chinese date', '2024-03-05', '会议于2024年3月5日举行。', '2024年有3个会议，5个人。'],
  ['a date by Chinese units', '2024年3月5日', 'Geprüft am 5. März 2024.', '会议于2024年8月11日举行。'],
  ['a date in a file name', '5 March 2024', 'See scan_20240305 of it.', 'Row 03: 05 chairs, for 2024.'],
  ['a date with a name and a short year', '5.3.2024', 'Invoice of 05-Mar-24', '5 chairs, 3 roofs, 2024.'],
  ['a Korean date', '2024.3.5', '회의는 2024년 3월 5일에 있다.', '2024년 회의 3, 5.'],
  ['a French date', '2024-03-01', 'Inspecté le 1er mars 2024.', 'En 2024, 03 et 01.'],
  ['a Spanish date', '05/03/2024', 'Revisado el 5 de marzo de 2024.', 'Revisado el 5 de abril de 2024.'],
  ['a Catalan date', '5.4.2024', "Revisat el 5 d'abril de 2024.", 'Fila 5, 4, any 2024.'],
  ['a Hungarian date', '5 March 2024', 'Ellenőrizve 2024. március 5.', 'Ellenőrizve 2024. május 5.'],
  ['a Lithuanian date', '2024-03-05', 'Patikrinta 2024 m. kovo 5 d.', 'Row 03: 05 chairs, for 2024.'],
  ['a Russian date', '5.3.2024', 'Проверено 5 марта 2024 г.', 'Проверено 5 мая 2024 г.'],
  ['a Finnish date', '5.3.2024', 'Tarkastettu 5. maaliskuuta 2024.', 'Tarkastettu 5. toukokuuta 2024.'],
  ['an Arabic date', '2024-03-05', 'تم الفحص في ٥ مارس ٢٠٢٤', 'Row 03: 05 chairs, for 2024.'],
  ['a Thai date', '5 March 2024', 'ตรวจสอบเมื่อวันที่ 5 มีนาคม 2567', 'Row 5 in 2024.'],
  ['a date of a log', '2024-03-05', '127.0.0.1 - [05/Mar/2024:10:00:00] GET', 'Row 03: 05 chairs, for 2024.'],
  ['a date with a short year', '5.3.2024', 'Geprüft am 05.03.24.', '5 Alarme, 3 Dächer, 2024.'],
  ['a day without a year', 'March 7th', 'The office is closed on 7 March.', 'The office opens on 3 March.'],
  [
    'a month first where no day fits',
    '2024-03-25',
    'Inspected on 03/25/2024.',
    'Row 03: 25 chairs, for 2024.',
  ],
  // Chinese, abbreviations, emoji.
  ['traditional for simplified', '圖書館', '图书馆在三楼，员工凭证件进入。', '食堂在二楼。'],
  ['simplified for traditional', '图书馆', '圖書館在三樓，員工憑證件進入。', '食堂在二樓。'],
  ['one of two traditional forms', '头发', '頭髮長了要剪。', '出發的時間是三點。'],
  ['traditional forms of two regions', '臺灣', '台灣的夏天很熱。', '日本的夏天很熱。'],
  ['simplified for a traditional phrase', '后来', '後來他走了。', '皇后走了。'],
  ['an emoji', '🚀', 'Status: 🚀 launch is on Friday.', 'Status: 🎉 party is on Friday.'],
  ['an emoji with a colour of skin', '👍', 'Well done 👍🏽 to all of you', 'Well done to all of you'],
  ['an emoji with its variation selector', '❤️', 'We ❤ our customers', 'We like our customers'],
  ['a flag', '🇩🇪', 'Team 🇩🇪 plays on Monday', 'Team 🇫🇷 plays on Monday'],
];

describe('another notation is found', () => {
  it.each(cases)('%s: %s', async (_reason, query, found, elsewhere) => {
    const order = await orderOf({ ...OTHERS, found, elsewhere }, query);
    expect(order[0]).toBe('found');
  });
});

const exactFirst: [reason: string, query: string, exact: string, others: string[]][] = [
  ['numbers', '1800', 'seats 1800', ['seats 1.800', 'seats 1,800', 'seats 1 800', "seats 1'800"]],
  ['numbers with a point', '1.800', 'seats 1.800', ['seats 1800', 'seats 1,800', 'seats 1 800']],
  ['numbers with a comma', '1,800', 'seats 1,800', ['seats 1800', 'seats 1.800', 'seats 1 800']],
  ['numbers with a blank', '1 800', 'seats 1 800', ['seats 1800', 'seats 1.800', "seats 1'800"]],
  ['fractions', '3,75', 'rate 3,75', ['rate 3.75']],
  ['identifiers', '978-3-16-148410-0', 'is 978-3-16-148410-0', ['is 9783161484100', 'is 978-3161484100']],
  ['plain identifiers', '9783161484100', 'is 9783161484100', ['is 978-3-16-148410-0', 'is 978-3161484100']],
  ['dates', '5.3.2024', 'on 5.3.2024', ['on 05.03.2024', 'on 2024-03-05', 'on 5 March 2024']],
  [
    'dates in words',
    '5 March 2024',
    'on 5 March 2024',
    ['on March 5th, 2024', 'on 5. März 2024', 'on 5.3.2024'],
  ],
  ['Chinese', '圖書館', '圖書館在三樓', ['图书馆在三楼']],
  ['simplified Chinese', '图书馆', '图书馆在三楼', ['圖書館在三樓']],
  ['ordinals', 'March 7', 'on March 7', ['on March 7th']],
];

it.each(exactFirst)(
  'the exact notation is first, the others are found: %s',
  async (_reason, query, exact, others) => {
    const texts = Object.fromEntries(others.map((text, i) => [`other ${i}`, text]));
    for (const order of [
      await orderOf({ exact, ...texts, ...OTHERS }, query),
      await orderOf({ ...texts, ...OTHERS, exact }, query),
    ]) {
      expect(order[0]).toBe('exact');
      expect(order).toHaveLength(1 + others.length);
    }
  },
);

it.each([
  ['1.800', 'The rate is 1.8 percent.'],
  ['1.8', 'Der Saal fasst 1.800 Personen.'],
  ['1800', 'The rate is 18.00 percent.'],
  ['314', 'The number is 3.14.'],
  ['2024-03-05', 'Inspected on 3 May 2024.'],
  ['5 March 2024', 'Inspected on May 3, 2024.'],
  ['5 March 2024', 'Geprüft am 3.5.2024.'],
])('another number or date counts for nothing but its words: %s', async (query, content) => {
  const { resultsFor, owned } = await openSearch();
  await importText(suite.database, owned, { title: 'other', content });
  await mergeFrequencyDeltas(suite.database);
  const [found] = await resultsFor(query, { details: { explain: true } });
  const terms = found?.explanation?.terms.map(({ term }) => term) ?? [];
  expect(terms.filter((term) => /^\d.*[-.,]/.test(term))).toEqual([]);
});

it('a date that says which number is the month comes before one that does not', async () => {
  const texts = { unclear: 'on 05/03/2024', other: 'on May 3, 2024', clear: 'on 5 March 2024' };
  expect(await orderOf(texts, '2024-03-05')).toEqual(['clear', 'unclear', 'other']);
  expect((await orderOf(texts, '2024-05-03')).slice(0, 2)).toEqual(['other', 'unclear']);
});

describe('capitals', () => {
  const DEPARTMENT = 'The IT department sits on floor four and repairs laptops.';
  const PRONOUN = 'It is open when it is light, and it closes when it is dark; it costs nothing.';
  it.each([
    ['IT', DEPARTMENT, PRONOUN],
    ['US', 'The US office opens at nine.', 'Tell us if it costs us more than us two.'],
    ['OR', 'Surgery: the OR opens at seven.', 'Red or blue or green or black or white.'],
    ['AM', 'The AM shift begins early.', 'I am who I am, and I am glad that I am.'],
    ['NO', 'The NO contact opens when there is current.', 'No dogs, no cats, no birds, no noise.'],
    ['WHO', 'The WHO issued new guidelines.', 'Who knows who did it, and who paid whom?'],
    [
      'AIDS',
      'The AIDS clinic is on floor two.',
      'Hearing aids and other aids; aids for walking, visual aids.',
    ],
    ['SAP', 'The SAP system is down.', 'Birch sap, maple sap and pine sap; sap rises in spring.'],
    ['DAS', 'Der DAS Speicher ist voll.', 'Das ist das Haus, das das Amt gebaut hat.'],
    ['ОН', 'Совет ОН собрался вчера.', 'Он пришёл, он увидел, он победил.'],
    ['U.S.', 'The US office opens at nine.', 'Tell us if it costs us more than us two.'],
  ])('an abbreviation comes before the word: %s', async (query, abbreviation, word) => {
    for (const texts of [
      { abbreviation, word, ...OTHERS },
      { ...OTHERS, word, abbreviation },
    ])
      expect((await orderOf(texts, query))[0]).toBe('abbreviation');
  });

  it('say nothing in a text that is wholly in capitals', async () => {
    const texts = { notice: 'PLEASE NOTE THAT IT IS CLOSED', ...OTHERS, department: DEPARTMENT };
    expect((await orderOf(texts, 'IT'))[0]).toBe('department');
    const same = { dense: 'IT IS OPEN WHEN IT IS LIGHT', once: 'It is far', ...OTHERS };
    expect((await orderOf(same, 'IT'))[0]).toBe('dense');
  });
});

it('a Japanese text keeps its own characters, and is found by them first', async () => {
  const texts = titled({ japanese: '国立図書館の利用案内', chinese: '國立圖書館的使用說明' });
  expect(
    await orderOf(Object.fromEntries(texts.map(({ title, content }) => [title, content])), '図書館'),
  ).toEqual(['japanese', 'chinese']);
});

it('marks the whole date, number or identifier', async () => {
  const { resultsFor, owned } = await openSearch();
  const texts = {
    a: 'It was inspected on March 5th, 2024, in the morning.',
    b: 'Le théâtre accueille 2 300 personnes.',
    c: 'IBAN DE89 3704 0044 0532 0130 00 of the bank',
    d: 'Der Saal fasst 1.800 Personen.',
    e: '图书馆在三楼',
    f: 'Status: 🚀 launch',
  };
  for (const text of titled(texts)) await importText(suite.database, owned, text);
  await mergeFrequencyDeltas(suite.database);
  const marked = async (query: string) => {
    const [found] = await resultsFor(query, { details: { highlight: true } });
    return found?.highlights?.map(({ start, end }) => [...found.content].slice(start, end).join(''));
  };
  expect(await marked('5.3.2024')).toEqual(['March 5th, 2024']);
  expect(await marked('2300')).toEqual(['2 300']);
  expect(await marked('DE89370400440532013000')).toEqual(['DE89 3704 0044 0532 0130 00']);
  expect(await marked('1800')).toEqual(['1.800']);
  expect(await marked('圖書館')).toEqual(['图书馆']);
  expect(await marked('🚀')).toEqual(['🚀']);
  const [found] = await resultsFor('5.3.2024', { details: { explain: true } });
  expect(found?.explanation?.terms).toContainEqual(
    expect.objectContaining({ term: '5.3.2024', words: ['March 5th, 2024'] }),
  );
});

it('finds in passages of an earlier analysis what it found before', async () => {
  const { titlesFor, owned } = await openSearch();
  const texts = {
    number: 'Der Saal fasst 1.800 Personen.',
    comma: 'The hall seats 1500 people.', // as 1,500 was indexed
    date: 'Inspected on 5 March 2024.',
    identifier: 'ISBN 978-3-16-148410-0 is the handbook.',
    capitals: 'The IT department repairs laptops.',
  };
  for (const text of titled(texts)) await importText(suite.database, owned, text);
  await sql`UPDATE passage_lexemes SET lexemes = ts_delete(lexemes,
    ARRAY(SELECT lexeme FROM unnest(lexemes) WHERE lexeme ~ '^[=^]'))`.execute(suite.database);
  await sql`DELETE FROM document_frequencies WHERE lexeme ~ '^[=^]'`.execute(suite.database);
  await mergeFrequencyDeltas(suite.database);
  expect((await titlesFor('1.800'))[0]).toBe('number');
  expect((await titlesFor('1800'))[0]).toBe('number');
  expect((await titlesFor('1,500'))[0]).toBe('comma');
  expect((await titlesFor('5 March 2024'))[0]).toBe('date');
  expect((await titlesFor('978-3-16-148410-0'))[0]).toBe('identifier');
  expect((await titlesFor('IT department'))[0]).toBe('capitals');
});

it('a word with a hyphen does not outweigh the other words of a question', async () => {
  const others = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`${n}`, `Node ${n} runs a query, and node ${n + 1} its joins.`]),
  );
  const contents =
    'Contents: #principles, #joins, #local-execution, #locks, #tables, #nodes, #shards, #moves, #rows.';
  const section =
    'Local execution: where the rows of a query are at this node, the query is run there, in its process.';
  const order = await orderOf({ ...others, contents, section }, 'local-execution of a query');
  expect(order[0]).toBe('section');
});
