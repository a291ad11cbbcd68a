/** The order in which passages answer, with the reason for each place. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBalance } from '../storage/accounts.ts';
import { mergeLexemeChanges } from '../storage/lexeme-statistics.ts';
import { importText, makeKnowledgeBase, type Place, type TestText } from '../testing/imported-texts.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createSearch } from './search.ts';
import { createStemMemory } from './stems.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** Imports the texts one after the other into a new knowledge base and searches it. */
async function searchIn(texts: TestText[], query: string, limit = 10) {
  const { database } = suite;
  const place = await makeKnowledgeBase(database);
  for (const text of texts) await importText(database, place, text);
  await mergeLexemeChanges(database);
  const search = createSearch(database, createStemMemory());
  return await search({ accountId: place.accountId, knowledgeBaseIds: undefined, query, limit, credits: 1 });
}

const titled = (contents: Record<string, string>): TestText[] =>
  Object.entries(contents).map(([title, content]) => ({ title, content }));

const orderOf = async (contents: Record<string, string>, query: string) =>
  (await searchIn(titled(contents), query)).map(({ title }) => title);

test('rarer words, more of them and shorter passages come first', async () => {
  const order = await orderOf(
    {
      // Holds the rare word twice.
      often: 'zebra zebra grazing near the water',
      // Holds it once, in a short passage.
      short: 'a zebra drinks water',
      // Holds it once, in a longer passage.
      long: 'a zebra stands where many other animals of the plain come in the evening to look for some water',
      // Holds the common word only.
      common: 'water is wet',
      // Holds neither.
      other: 'a lion sleeps',
    },
    'zebra water',
  );
  expect(order).toEqual(['often', 'short', 'long', 'common']);
});

test('a whole question finds its passage though no passage holds all of its words', async () => {
  const order = await orderOf(
    { answer: 'The museum opens at nine on weekdays.', noise: 'Parking is free.' },
    'At what time does the national museum usually open its doors on a weekday?',
  );
  expect(order[0]).toBe('answer');
});

test('a query of stop words only finds its passage', async () => {
  const order = await orderOf(
    { hamlet: 'To be, or not to be', other: 'Something else' },
    'to be or not to be',
  );
  expect(order[0]).toBe('hamlet');
});

test.each([
  ['Chinese', '北京的天气怎么样', '今天北京天气很好。', '上海的菜很好吃。'],
  ['Japanese', '東京タワーの高さは', '東京タワーは333メートルです。', '大阪は食べ物がおいしい。'],
  ['Thai', 'อากาศในกรุงเทพ', 'วันนี้อากาศในกรุงเทพร้อนมาก', 'แมวนอนหลับ'],
  ['Korean', '서울의 날씨', '오늘 서울 날씨가 좋습니다.', '고양이가 잔다.'],
  ['Russian', 'где живут белые медведи', 'Белый медведь живёт в Арктике.', 'Кошка спит дома.'],
  ['Arabic', 'أين تقع المكتبات', 'تقع المكتبة في وسط المدينة.', 'القط نائم في البيت.'],
  ['German', 'Wo stehen die Häuser', 'Das Haus steht am Fluss.', 'Der Hund schläft.'],
])('%s finds the passage that answers', async (_language, query, answer, noise) => {
  expect((await orderOf({ answer, noise }, query))[0]).toBe('answer');
});

test.each([
  ['cafe', 'Das Café öffnet um neun.'],
  ['café', 'The cafe opens at nine.'],
  ['max_wal_size', 'Raise max_wal_size before the import.'],
  ['wal size', 'Raise max_wal_size before the import.'],
  ['getUserById', 'Call getUserById() first.'],
  ['CVE-2024-4367', 'Fixed CVE-2024-4367 in the viewer.'],
  ['C++', 'Written in C++ and Rust.'],
  ['node.js', 'Runs on Node.js 24.'],
  ['10.0.0.1', 'The router is 10.0.0.1 here.'],
  ['jane@example.org', 'Write to jane@example.org today.'],
  ['input/output', 'An input/output error occurred.'],
])('%s finds "%s"', async (query, answer) => {
  const order = await orderOf({ answer, noise: 'Nothing of that kind is written here.' }, query);
  expect(order).toEqual(['answer']);
});

