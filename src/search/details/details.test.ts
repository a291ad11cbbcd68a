/** Highlights, explanations and surroundings of found passages. */
import { describe, expect, test } from 'vitest';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { importText, type TestText } from '../testing/imported-texts.ts';
import { titled, useSearch } from '../testing/searched-texts.ts';
import type { DetailedPassage } from './details.ts';
import { roundToSum } from './explanation.ts';

const suite = useSearch();
const { openSearch } = suite;

/** A search over these texts. */
async function searchOver(texts: TestText[]) {
  const { owned, resultsFor } = await openSearch();
  for (const text of texts) await importText(suite.database, owned, text);
  await mergeFrequencyDeltas(suite.database);
  return resultsFor;
}

/** The marked parts of a passage's content. */
const marked = ({ content, highlights = [] }: DetailedPassage): string[] =>
  highlights.map(({ start, end }) => [...content].slice(start, end).join(''));

describe('highlights', () => {
  /** The marked parts of a text of one passage. */
  async function marksOf(content: string, query: string, { title = 'Untitled', prefix = false } = {}) {
    const resultsFor = await searchOver([{ title, content }]);
    const [found] = await resultsFor(query, { prefix, details: { highlight: true } });
    if (found === undefined) throw new Error('the text was not found');
    return marked(found);
  }

  test.each([
    [
      'English stems',
      'They restarted it. Restarting helps; a restart is quick.',
      'restarts',
      ['restarted', 'Restarting', 'restart'],
    ],
    [
      'German stems and accents',
      'Alle Häuser und das Haus. Die Gebühren.',
      'hauses gebuhr',
      ['Häuser', 'Haus', 'Gebühren'],
    ],
    ['Arabic with vowel signs', 'السَّلامُ عليكم يا كتاب', 'السلام', ['السَّلامُ']],
    ['Chinese bigrams, joined', '我们在北京大学学习中文。', '北京大学', ['北京大学']],
    ['one Chinese character', '我有一只猫。狗不是猫。', '猫', ['猫', '猫']],
    ['Thai', 'เมืองไทยมีประชากรมากที่สุด', 'ประชากร', ['ประชากร']],
    ['parts of compounds', 'Call getUserById in Node.js.', 'user node', ['User', 'Node']],
    ['whole compounds', 'Send an e-mail to us.', 'email', ['e-mail']],
    [
      'words with soft hyphens after emoji',
      '👩‍🚀 co\u00adop\u00ader\u00adation',
      'cooperation',
      ['co\u00adop\u00ader\u00adation'],
    ],
    ['decomposed accents', 'Un cafe\u0301 noir', 'café', ['cafe\u0301']],
    [
      'what is near a misspelt word',
      'Keep a receipt. No receipts, no money.',
      'recipts',
      ['receipt', 'receipts'],
    ],
    [
      'the compounds of a word',
      'Die Reisekostenabrechnung ist fertig.',
      'Reisekosten',
      ['Reisekostenabrechnung'],
    ],
    ['the parts of a compound', 'Erst die Reise, dann Kosten.', 'Reisekosten', ['Reise', 'Kosten']],
    ['transcribed umlauts', 'Please ask Jürgen Müller.', 'Juergen Mueller', ['Jürgen', 'Müller']],
  ])('mark %s', async (_, content, query, expected) => {
    expect(await marksOf(content, query)).toEqual(expected);
  });

  test('mark what completes the last word', async () => {
    const content = 'A receipt. The recipes of a recipient, received yesterday.';
    expect(await marksOf(content, 'reci', { prefix: true })).toEqual(['recipes', 'recipient']);
  });

  test('leave out stop words, unless nothing else matches', async () => {
    expect(await marksOf('The end of the road is near.', 'the road')).toEqual(['road']);
    expect(await marksOf('To be, or not to be.', 'to be or not to be')).toEqual([
      'To',
      'be',
      'or',
      'not',
      'to',
      'be',
    ]);
  });

  test('are empty where only the title matches', async () => {
    expect(await marksOf('Nothing of it here.', 'zebra', { title: 'Zebra zebra' })).toEqual([]);
  });

  test('are right after a title, headings and a front part', async () => {
    const content = '# The zebra\n\n## Its life\n\nA lion sleeps. The zebra grazes, and zebras drink.';
    const resultsFor = await searchOver([{ title: 'On the zebra, the lion and more', content }]);
    for (const found of await resultsFor('zebra', { details: { highlight: true } }))
      for (const part of marked(found)) expect(part.toLowerCase()).toMatch(/^zebras?$/);
  });

  test('the snippet has the densest marks, 300 code points at most, and is a part of the content', async () => {
    const filler = 'Many other words stand here. '.repeat(30);
    const content = `Zebra. ${filler}😀 A zebra saw a zebra. ${filler}`;
    const resultsFor = await searchOver([{ title: 'Long', content }]);
    const [found] = await resultsFor('zebra saw', { details: { highlight: true } });
    const { text, start } = found?.snippet ?? { text: '', start: 0 };
    expect(text).toContain('A zebra saw a zebra.');
    const characters = [...(found?.content ?? '')];
    expect(characters.slice(start, start + [...text].length).join('')).toBe(text);
    expect([...text].length).toBeLessThanOrEqual(300);
    expect(text).toMatch(/^\S.*\S$/su);
  });
});

