/** A query finds passages that say the same in other words, and in other languages, by the tables of word vectors. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWordVectors } from '../meaning/word-vectors.ts';
import { importText } from './testing/imported-texts.ts';
import { QUESTIONS_IN_OTHER_WORDS } from './testing/questions-in-other-words.ts';
import { useSearch } from './testing/searched-texts.ts';

const suite = useSearch();
const vectorsIn = openWordVectors();

type Opened = Awaited<ReturnType<typeof suite.openSearch>>;

/** A knowledge base with these contents; the title of each is its number. */
async function openWith(contents: string[]): Promise<Opened> {
  const opened = await suite.openSearch(vectorsIn);
  for (const [i, content] of contents.entries())
    await importText(suite.database, opened.owned, { title: `${i}`, content }, vectorsIn);
  return opened;
}

describe('fifty questions about fifty rules in other words', () => {
  let rules: Opened;
  beforeAll(async () => {
    rules = await openWith(QUESTIONS_IN_OTHER_WORDS.map(([, rule]) => rule));
  });

  /** How many questions have their rule first. */
  async function countRight(mode: 'words' | 'meaning' | 'both'): Promise<number> {
    let right = 0;
    for (const [i, [question]] of QUESTIONS_IN_OTHER_WORDS.entries()) {
      const [first] = await rules.resultsFor(question, { mode });
      if (first?.title === `${i}`) right++;
    }
    return right;
  }

  it('by words finds none first', async () => {
    expect(await countRight('words')).toBe(0);
  });

  it('by meaning finds four of five first', async () => {
    expect(await countRight('meaning')).toBeGreaterThanOrEqual(40);
  });

  it('by both finds three of four first: some rules have a word of another question', async () => {
    expect(await countRight('both')).toBeGreaterThanOrEqual(36);
  });
});

const RULES = [
  'Employees stay in hotels of at most three stars during trips.',
  'Wages are paid on the last working day of each month.',
  'Cab fares are reimbursed once receipts are handed in.',
  'The part number is AX-4711.',
];

describe('a few rules', () => {
  let rules: Opened;
  beforeAll(async () => {
    rules = await openWith(RULES);
  });
  const titlesFor = async (query: string, mode?: 'words' | 'meaning' | 'both') =>
    (await rules.resultsFor(query, mode && { mode })).map(({ title }) => title);

  it('finds what no word of the query is in, and names the pair of words that carries it', async () => {
    expect(await titlesFor('lodging', 'words')).toEqual([]);
    const [first] = await rules.resultsFor('lodging while travelling', { details: { explain: true } });
    expect(first?.title).toBe('0');
    const meaning = first?.explanation?.meaning;
    expect(meaning?.pairs).toContainEqual({
      term: 'lodging',
      word: 'hotels',
      similarity: expect.any(Number),
    });
    expect(meaning?.contribution).toBeCloseTo(first?.score ?? 0, 5);
  });

  const foreign: [language: string, query: string, rule: string][] = [
    ['German', 'Wann wird der Lohn bezahlt?', '1'],
    ['German', 'Wo übernachten Mitarbeiter auf Reisen?', '0'],
    ['Russian', 'Когда выплачивается зарплата?', '1'],
    ['Chinese', '什么时候发工资', '1'],
    ['Arabic', 'متى تدفع الرواتب؟', '1'],
    ['Hindi', 'वेतन कब मिलता है', '1'],
    ['Thai', 'เงินเดือนออกเมื่อไหร่', '1'],
  ];
  it.each(foreign)('a question in %s finds an English rule: %s', async (_language, query, rule) => {
    expect((await titlesFor(query))[0]).toBe(rule);
  });

  it('what has no meaning finds only what has it', async () => {
    expect(await titlesFor('AX-4711')).toEqual(['3']);
    expect(await titlesFor('qxzvw')).toEqual([]);
  });

  it('a phrase in quotes is by words', async () => {
    expect(await titlesFor('"hotels of at most"')).toEqual(['0']);
    expect(await titlesFor('"lodging"')).toEqual([]);
  });

  it('a synonym of the owner comes before a near meaning', async () => {
    await rules.setSynonyms([{ terms: ['lodging', 'cab fares'] }]);
    expect((await titlesFor('lodging'))[0]).toBe('2');
    await rules.setSynonyms([]);
  });

  it('a score by meaning lies in [0, 1], and a minimum leaves it out', async () => {
    const found = await rules.resultsFor('salary', { mode: 'meaning' });
    expect(found[0]?.title).toBe('1');
    for (const { score } of found) expect(score).toBeLessThanOrEqual(1);
    expect(await rules.resultsFor('salary', { mode: 'meaning', minScore: 1 })).toEqual([]);
  });
});

it('a question in English finds German, Chinese and Thai texts', async () => {
  const rules = await openWith([
    'Ein Arzt untersucht kranke Mitarbeiter.',
    '工资在每个月的最后一个工作日支付。',
    'พนักงานพักในโรงแรมระหว่างการเดินทาง',
  ]);
  for (const [query, title] of [
    ['doctors and illness', '0'],
    ['When is the salary paid?', '1'],
    ['accommodation for travellers', '2'],
  ] as const)
    expect((await rules.resultsFor(query))[0]?.title).toBe(title);
});

