/** Synonyms of an account or a knowledge base, in whole searches. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { LANGUAGES } from '../../analysis/language.ts';
import { findGroups } from '../query/groups-apart.ts';
import { importText, type TestText } from '../testing/imported-texts.ts';
import { titled, useSearch } from '../testing/searched-texts.ts';
import { affordable, findSpans } from './synonym-spans.ts';

const suite = useSearch();

/** Opens a search over texts. */
async function openOver(texts: TestText[]) {
  const search = await suite.openSearch();
  for (const text of texts) await importText(suite.database, search.owned, text);
  return search;
}

const LEAVE = titled({
  spelt: 'Unused paid time off may be carried over to the next year.',
  apart: 'They paid for the time that the switch was off, and carried the crates over.',
  carried: 'Carry over of budgets: what is carried over is carried over once.',
  other: 'The canteen is open from eleven to two.',
});
const GROUP = { terms: ['PTO', 'paid time off'] };

test('an acronym finds the passage with its words, first', async () => {
  const { titlesFor, setSynonyms } = await openOver(LEAVE);
  expect(await titlesFor('PTO carry over')).not.toEqual(expect.arrayContaining(['other']));
  expect((await titlesFor('PTO carry over'))[0]).not.toBe('spelt');
  await setSynonyms([GROUP]);
  expect((await titlesFor('PTO carry over'))[0]).toBe('spelt');
  expect(await titlesFor('PTO')).toEqual(['spelt']);
  await setSynonyms([]);
  expect(await titlesFor('PTO')).toEqual([]);
});

test('the words find the passage with the acronym, first', async () => {
  const { titlesFor, setSynonyms } = await openOver([
    ...LEAVE.slice(1),
    ...titled({ short: 'Unused PTO may be carried over to the next year.' }),
  ]);
  expect((await titlesFor('paid time off carry over'))[0]).not.toBe('short');
  await setSynonyms([GROUP], true);
  expect((await titlesFor('paid time off carry over'))[0]).toBe('short');
});

test('the same passage scores less by a synonym than by the word of the query', async () => {
  const texts = titled({
    own: 'Unused PTO may be carried over to the next year.',
    synonym: 'Unused paid time off may be carried over to the next year.',
  });
  const { titlesFor, setSynonyms } = await openOver(texts);
  await setSynonyms([GROUP]);
  expect(await titlesFor('PTO carry over')).toEqual(['own', 'synonym']);
  expect(await titlesFor('paid time off carry over')).toEqual(['synonym', 'own']);
  expect(await titlesFor('PTO')).toEqual(['own', 'synonym']);
  expect(await titlesFor('paid time off')).toEqual(['synonym', 'own']);
});

test('a passage with the query as it is written comes before one that is all about its synonym', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({ PTO: 'PTO expires in March.', leave: 'Paid time off is asked for two weeks ahead.' }),
  );
  await setSynonyms([GROUP]);
  expect(await titlesFor('paid time off')).toEqual(['leave', 'PTO']);
  expect(await titlesFor('PTO')).toEqual(['PTO', 'leave']);
});

test('one way only: the others do not find the term', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({
      narrow: 'The ThinkPad has a new battery.',
      wide: 'The laptop has a new battery.',
      other: 'The car has a new battery.',
    }),
  );
  await setSynonyms([{ terms: ['laptop', 'notebook'], finds: ['ThinkPad', 'MacBook'] }]);
  expect(await titlesFor('laptops')).toEqual(['wide', 'narrow']);
  expect(await titlesFor('notebook')).toEqual(['narrow']);
  expect(await titlesFor('ThinkPad')).toEqual(['narrow']);
});

test('groups do not chain, and of terms within each other the longest counts', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({ city: 'Hotels in NYC.', viking: 'Hotels in Jorvik.', nickname: 'Hotels in Big Apple.' }),
  );
  await setSynonyms([
    { terms: ['New York', 'NYC'] },
    { terms: ['York', 'Jorvik'] },
    { terms: ['NYC', 'Big Apple'] },
  ]);
  expect(await titlesFor('New York')).toEqual(['city']);
  expect(await titlesFor('York')).toEqual(['viking']);
  expect(await titlesFor('NYC')).toEqual(['city', 'nickname']);
});