describe('explanations', () => {
  const matchesOf = async (texts: TestText[], query: string, prefix = false) => {
    const resultsFor = await searchOver(texts);
    const [found] = await resultsFor(query, { prefix, details: { explain: true } });
    return (found?.explanation?.terms ?? []).map(({ term, match, words }) => [term, match, words]);
  };

  test('name the words of the text: forms of the query’s words, longer words, and guesses', async () => {
    const texts = [
      {
        title: 'Claims',
        content: 'Receipts of the Journey are kept; each receipt counts. The lamp stays on.',
      },
    ];
    expect(await matchesOf(texts, 'receipt')).toEqual([['receipt', 'word', ['Receipts', 'receipt']]]);
    expect(await matchesOf(texts, 'recipts')).toEqual([['recipts', 'guess', ['Receipts', 'receipt']]]);
    expect(await matchesOf(texts, 'jour', true)).toEqual([['jour', 'completion', ['Journey']]]);
    expect(await matchesOf(texts, 'claims')).toEqual([['claims', 'word', []]]);
  });

  const words = [
    'red',
    'green',
    'blue',
    'white',
    'black',
    'house',
    'houses',
    'the',
    'und',
    'café',
    '北京',
    '猫',
  ];
  /** Texts of random words, the same at every run. */
  const randomTexts = (count: number): TestText[] => {
    let seed = 7;
    const random = (max: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % max;
    };
    const some = (max: number) =>
      Array.from({ length: 1 + random(max) }, () => words[random(words.length)]).join(' ');
    return Array.from({ length: count }, () => ({
      title: some(3),
      content: `${some(40)}.\n\n# ${some(2)}\n\n${some(900)}`,
    }));
  };

  test('add up to the score, to the sixth decimal', async () => {
    const resultsFor = await searchOver(randomTexts(40));
    for (const query of [
      'red',
      'the red house',
      'green blue 北京 unknownword',
      'cafe und 猫',
      'hosue whitte',
      'greenhouse bleck red',
      'red ho',
      'gr',
      words.join(' '),
    ]) {
      const results = await resultsFor(query, { limit: 50, prefix: true, details: { explain: true } });
      expect(results.length).toBeGreaterThan(10);
      for (const { score, explanation } of results) {
        const { terms, neighbours, feedback, fullMatch } = explanation ?? {
          ...{ terms: [], neighbours: 0, feedback: 0, fullMatch: 0 },
        };
        const parts = [...terms.map(({ contribution }) => contribution), neighbours, feedback, fullMatch];
        expect(parts.reduce((sum, part) => sum + part, 0).toFixed(6)).toBe(score.toFixed(6));
        for (const { weight, contribution } of terms)
          expect(contribution).toBeLessThanOrEqual(weight + 0.000_001);
      }
    }
  });

  test('the terms have their words, occurrences and weights; missing words are named', async () => {
    const resultsFor = await searchOver(
      titled({
        rare: 'The zebra drinks in the evening. Another zebra sleeps near the water.',
        other: 'Water is wet.',
        third: 'Water flows.',
      }),
    );
    const [best] = await resultsFor('zebra water unheardof', { details: { explain: true } });
    const { terms = [], missing } = best?.explanation ?? {};
    expect(terms.map(({ term, occurrences }) => [term, occurrences])).toEqual([
      ['zebra', 2],
      ['water', 1],
    ]);
    expect(terms[0]?.weight).toBeGreaterThan(terms[1]?.weight ?? 1);
    expect(missing).toEqual(['unheardof']);
  });

  test('a word that no passage has stands for those near it, and adds less than they would', async () => {
    const resultsFor = await searchOver(
      titled({ answer: 'Keep a receipt, and another receipt.', other: 'Water is wet.' }),
    );
    const explained = async (query: string) => {
      const [best] = await resultsFor(query, { details: { explain: true } });
      return best?.explanation ?? { terms: [], missing: undefined };
    };
    const { terms, missing } = await explained('recipts zyxwvut');
    expect(terms.map(({ term, occurrences }) => [term, occurrences])).toEqual([['recipts', 2]]);
    expect(missing).toEqual(['zyxwvut']);
    const exact = await explained('receipts zyxwvut');
    expect(terms[0]?.weight).toBeLessThan(exact.terms[0]?.weight ?? 0);
  });

  test('neighbours and feedback have parts of their own', async () => {
    const resultsFor = await searchOver(randomTexts(40));
    const results = await resultsFor('red green', { limit: 50, details: { explain: true } });
    expect(results.some(({ explanation }) => explanation?.neighbours !== 0)).toBe(true);
    expect(results.some(({ explanation }) => explanation?.feedback !== 0)).toBe(true);
  });

  test('roundToSum keeps the sum', () => {
    expect(roundToSum([0.333_333_33, 0.333_333_33, 0.333_333_34], 1)).toEqual([
      0.333_333, 0.333_333, 0.333_334,
    ]);
    expect(roundToSum([0.5, -0.000_000_4], 0.5)).toEqual([0.5, 0]);
  });
});