test('equal scores come newest document first, then in the order of the text', async () => {
  const results = await searchIn(
    [...titled({ older: 'same words' }), ...titled({ newer: 'same words' })],
    'words',
  );
  expect(results.map(({ title }) => title)).toEqual(['newer', 'older']);
  expect(results[0]?.score).toBe(results[1]?.score);
});

test('scores lie in [0, 1], have 6 decimals and do not depend on the limit', async () => {
  const texts = titled({ a: 'red green blue', b: 'red green', c: 'red red red', d: 'yellow' });
  const all = await searchIn(texts, 'red green blue violet');
  for (const { score } of all) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThanOrEqual(1);
    expect(score).toBe(Number(score.toFixed(6)));
  }
  const first = await searchIn(texts, 'red green blue violet', 1);
  expect(first.map(({ score }) => score)).toEqual(all.slice(0, 1).map(({ score }) => score));
});

test('fewer results are the first of more, also where few candidates hold several of the words', async () => {
  const { place, resultsFor } = await openSearch();
  // 700 passages have the one word, 1,115 the other, 15 both: far fewer than is to be expected, and not the best.
  const words = (i: number) => (i < 685 ? 'zalpha '.repeat(9) : i < 700 ? 'zalpha zbeta' : 'zbeta');
  const filler = 'and more of this and that for the whole of a long paragraph '.repeat(9);
  const paragraphs = Array.from({ length: 1_800 }, (_, i) => `${words(i)} ${filler}`);
  await importText(suite.database, place, { title: 'Long', content: paragraphs.join('\n\n') });
  const first = await resultsFor('zalpha zbeta', { limit: 5 });
  expect(first).toEqual((await resultsFor('zalpha zbeta', { limit: 50 })).slice(0, 5));
  // Beside 70 words that no passage holds, whose tiers are not asked for.
  const unknown = Array.from({ length: 70 }, (_, i) => `unknown${i}`).join(' ');
  const amidMany = await resultsFor(`zalpha ${unknown} zbeta`, { limit: 5 });
  expect(amidMany.map(({ position }) => position)).toEqual(first.map(({ position }) => position));
});

test('a query finds the same before and after the counts of an import are merged', async () => {
  const { place, resultsFor } = await openSearch();
  const contents = [
    ...Array.from({ length: 4 }, (_, i) => `jaguar habitat predator rainforest ${i}`),
    'jaguar among predator and habitat there',
    'jaguar among engine and gearbox there',
    ...Array.from({ length: 20 }, (_, i) => `engine and gearbox for sale ${i}`),
  ];
  for (const content of contents) await importText(suite.database, place, { title: 'T', content });
  const unmerged = await resultsFor('jaguar');
  await mergeLexemeChanges(suite.database);
  expect(unmerged).toEqual(await resultsFor('jaguar'));
});

test.each(["'", '\\', "a' | 'b", '& | ! <->', ':*', "x':1A", '\u{1F600}', '(((((', '%_', '--', '$1'])(
  'nothing in a query is an operator: %s',
  async (query) => {
    expect(await searchIn(titled({ one: 'some words', two: "it's a\\b" }), query)).toBeInstanceOf(Array);
  },
);

test('a query of 8,192 characters of anything is answered', async () => {
  const texts = titled({ one: 'some words of a text' });
  const queries = [
    'word '.repeat(1638),
    '\u{1F600}'.repeat(8192),
    "'".repeat(8192),
    '字'.repeat(8192),
    'a'.repeat(8192),
  ];
  const many = Array.from({ length: 1300 }, (_, i) => `w${i}`)
    .join(' ')
    .slice(0, 8192);
  for (const query of [...queries, many]) expect(await searchIn(texts, query)).toBeInstanceOf(Array);
  expect(await searchIn(texts, `${many.slice(0, 8186)} words`)).toHaveLength(1);
});

/** So many knowledge bases of an account, and imports into them whose counts are not merged yet. */
async function insertUnmerged(
  { accountId }: Place,
  counts: object,
  size: { bases: number; changes: number },
) {
  await sql`
    WITH made AS (
      INSERT INTO knowledge_bases (knowledge_base_id, account_id, name, description, created_at, updated_at)
      SELECT gen_random_uuid(), ${accountId}, 'many', '', now(), now() FROM generate_series(1, ${size.bases}::integer)
      RETURNING knowledge_base_id, account_id),
    counted AS (
      INSERT INTO knowledge_base_statistics (knowledge_base_id, account_id, passage_count)
      SELECT knowledge_base_id, account_id, 10 FROM made)
    INSERT INTO lexeme_changes (knowledge_base_id, id, account_id, passage_counts)
    SELECT knowledge_base_id, gen_random_uuid(), account_id, ${counts}::jsonb
    FROM made LIMIT ${size.changes}`.execute(suite.database);
  // As autovacuum does: PostgreSQL then knows how many there are, and used to choose the dearest plan.
  await sql`ANALYZE knowledge_bases, lexeme_changes`.execute(suite.database);
}

