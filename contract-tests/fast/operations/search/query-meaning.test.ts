/** Queries of a service with word vectors. The texts have no word of the queries, unless a test says so. */
import { expect, test } from 'vitest';
import type { QueryRequest } from '../../../../generated/types.gen.ts';
import { createCaller } from '../../../../src/contract-check/requests/calling.ts';
import { expectPromises } from '../../../harness/promises.ts';
import { createKey, openAccount } from '../../../harness/service/opened-account.ts';
import { sharedService } from '../../../harness/shared/share.ts';

const service = await sharedService({ WORD_VECTORS: 'on' });
const account = await openAccount({}, service);
const { api } = account;

const HOTELS = 'Employees stay in hotels of at most three stars during trips.';
const WAGES = 'Wages are paid on the last working day of each month.';

/** A knowledge base with these texts; the title of each is its key. */
async function createWith(texts: Record<string, string>): Promise<string> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Rules' });
  for (const [title, content] of Object.entries(texts))
    await api.importTextContent({ knowledgeBaseId, title, content });
  return knowledgeBaseId;
}

const knowledgeBaseId = await createWith({
  Hotels: HOTELS,
  Wages: WAGES,
  Parts: 'The part number is AX-4711.',
});
const search = (query: string, options: Partial<QueryRequest> = {}) =>
  api.query({ query, knowledgeBaseIds: [knowledgeBaseId], explain: true, ...options });
const titlesFor = async (query: string, options: Partial<QueryRequest> = {}) =>
  (await search(query, options)).map(({ title }) => title);

test('200: keeps its promises', async () => {
  const target = await openAccount({}, service);
  await expectPromises('query', target);
});

test('200: by words alone it finds nothing, by meaning or both it does, and without mode as with both', async () => {
  expect(await titlesFor('salary', { mode: 'words' })).toEqual([]);
  expect((await titlesFor('salary', { mode: 'meaning' }))[0]).toBe('Wages');
  expect((await titlesFor('salary', { mode: 'both' }))[0]).toBe('Wages');
  expect(await search('salary')).toEqual(await search('salary', { mode: 'both' }));
});

test('200: explain names the words that are near, and by meaning no terms', async () => {
  const [byMeaning] = await search('salary', { mode: 'meaning' });
  expect(byMeaning?.explanation).toMatchObject({
    terms: [],
    missing: [],
    meaning: { pairs: [{ term: 'salary', word: 'Wages' }] },
  });
  const [byBoth] = await search('salary of the working day');
  expect(byBoth?.explanation?.terms.map(({ term }) => term)).toContain('working');
  const { meaning, terms = [], neighbours = 0, feedback = 0, fullMatch = 0 } = byBoth?.explanation ?? {};
  expect(meaning?.contribution).toBeGreaterThan(0);
  const ofTerms = terms.reduce((sum, { contribution }) => sum + contribution, 0);
  expect(ofTerms + neighbours + feedback + fullMatch + (meaning?.contribution ?? 0)).toBeCloseTo(
    byBoth?.score ?? 0,
    5,
  );
});

test('200: what has no meaning is by words in every mode', async () => {
  for (const mode of ['words', 'meaning', 'both'] as const) {
    expect(await titlesFor('AX-4711', { mode })).toEqual(['Parts']);
    expect(await titlesFor('"salary"', { mode })).toEqual([]);
  }
});

test('200: a document that is deleted is found by its meaning no more', async () => {
  const { id } = await api.importTextContent({ knowledgeBaseId, title: 'Doctors', content: 'Physicians.' });
  expect(await titlesFor('doctor')).toEqual(['Doctors']);
  await api.deleteDocument(id);
  expect(await titlesFor('doctor')).toEqual([]);
});

test('200: a document that replaces another one has its own meaning, also under another title', async () => {
  const own = await createWith({});
  const importAs = (title: string, content: string) =>
    api.importTextContent({ knowledgeBaseId: own, externalId: 'rule', title, content });
  const find = async (query: string) =>
    (await api.query({ query, knowledgeBaseIds: [own] })).map(({ title }) => title);
  await importAs('First', HOTELS);
  expect([await find('lodging while travelling'), await find('salary')]).toEqual([['First'], []]);
  const { id } = await importAs('Second', WAGES);
  expect([await find('lodging while travelling'), await find('salary')]).toEqual([[], ['Second']]);
  await api.updateDocument({ documentId: id, title: 'Third' });
  expect([await find('lodging while travelling'), await find('salary')]).toEqual([[], ['Third']]);
});

test('200: a key of some knowledge bases, or of another account, finds nothing in others by meaning', async () => {
  const other = await createWith({ Vets: 'A veterinarian looks after the cats.' });
  const apiKey = await createKey(account.name, service, { knowledgeBaseIds: [other] });
  const bound = createCaller({ address: service.address, apiKey });
  const everywhere = { query: 'salary', mode: 'meaning' } as const;
  expect((await api.query(everywhere)).map(({ title }) => title)).toContain('Wages');
  expect(await bound.api.query(everywhere)).toEqual([]);
  expect((await bound.api.query({ ...everywhere, query: 'kitten' })).map(({ title }) => title)).toEqual([
    'Vets',
  ]);
  const stranger = await openAccount({}, service);
  expect(await stranger.api.query(everywhere)).toEqual([]);
});

test('200: a search costs the same in each mode', async () => {
  const before = await api.getBalance();
  for (const mode of ['words', 'meaning', 'both'] as const) await search('salary', { mode });
  expect(await api.getBalance()).toBe(before - 3);
});
