/** Queries find passages that have other forms and spellings of their words, in each language. */
import { expect, test } from 'vitest';
import { importText, makeKnowledgeBase } from './testing/imported-texts.ts';
import { useSearch } from './testing/searched-texts.ts';

const suite = useSearch();
const { orderOf, openSearch } = suite;

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

test('a passage in another language than the rest gains nothing by its function words', async () => {
  const english = (place: string) =>
    `Because every ${place} opens early, everybody comes by bus; ` +
    'nothing else is reliable because every road is closed.';
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
  const owned = await makeKnowledgeBase(database);
  const content = 'The committee agreed that the new regulation would not apply to small companies.';
  await importText(database, owned, { title: 'Long', content });
  const names = 'CACM March, 1961 Wood, T. C. CA610305 JB March 17, 1978 12:41 AM';
  const id = await importText(database, owned, { title: '-', content: names });
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

test('a text in a language that was not there before is found by other forms of its words', async () => {
  const { owned, titlesFor } = await openSearch();
  expect(await titlesFor('houses')).toEqual([]);
  const content = 'The old house stands at the end of the road, and nobody has lived there for years.';
  await importText(suite.database, owned, { title: 'English', content });
  expect(await titlesFor('houses')).toEqual(['English']);
  const inGerman =
    'Die alten Häuser am Ende der Straße stehen leer, und niemand hat dort seit Jahren gewohnt.';
  await importText(suite.database, owned, { title: 'Deutsch', content: inGerman });
  expect(await titlesFor('Straßen')).toEqual(['Deutsch']);
  expect(await titlesFor('roads')).toEqual(['English']);
});

test.each([
  ['Wie mache ich ein Backup?', ['backups']],
  ['Comment est fait un backup ?', ['backups']],
  ['¿Cómo hago el backup?', ['backups']],
  ['Hoe maak ik een backup?', ['backups']],
  ['Come faccio un backup?', ['backups']],
])('the function words of %s are no misspelt words of English texts', async (query, titles) => {
  const found = await orderOf(
    {
      backups: 'The backup is written every night, and kept for a month on another disk.',
      machine: 'Each machine has a mark on its line; one of them can fail, and come back much later.',
      comment: 'Another comment: the hood of the faucet is one that they make, hail or not.',
    },
    query,
  );
  expect(found).toEqual(titles);
});

test.each([
  ['如何备份？', undefined, 'LANGUAGE_DIFFERS', /which is in Chinese; the passages are in English\./],
  ['كيف أعمل نسخة احتياطية؟', undefined, 'LANGUAGE_DIFFERS', /in Arabic/],
  ['Как сделать резервную копию?', 'both', 'LANGUAGE_DIFFERS', /in Russian/],
  ['Wann ist die Rechnung fällig?', 'words', 'LANGUAGE_DIFFERS', /in German/],
  ['When is the xylophone repaired?', undefined, undefined, /^$/],
  ['backup', 'meaning', 'MEANING_OFF', /words of the query answered alone/],
] as const)('%s by %s, of English texts, has the warning %s', async (query, mode, code, message) => {
  const { owned, answerTo } = await openSearch();
  const content =
    'The backup of all servers is written every night, and we keep it for a month on another disk.';
  await importText(suite.database, owned, { title: 'Backups', content });
  const { warnings } = await answerTo(query, { mode });
  expect(warnings.map((warning) => warning.code)).toEqual(code === undefined ? [] : [code]);
  expect(warnings[0]?.message ?? '').toMatch(message);
});