test('the explanation names the synonym, its parts add up, and highlights mark it', async () => {
  const { resultsFor, setSynonyms } = await openOver(LEAVE);
  await setSynonyms([GROUP]);
  const details = { explain: true, highlight: true };
  for (const query of ['PTO carry over', 'PTO']) {
    const [found] = await resultsFor(query, { details });
    const { terms = [], neighbours, feedback, fullMatch, missing } = found?.explanation ?? {};
    expect(terms.find(({ term }) => term === 'pto')).toMatchObject({
      match: 'synonym',
      words: ['paid time off'],
      occurrences: 1,
    });
    expect(missing).toEqual([]);
    const sum = terms.reduce((total, { contribution }) => total + contribution, 0);
    expect(sum + (neighbours ?? 0) + (feedback ?? 0) + (fullMatch ?? 0)).toBeCloseTo(found?.score ?? 0, 6);
    if (query === 'PTO') expect(fullMatch).toBeCloseTo(0, 5);
    const marked = found?.highlights?.map(({ start, end }) => found.content.slice(start, end));
    expect(marked?.slice(0, 3)).toEqual(['paid', 'time', 'off']);
  }
});

test.each([
  ['English', 'Employees get stock options each year.', 'equity grants', ['equity grant', 'stock option']],
  [
    'German',
    'Der Urlaubsanspruch verfällt im März.',
    'Ferienansprüche',
    ['Ferienanspruch', 'Urlaubsanspruch'],
  ],
  ['French', 'Les congés payés sont reportés en janvier.', 'CP', ['CP', 'congé payé']],
  ['Spanish', 'Las vacaciones pagadas se acumulan.', 'permiso', ['permiso', 'vacación pagada']],
  ['Japanese', '年次有給休暇は翌年に繰り越されます。', '年休の繰越', ['年休', '年次有給休暇']],
  ['Chinese', '员工可以使用个人电脑办公。', 'PC', ['PC', '个人电脑']],
  ['Korean', '연차 유급 휴가는 다음 해로 이월됩니다.', '연월차', ['연월차', '연차 유급 휴가']],
  ['Thai', 'พนักงานมีสิทธิลาพักร้อนปีละสิบวัน', 'วันหยุดประจำปี', ['วันหยุดประจำปี', 'ลาพักร้อน']],
  ['Arabic', 'تدفع الشركة الإجازة السنوية في يناير.', 'عطلة', ['عطلة', 'إجازة سنوية']],
  ['Russian', 'Ежегодный оплачиваемый отпуск переносится.', 'ЕОО', ['ЕОО', 'ежегодный оплачиваемый отпуск']],
  ['compounds', 'The Wi-Fi password is on the wall.', 'WLAN', ['WLAN', 'Wi-Fi']],
  [
    'identifiers',
    'Machines of type AB-1234/X have no fan.',
    'silent machine',
    ['silent machine', 'AB-1234/X'],
  ],
])('%s: both sides meet after analysis', async (_, content, query, terms) => {
  const others = titled({ filler: 'Nothing of interest, 123.', more: 'Weather and traffic.' });
  const { titlesFor, setSynonyms } = await openOver([...titled({ wanted: content }), ...others]);
  await setSynonyms([{ terms }]);
  expect((await titlesFor(query))[0]).toBe('wanted');
});