describe('contexts', () => {
  /** One document of ten passages, each with its number as a word. */
  const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const chapters = numbers.map(
    (number) => `# Chapter ${number}\n\n${`Here is ${number}filler text. `.repeat(60)}`,
  );
  const book = { title: 'Book', content: chapters.join('\n\n') };

  test('have the neighbouring passages in the order of the document', async () => {
    const resultsFor = await searchOver([book]);
    const all = await resultsFor('filler text', { limit: 50 });
    const texts = all.toSorted((left, right) => left.position - right.position).map(({ content }) => content);
    const [found] = await resultsFor('fivefiller', { limit: 1, details: { contextPassages: 2 } });
    const at = texts.indexOf(found?.content ?? '');
    expect(found?.context).toEqual({ before: texts.slice(at - 2, at), after: texts.slice(at + 1, at + 3) });
  });

  test('never have a text twice, and none of a result', async () => {
    const resultsFor = await searchOver([book, { title: 'Other', content: 'Another text.' }]);
    for (const reach of [1, 2, 3]) {
      const found = await resultsFor('threefiller fourfiller sevenfiller', {
        limit: 5,
        details: { contextPassages: reach },
      });
      const shown = found.flatMap(({ content, context }) => [
        content,
        ...(context?.before ?? []),
        ...(context?.after ?? []),
      ]);
      expect(new Set(shown).size).toBe(shown.length);
      for (const { context } of found) {
        expect(context?.before.length).toBeLessThanOrEqual(reach);
        expect(context?.after.length).toBeLessThanOrEqual(reach);
      }
    }
  });

  test('are empty at the ends of a document and in one of a single passage', async () => {
    const resultsFor = await searchOver([{ title: 'Short', content: 'A single wombat.' }]);
    const [found] = await resultsFor('wombat', { details: { contextPassages: 3 } });
    expect(found?.context).toEqual({ before: [], after: [] });
  });
});
