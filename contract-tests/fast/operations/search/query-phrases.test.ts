/** Words in quotes: passages that have the phrase, and the answer where none has. */
import { expect, test } from 'vitest';
import type { QueryRequest, SearchResult } from '../../../../generated/types.gen.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Phrases' });
const TEXTS = {
  cuff: 'The nurse notes the blood\npressure of each patient.',
  bank: 'Pressure on the bank of blood: blood is rare, pressure is high.',
  visit: 'Patients may be visited from three to five.',
};
for (const [title, content] of Object.entries(TEXTS))
  await api.importTextContent({ knowledgeBaseId, title, content });

type Answer = { success: true; data: SearchResult[]; phrasesAsWords?: string[] };

async function ask(query: string, options: Partial<QueryRequest> = {}): Promise<Answer> {
  const { status, body } = await request('query', { query, knowledgeBaseIds: [knowledgeBaseId], ...options });
  expect(status).toBe(200);
  return body as Answer; // the harness compares it with the spec
}

const titlesOf = ({ data }: Answer) => data.map(({ title }) => title);

test('200: all results have the phrases, also with other options', async () => {
  const ofTexts = { type: 'eq', key: '$type', value: 'text' } as const;
  for (const options of [{}, { prefix: true }, { maxPerDocument: 1 }, { filter: ofTexts }]) {
    const answer = await ask('"blood pressure" patients', options);
    expect(titlesOf(answer)).toEqual(['cuff']);
    expect(answer).not.toHaveProperty('phrasesAsWords');
  }
  expect(titlesOf(await ask('“nurse” pressure'))).toEqual(['cuff']);
  expect(titlesOf(await ask('"nurse pressure'))).toEqual(expect.arrayContaining(['cuff', 'bank']));
});

test('200: highlights mark a phrase, and the explanation counts it', async () => {
  const { data } = await ask('"the blood pressure"', { highlight: true, explain: true });
  const [found] = data;
  const marks = found?.highlights?.map(({ start, end }) => found.content.slice(start, end));
  expect(marks).toEqual(['the blood\npressure']);
  expect(found?.explanation?.phrases).toEqual([{ phrase: 'the blood pressure', occurrences: 1 }]);
});

test('200: of a phrase that no passage has the words are searched, and the answer names it last', async () => {
  const answer = await ask('"bank pressure" "each patient"', { fields: ['title'] });
  expect(answer).toEqual({ success: true, data: [{ title: 'cuff' }], phrasesAsWords: ['bank pressure'] });
  expect(Object.keys(answer)).toEqual(['success', 'data', 'phrasesAsWords']);
  const single = await ask('"three five"');
  expect(titlesOf(single)).toEqual(['visit']);
  expect(single.phrasesAsWords).toEqual(['three five']);
});
