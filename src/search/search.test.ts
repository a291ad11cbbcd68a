/** The order of search results, with the reason for each position. */
import { describe, expect, test } from 'vitest';
import { toDocumentFilter } from '../database/rows/documents/document-filter.ts';
import { mergeFrequencyDeltas } from '../indexing/postings/document-frequencies.ts';
import { importText } from './testing/imported-texts.ts';
import { titled, useSearch } from './testing/searched-texts.ts';

const suite = useSearch();
const { searchIn, orderOf, openSearch } = suite;

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

describe('function words', () => {
  const texts = { lift: 'The lift is out of order.', hotel: 'What does the hotel cost for a night?' };
  test('beside other words they find nothing by themselves', async () => {
    expect(await orderOf(texts, 'What is the submarine for?')).toEqual([]);
    expect(await orderOf(texts, 'What is the lift for?')).toEqual(['lift']);
  });
  test('alone they count', async () => {
    expect(await orderOf(texts, 'out of')).toEqual(['lift']);
  });
  test('in a filter, too', async () => {
    const { owned, resultsFor } = await openSearch();
    for (const [title, content] of Object.entries(texts))
      await importText(suite.database, owned, { title, content });
    const scope = { filter: toDocumentFilter({ type: 'ne', key: '$title', value: 'other' }) };
    expect(await resultsFor('What is the submarine for?', { scope })).toEqual([]);
    expect(await resultsFor('What is the lift for?', { scope })).toMatchObject([{ title: 'lift' }]);
  });
});

test('in few texts, a common word that is rare there does not outweigh the word that matters', async () => {
  const hotels = [
    'The hotel is paid by the firm.',
    'Book a hotel early.',
    'A hotel near the station is best.',
  ];
  const texts = {
    ...Object.fromEntries(hotels.map((text, i) => [`hotel ${i}`, text])),
    rule: 'A hotel may cost up to 120 euros a night, breakfast apart.',
    rain: 'Much rain fell this year.',
    need: 'You need boots.',
    get: 'Get a coat.',
  };
  const order = await orderOf(texts, 'How much may I get for a hotel?');
  expect(order.slice(0, 4).sort()).toEqual(['hotel 0', 'hotel 1', 'hotel 2', 'rule']);
});

test('a query of stop words only finds its passage', async () => {
  const order = await orderOf(
    { hamlet: 'To be, or not to be', other: 'Something else' },
    'to be or not to be',
  );
  expect(order[0]).toBe('hamlet');
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
  const { owned, resultsFor } = await openSearch();
  // 700 passages have one word, 1,115 the other, 15 both: far fewer than independence predicts, and they are not the
  // best.
  const words = (i: number) => (i < 685 ? 'zalpha '.repeat(9) : i < 700 ? 'zalpha zbeta' : 'zbeta');
  const filler = 'and more of this and that for the whole of a long paragraph '.repeat(9);
  const paragraphs = Array.from({ length: 1_800 }, (_, i) => `${words(i)} ${filler}`);
  await importText(suite.database, owned, { title: 'Long', content: paragraphs.join('\n\n') });
  const first = await resultsFor('zalpha zbeta', { limit: 5 });
  expect(first).toEqual((await resultsFor('zalpha zbeta', { limit: 50 })).slice(0, 5));
  // Together with 70 words that no passage holds, whose tiers are not looked up.
  const unknown = Array.from({ length: 70 }, (_, i) => `unknown${i}`).join(' ');
  const amidMany = await resultsFor(`zalpha ${unknown} zbeta`, { limit: 5 });
  expect(amidMany.map(({ position }) => position)).toEqual(first.map(({ position }) => position));
});

test('a query finds the same before and after the counts of an import are merged', async () => {
  const { owned, resultsFor } = await openSearch();
  const contents = [
    ...Array.from({ length: 4 }, (_, i) => `jaguar habitat predator rainforest ${i}`),
    'jaguar among predator and habitat there',
    'jaguar among engine and gearbox there',
    ...Array.from({ length: 20 }, (_, i) => `engine and gearbox for sale ${i}`),
  ];
  for (const content of contents) await importText(suite.database, owned, { title: 'T', content });
  const unmerged = await resultsFor('jaguar');
  await mergeFrequencyDeltas(suite.database);
  expect(unmerged).toEqual(await resultsFor('jaguar'));
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