test('a query of 8,192 different characters is answered at once, over 1,000 knowledge bases under import', async () => {
  const place = await makeKnowledgeBase(suite.database);
  const search = createSearch(suite.database, createStemMemory());
  const query = String.fromCharCode(...Array.from({ length: 8192 }, (_, i) => 0x4e00 + 2 * i));
  const bigrams = Array.from({ length: 5_000 }, (_, i) => query.slice(i, i + 2));
  await importText(suite.database, place, { title: 'T', content: query.slice(0, 600) });
  const counts = Object.fromEntries(bigrams.map((bigram) => [bigram, 1]));
  await insertUnmerged(place, counts, { bases: 1_000, changes: 400 });
  const startedAtMs = performance.now();
  const question = { accountId: place.accountId, knowledgeBaseIds: undefined, query };
  expect(await search({ ...question, limit: 10, credits: 1 })).not.toEqual([]);
  // Each of its 16,384 tokens and their tiers looked up in each import took above a minute, which ended it.
  expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  // Merging two million counts would take the next tests half a minute.
  await suite.database.deleteFrom('lexeme_changes').where('account_id', '=', place.accountId).execute();
});

test('a title counts more than the text', async () => {
  const order = await orderOf(
    {
      'Leave policy': 'Who is away tells the team first.',
      Canteen: 'Our policy is to leave no tray behind, leave it clean.',
    },
    'leave policy',
  );
  expect(order[0]).toBe('Leave policy');
});

test('of passages that hold the same words, the one amid text on the matter comes first', async () => {
  const filler = (topic: string) =>
    `${topic} ${'and more of this and that for the whole of a long paragraph '.repeat(15)}`;
  const results = await searchIn(
    titled({
      Aside: [filler('Cooking.'), filler('The turbine is loud.'), filler('Gardening.')].join('\n\n'),
      Manual: [
        filler('The turbine blade.'),
        filler('The turbine is loud.'),
        filler('The turbine shaft.'),
      ].join('\n\n'),
    }),
    'turbine loud',
  );
  const loud = results.filter(({ content }) => content.includes('loud')).map(({ title }) => title);
  expect(loud).toEqual(['Manual', 'Aside']);
});

test('passages that say what the best ones say come before others with the same word of the query', async () => {
  const order = await orderOf(
    {
      one: 'jaguar jaguar habitat predator rainforest',
      two: 'jaguar jaguar predator habitat prey rainforest',
      animal: 'jaguar among predator and habitat there',
      car: 'jaguar among engine and gearbox there',
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`other ${i}`, 'engine and gearbox for sale']),
      ),
    },
    'jaguar',
  );
  expect(order.indexOf('animal')).toBeLessThan(order.indexOf('car'));
});

test('a passage that stands out stays first, whatever those behind it share', async () => {
  const order = await orderOf(
    {
      answer: 'You can now order pizza from a vending machine.',
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [
          `other ${i}`,
          `Did the senator order ${i + 2} investigations of the press office, the campaign and its bank, as claimed?`,
        ]),
      ),
      ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`far ${i}`, `Nothing of the kind, ${i}.`])),
    },
    'they should order one for the house: a pizza machine, for the press and the campaign',
  );
  expect(order[0]).toBe('answer');
});

test('a passage in another language than the rest gains nothing by its function words', async () => {
  const english = (place: string) =>
    `Because every ${place} opens early, everybody comes by bus; nothing else is reliable because every road is closed.`;
  const order = await orderOf(
    {
      museum: `${english('museum')} The museum shows paintings.`,
      ...Object.fromEntries(
        ['school', 'bakery', 'library', 'station'].map((place) => [place, english(place)]),
      ),
      polish:
        'Nowe rozporządzenie nie będzie miało zastosowania do małych przedsiębiorstw, because every, uznał komitet.',
    },
    'because every museum is closed, is everybody there?',
  );
  expect(order[0]).toBe('museum');
  expect(order.indexOf('polish')).toBe(order.length - 1);
});