test.each([
  ['a number as grouped', 'ceiling', 'The limit is 1,800 crates.', ['ceiling', '1800']],
  ['a number without groups', 'ceiling', 'The limit is 1800 crates.', ['ceiling', '1.800']],
  ['a number of a query', 'limit of 1,800', 'The ceiling was painted.', ['ceiling', '1800']],
  ['a number with a blank', 'limit of 1800', 'The ceiling was painted.', ['ceiling', '1 800']],
  ['a number with a blank in a query', '1 800', 'The ceiling was painted.', ['ceiling', "1'800"]],
  ['a date', '5.3.2024', 'The launch was late.', ['launch', '2024-03-05']],
  ['a compound of a query', 'e-mail', 'Post is opened at noon.', ['post', 'email']],
  ['a compound of a group', 'email', 'Post is opened at noon.', ['post', 'e-mail']],
  ['a compound in a term', 'email server', 'The mailroom is open.', ['mailroom', 'e-mail server']],
  ['traditional characters of a group', '图书馆', 'The reading room is open.', ['reading room', '圖書館']],
  ['simplified characters in a text', 'reading room', '图书馆在三楼。', ['reading room', '圖書館']],
  ['traditional characters in a text', 'reading room', '圖書館在三樓。', ['reading room', '图书馆']],
])('%s: synonyms meet in all notations', async (_, query, content, terms) => {
  const others = titled({ filler: 'Nothing of interest, 123.', more: 'Weather and traffic.' });
  const { titlesFor, setSynonyms } = await openOver([...titled({ wanted: content }), ...others]);
  expect(await titlesFor(query)).not.toContain('wanted');
  await setSynonyms([{ terms }]);
  expect((await titlesFor(query))[0]).toBe('wanted');
});

test("a part of a number or compound is not the group's term", () => {
  const stems = new Map([['simple', new Map<string, string>()]]);
  const lengthsIn = (query: string, term: string) =>
    findSpans(query, [{ terms: [term], finds: ['found'] }], stems).map(({ at, length }) => [at, length]);
  expect(lengthsIn('plan 1 800 x', '1800')).toEqual([[1, 2]]);
  expect(lengthsIn('an e-mail server', 'email server')).toEqual([[1, 4]]);
  expect(lengthsIn('1800', '1')).toEqual([]);
  expect(lengthsIn('1', '1 800')).toEqual([]);
});

test("a knowledge base's groups do not count in others; the account's do, of no other account", async () => {
  const first = await openOver(LEAVE);
  const second = await openOver(LEAVE);
  await first.setSynonyms([GROUP]);
  expect(await first.titlesFor('PTO')).toEqual(['spelt']);
  expect(await second.titlesFor('PTO')).toEqual([]);
  await first.setSynonyms([]);
  await first.setSynonyms([GROUP], true);
  expect(await first.titlesFor('PTO')).toEqual(['spelt']);
  expect(await second.titlesFor('PTO')).toEqual([]);
});

test('a function word that is a term of a group counts as a word', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({
      wanted: 'Information technology helps with printers.',
      other: 'If it rains, it is wet: it helps nobody.',
      more: 'The printers are new.',
    }),
  );
  await setSynonyms([{ terms: ['IT', 'information technology'] }]);
  expect(await titlesFor('what of IT and buildings')).toContain('wanted');
});

test('function words that are a term of a group find its synonyms beside an unknown word', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({ wanted: 'The band plays at noon.', other: 'Those who wait are the first.' }),
  );
  await setSynonyms([{ terms: ['The Who', 'band'] }]);
  expect((await titlesFor('the who xyzzyq'))[0]).toBe('wanted');
});

test('the statement for distributed tables finds the same groups', async () => {
  const { owned, setSynonyms } = await openOver([]);
  const { accountId, knowledgeBaseId } = owned;
  const idle = { terms: ['laptop'], finds: ['ThinkPad'] };
  await setSynonyms([GROUP, idle]);
  await setSynonyms([{ terms: ['pto', 'power take-off'] }], true);
  const toStem = [{ dictionary: 'english_stem', words: ['laptops'] }];
  const about = (ids: string[], ...lexemes: string[]) => {
    const isCountingStems = lexemes.length === 0;
    return findGroups(
      suite.database,
      { accountId, ids, isAlone: true },
      { lexemes, prefixes: [], toStem, isCountingStems },
    );
  };
  expect(await about([knowledgeBaseId], 'pto')).toEqual([GROUP, { terms: ['pto', 'power take-off'] }]);
  expect(await about([], 'pto')).toEqual([{ terms: ['pto', 'power take-off'] }]);
  expect(await about([knowledgeBaseId], 'laptop', 'thinkpad')).toEqual([idle]);
  expect(await about([knowledgeBaseId], 'thinkpad')).toEqual([]);
  expect(await about([knowledgeBaseId])).toEqual([idle]);
});

test('a misspelt word is no synonym, and a synonym keeps fuzzy matches away', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({ near: 'The extension of the building.', meant: 'Costs of travel are paid back.' }),
  );
  await setSynonyms([{ terms: ['extensions', 'costs'] }, { terms: ['extensino', 'travel'] }]);
  expect(await titlesFor('extensino')).toEqual(['meant']);
});