it.each([
  ['When is the salary paid?', '工资在每个月的最后一个工作日支付。', 'salary ≈ 工资'],
  ['hotel', 'พนักงานพักในโรงแรมระหว่างการเดินทาง', 'hotel ≈ โรงแรม'],
  ['什么时候发工资', RULES[1], '工资 ≈ Wages'],
  ['โรงแรม', RULES[0], 'โรงแรม ≈ hotels'],
])('words of Chinese and Thai are named in pairs: %s and %s', async (query, text = '', pair) => {
  const rules = await openWith([text]);
  const [found] = await rules.resultsFor(query, { details: { explain: true } });
  const pairs = found?.explanation?.meaning?.pairs.map(({ term, word }) => `${term} ≈ ${word}`);
  expect(pairs).toContain(pair);
});

it('a misspelt word is found although the texts of the table have it, and a rare word is no misspelt one', async () => {
  const rules = await openWith(['A gauge shows the pressure.', 'The garage is locked at night.']);
  const titlesFor = async (query: string) => (await rules.resultsFor(query)).map(({ title }) => title);
  expect(await titlesFor('guage')).toEqual(['0']);
  expect(await titlesFor('garbage')).toEqual([]);
});

it('a query in Japanese is by words: the table of Chinese words gains nothing there', async () => {
  const rules = await openWith(['賃金は毎月末に支払われる。', 'Wages are paid on the last day.']);
  const options = { details: { explain: true } };
  for (const { title, explanation } of await rules.resultsFor('賃金の支払い', options))
    expect([title, explanation?.meaning]).toEqual(['0', undefined]);
});

it('passages of a long document are scored by their meaning, as a short one is', async () => {
  const pages = [
    'The lawyer of the firm signs all contracts.',
    'Bicycles stand in the yard behind the house.',
    'The kitchen closes at nine in the evening.',
  ].map((page) => `## Part\n\n${page} ${'This part says no more about it. '.repeat(25)}`);
  const long = await openWith([
    pages.join('\n\n'),
    'An attorney is called by the head of the office.'.replace('attorney', 'lawyer'),
  ]);
  const found = await long.resultsFor('attorney', { details: { explain: true } });
  for (const { score, explanation } of found) {
    expect(score).toBeLessThan(0.6);
    expect(explanation?.fullMatch).toBe(0);
  }
});

it('a function word is no answer where the other words are unknown', async () => {
  const rules = await openWith(RULES);
  const byMeaning = (await rules.resultsFor('capital of France', { mode: 'meaning' })).map(
    ({ title }) => title,
  );
  expect((await rules.resultsFor('capital of France')).map(({ title }) => title)).toEqual(byMeaning);
});

it('a filter and named documents hold for what meaning finds', async () => {
  const opened = await suite.openSearch(vectorsIn);
  const ids = [];
  for (const title of ['a', 'b'])
    ids.push(await importText(suite.database, opened.owned, { title, content: RULES[1] ?? '' }, vectorsIn));
  const documents = ids.slice(1).map((id) => ({ knowledgeBaseId: opened.owned.knowledgeBaseId, id }));
  const found = await opened.resultsFor('salary', { scope: { documents } });
  expect(found.map(({ title }) => title)).toEqual(['b']);
  expect(await opened.resultsFor('salary', { scope: { documents: [] } })).toEqual([]);
});

describe('at most some passages of a document', () => {
  /**
   * One document says it by the word of the query and, in another passage, by its meaning; the other by its meaning.
   */
  const PAGES = [
    [
      'A salary is a word of the game. Cards lie on the table.',
      'Wages are paid on the last working day of each month.',
    ],
    ['Wages are paid on the first working day of each year.'],
  ].map((pages) => pages.map((page) => `## Part\n\n${`${page} `.repeat(16)}`).join('\n\n'));
  let pages: Opened;
  beforeAll(async () => {
    pages = await openWith(PAGES);
  });
  const found = async (mode: 'meaning' | 'both', maxPerDocument?: number) =>
    (await pages.resultsFor('salary', { mode, ...(maxPerDocument && { scope: { maxPerDocument } }) })).map(
      ({ title, position }) => `${title}/${position}`,
    );

  it.each(['meaning', 'both'] as const)('by %s has the best of each document', async (mode) => {
    const all = await found(mode);
    const first = all.filter((id, i) => all.findIndex((other) => other[0] === id[0]) === i);
    expect(first.map((id) => id[0]).toSorted()).toEqual(['0', '1']);
    expect(await found(mode, 1)).toEqual(first);
  });

  it('has also passages without a word of the query, beside others of their document', async () => {
    const all = await found('both');
    expect(all.filter((id) => id[0] === '0').length).toBeGreaterThan(1);
    expect(await found('both', 10)).toEqual(all);
  });
});

it('in a knowledge base of many passages, few documents are still compared by their meaning', async () => {
  const opened = await openWith(RULES);
  await suite.database
    .updateTable('knowledge_base_statistics')
    .set({ passage_count: 30_000 })
    .where('knowledge_base_id', '=', opened.owned.knowledgeBaseId)
    .execute();
  expect(await opened.resultsFor('salary')).toEqual([]);
  const { knowledgeBaseId } = opened.owned;
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM documents WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(suite.database);
  const documents = rows.map(({ id }) => ({ knowledgeBaseId, id }));
  const [inScope] = await opened.resultsFor('salary', { scope: { documents } });
  expect(inScope?.title).toBe('1');
  const [byFilter] = await opened.resultsFor('salary', {
    scope: { filter: { path: '$."$title" == "1"', hasFields: true } },
  });
  expect(byFilter?.title).toBe('1');
});