test('accents tell words apart, and who writes none finds all', async () => {
  const texts = { sell: 'Tôi bán xe.', table: 'Cái bàn này.', friend: 'Người bạn tốt.', plain: 'ban xe' };
  expect((await orderOf(texts, 'bạn'))[0]).toBe('friend');
  expect((await orderOf(texts, 'bán'))[0]).toBe('sell');
  expect((await orderOf(texts, 'bạn')).toSorted()).toEqual(['friend', 'plain', 'sell', 'table']);
  expect((await orderOf(texts, 'ban')).toSorted()).toEqual(['friend', 'plain', 'sell', 'table']);
});

test.each(['می\u200cشود', 'می شود', 'میشود'])(
  'the three spellings of a Persian word find each other: %s',
  async (query) => {
    const order = await orderOf(
      {
        parted: 'این کار می\u200cشود.',
        spaced: 'این کار می شود.',
        joined: 'این کار میشود.',
        other: 'هوا سرد است.',
      },
      query,
    );
    expect(order.toSorted()).toEqual(['joined', 'parted', 'spaced']);
  },
);

test('names and dates are in the language of their knowledge base', async () => {
  const { database } = suite;
  const place = await makeKnowledgeBase(database);
  const content = 'The committee agreed that the new regulation would not apply to small companies.';
  await importText(database, place, { title: 'Long', content });
  const names = 'CACM March, 1961 Wood, T. C. CA610305 JB March 17, 1978 12:41 AM';
  const id = await importText(database, place, { title: '-', content: names });
  const { language } = await database
    .selectFrom('passages')
    .select('language')
    .where('document_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(language).toBe('english');
});

test('one character finds its passage inside a run', async () => {
  const order = await orderOf({ right: '他在北京大学学习物理', wrong: '上海很大' }, '京');
  expect(order).toEqual(['right']);
});

test('of many equal passages the newest come', async () => {
  const texts = Array.from({ length: 120 }, (_, i) => ({
    title: 'Same',
    content: `the same words again ${100 + i}`,
  }));
  const found = await searchIn(texts, 'same words', 50);
  expect(found.map(({ content }) => content)).toEqual(
    texts
      .toReversed()
      .slice(0, 50)
      .map(({ content }) => content),
  );
});

/** A search that has answered before, in a knowledge base whose texts come one after the other. */
async function openSearch() {
  const place = await makeKnowledgeBase(suite.database);
  const search = createSearch(suite.database, createStemMemory());
  const resultsFor = async (query: string, { limit = 10, credits = 0 } = {}) => {
    const question = { accountId: place.accountId, knowledgeBaseIds: [place.knowledgeBaseId], query };
    return await search({ ...question, limit, credits });
  };
  const titlesFor = async (query: string, credits = 0) =>
    (await resultsFor(query, { credits })).map(({ title }) => title);
  return { place, resultsFor, titlesFor };
}

test('a text in a language that was not there before is found by other forms of its words', async () => {
  const { place, titlesFor } = await openSearch();
  expect(await titlesFor('houses')).toEqual([]);
  const content = 'The old house stands at the end of the road, and nobody has lived there for years.';
  await importText(suite.database, place, { title: 'English', content });
  expect(await titlesFor('houses')).toEqual(['English']);
  const inGerman =
    'Die alten Häuser am Ende der Straße stehen leer, und niemand hat dort seit Jahren gewohnt.';
  await importText(suite.database, place, { title: 'Deutsch', content: inGerman });
  expect(await titlesFor('Straßen')).toEqual(['Deutsch']);
  expect(await titlesFor('roads')).toEqual(['English']);
});

test('a query is charged once, whatever it finds', async () => {
  const { place, titlesFor } = await openSearch();
  const { database } = suite;
  for (const [question, credits] of [
    ['nothing yet', 10],
    ['word', 20],
    ['absent', 30],
  ] as const) {
    const before = await readBalance(database, place.accountId);
    await titlesFor(question, credits);
    expect(await readBalance(database, place.accountId), question).toBe(before - credits);
    await importText(database, place, { title: question, content: `a word number ${credits}` });
  }
});

test('when others use up the balance, a query is refused and takes nothing', async () => {
  const { place, titlesFor } = await openSearch();
  await importText(suite.database, place, { title: 'Text', content: 'one word' });
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => titlesFor('word', 300)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(await readBalance(suite.database, place.accountId)).toBe(100);
});