test('hostile: long queries and large groups take bounded processor time', async () => {
  const { resultsFor, setSynonyms } = await openOver(LEAVE);
  const words = (count: number) => Array.from({ length: count }, () => 'pto').join(' ');
  await setSynonyms(
    Array.from({ length: 200 }, (_, i) => ({
      terms: Array.from({ length: 15 }, (_, length) => words(length + 1)),
      finds: [`paid time off ${i}`],
    })),
  );
  const details = { explain: true, highlight: true };
  const usedMs = await usedMsOf(() => resultsFor(words(2_000), { details }));
  expect(usedMs).toBeLessThan(3_000);
});

test('each of many groups counts, though their terms share a word', async () => {
  const { titlesFor, setSynonyms } = await openOver(
    titled({ fruit: 'A kiwi a day.', machine: 'The silent machine.' }),
  );
  const groups = Array.from({ length: 90 }, (_, i) => ({ terms: [`department a${i}`, `xq${i}`] }));
  await setSynonyms([...groups, { terms: ['department hr', 'kiwi'] }], true);
  await setSynonyms([{ terms: ['department 7', 'silent machine'] }]);
  expect(await titlesFor('department hr')).toEqual(['fruit']);
  expect(await titlesFor('department 7')).toEqual(['machine']);
});

test('a word again and again, with many long synonyms in many languages, takes little processor time', async () => {
  const letters = 'abcdefghijklmnop'.split('');
  const finds = (n: number) =>
    Array.from({ length: 20 }, (_, i) =>
      [...letters.slice((n + i) % 16), ...letters.slice(0, (n + i) % 16), i].join(' '),
    );
  const groups = Array.from({ length: 64 }, (_, n) => ({ terms: ['management'], finds: finds(n) }));
  const stems = new Map(LANGUAGES.map((language) => [language, new Map([['management', language]])]));
  const usedMs = await usedMsOf(() => {
    const spans = findSpans('management '.repeat(128), groups, stems);
    expect(spans).toHaveLength(32);
  });
  expect(usedMs).toBeLessThan(1_000);
});

test('of many short synonyms of frequent words, those of rare words are kept', () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ sequence: [`c${i}`, 'b'] }));
  const rare = { sequence: ['rare', 'b'] };
  const single = Array.from({ length: 100 }, (_, i) => ({ sequence: [`s${i}`] }));
  const frequencies = new Map(
    [...many, ...single].flatMap(({ sequence }) =>
      sequence.map((lexeme): [string, number] => [lexeme, 3_000]),
    ),
  );
  const spans = [{ at: 0, length: 1, synonyms: [...many, rare, ...single] }];
  const [kept] = affordable(spans, frequencies.set('rare', 1));
  expect(kept?.synonyms).toEqual([...many.slice(0, 16), rare, ...single]);
  const singles = Array.from({ length: 600 }, (_, i) => ({ sequence: [`s${i}`] }));
  expect(affordable([{ at: 0, length: 1, synonyms: singles }], frequencies)[0]?.synonyms).toHaveLength(512);
});

test('of many long synonyms those of rare words are kept, and all short ones', () => {
  const longOf = (word: string) => ({ sequence: [word, 'b', 'c', 'd'] });
  const short = Array.from({ length: 16 }, (_, i) => ({ sequence: [`s${i}`, 'b'] }));
  const common = Array.from({ length: 40 }, (_, i) => longOf(`c${i}`));
  const spans = [{ at: 0, length: 1, synonyms: [...common, longOf('rare'), ...short] }];
  const frequencies = new Map(
    [...short, ...common].flatMap(({ sequence }) =>
      sequence.map((lexeme): [string, number] => [lexeme, 3_000]),
    ),
  );
  const kept = affordable(spans, frequencies.set('rare', 1))[0]?.synonyms;
  expect(kept).toEqual([...common.slice(0, 3), longOf('rare'), ...short]);
  expect(affordable([{ at: 0, length: 1, synonyms: [longOf('c0')] }], new Map())).toHaveLength(1);
});
