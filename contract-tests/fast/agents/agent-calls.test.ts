/**
 * Calls as models try them: by names of other tools, in other types and cases, without ids, beyond the last page. Each
 * ends in the right answer, or in a sentence that says what to call instead.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';

const account = await openAccount();
const { api } = account;
const { id: handbook } = await api.createKnowledgeBase({ name: 'Handbook' });
const { id: archive } = await api.createKnowledgeBase({ name: 'Archive' });
for (const name of ['Twin', 'Twin']) await api.createKnowledgeBase({ name });
const content = `A hotel may cost 120 euros. ${'Ask for the receipt. '.repeat(30)}`;
const attributes = { year: 2026, team: 'sales' };
const add = async (knowledgeBaseId: string, title: string, fields = {}) =>
  await api.importTextContent({ knowledgeBaseId, title, content, ...fields });
const { id: documentId } = await add(handbook, 'Travel rules', { attributes });
const { id: old } = await add(archive, 'Old rules', { content: 'A hotel cost 90 euros.' });

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'contract-tests', version: '1' });
  const headers = { authorization: `Bearer ${key}` };
  const url = new URL(`${inject('address')}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}
const agent = await connect(account.apiKey);
const reader = await connect(await createKey(account.name, undefined, { scope: 'search' }));
afterAll(async () => await Promise.all([agent.close(), reader.close()]));

/** Calls a tool. Returns what a model reads, whether it is an answer or a refusal. */
async function call(name: string, args: Record<string, unknown> = {}, client = agent) {
  try {
    const { structuredContent, content: blocks, isError } = await client.callTool({ name, arguments: args });
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, isError: isError === true, answer: structuredContent };
  } catch (error) {
    return { text: String(error), isError: true, answer: undefined };
  }
}

type Found = { passages: { title: string; documentId: string; uri: string }[] };
const titlesOf = ({ answer }: { answer: unknown }) => (answer as Found).passages.map(({ title }) => title);

describe('a call that can mean one thing only has its answer', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a knowledge base by its name', { knowledgeBaseIds: ['Handbook'] }],
    ['in another case', { knowledgeBaseIds: [' HANDBOOK '] }],
    ['by its id', { knowledgeBaseIds: [handbook] }],
    ['by its id in capitals', { knowledgeBaseIds: [handbook.toUpperCase()] }],
    ['one name in place of a list', { knowledgeBaseIds: 'Handbook' }],
    ['a list as text', { knowledgeBaseIds: '["Handbook"]' }],
    ['a number as text', { knowledgeBaseIds: ['Handbook'], limit: '5' }],
    ['null for what is not meant', { knowledgeBaseIds: ['Handbook'], documentIds: null, mode: null }],
    ['a filter in JSON as text', { filter: '{"type": "eq", "key": "team", "value": "sales"}' }],
    ['a filter as text', { filter: 'team = sales' }],
    ['one document in place of a list', { documentIds: documentId }],
    ['a document by its resource', { documentIds: [`knowledge://documents/${documentId}`] }],
  ])('search: %s', async (_what, restriction) => {
    expect(titlesOf(await call('search', { query: 'hotel', ...restriction }))).toEqual(['Travel rules']);
  });

  test('a passage is read by the address of its citation', async () => {
    const { answer, text } = await call('search', { query: 'hotel', knowledgeBaseIds: ['Archive'] });
    const [{ uri } = { uri: '' }] = (answer as Found).passages;
    expect(uri).toMatch(/^http:\/\/[^/]+\/#\/d\/[\w-]{43}\?passage=1$/);
    expect(text).toContain(`Old rules (in Archive, score `);
    expect(text).not.toContain(old);
    expect(await call('read_document', { documentId: uri })).toMatchObject({ answer: { documentId: old } });
  });

  test('documents of a knowledge base are listed by its name and a filter, page by page', async () => {
    const filter = { type: 'eq', key: 'year', value: 2026 };
    const list = async (more = {}) => await call('list_documents', { knowledgeBaseId: 'handbook', ...more });
    expect(await list({ filter })).toMatchObject({ answer: { documents: [{ documentId, attributes }] } });
    expect(await list({ filter: { ...filter, value: 2025 } })).toMatchObject({ answer: { documents: [] } });
    await add(handbook, 'Second page');
    const { answer, text } = await list({ limit: '1' });
    const { nextCursor: cursor = '' } = answer as { nextCursor?: string };
    expect(text).toContain(cursor);
    expect(await list({ limit: 1, cursor })).toMatchObject({ answer: { documents: [{ documentId }] } });
  });

  test('the attributes of a knowledge base are listed, with their values', async () => {
    const { text, answer } = await call('list_attributes', { knowledgeBaseId: 'handbook' });
    expect(text.split('\n').toSorted()).toEqual(['team (text): "sales" in 1', 'year (number): 2026 in 1']);
    expect(answer).toMatchObject({ isComplete: true });
  });

  test('a reading beyond the end says where the end is', async () => {
    const { text } = await call('read_document', { documentId, offset: 1_000_000 });
    expect(text).toContain(`of ${content.trimEnd().length}`);
  });
});

describe('any other call is refused, and told the next one', () => {
  const bases = /list_knowledge_bases/;
  const documents = /search and list_documents/;
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['search', { query: 'hotel', knowledge_bases: ['Handbook'] }, /did you mean knowledgeBaseIds\?/],
    ['search', { query: 'hotel', knowledge_base: 'Handbook' }, /did you mean knowledgeBaseIds\?/],
    ['search', { query: 'hotel', kb: 'Handbook' }, /did you mean knowledgeBaseIds\?/],
    ['search', { query: 'hotel', collection_name: 'Handbook' }, /did you mean knowledgeBaseIds\?/],
    ['search', { query: 'hotel', document_id: documentId }, /did you mean documentIds\?/],
    ['search', { query: 'hotel', filters: {} }, /did you mean filter\?/],
    ['search', { query: 'hotel', top_k: 3 }, /did you mean limit\?/],
    ['search', { q: 'hotel' }, /did you mean query\?/],
    ['search', { query: 'hotel', colour: 'red' }, /colour is not an argument of search; it takes query, /],
    ['search', {}, /query is required/],
    ['search', { query: 'hotel', limit: 500 }, /limit must be at most 50/],
    ['search', { query: 'hotel', limit: 'all' }, /limit must be a whole number/],
    ['search', { query: 'hotel', knowledgeBaseIds: ['Handbok'] }, /did you mean "Handbook"\?/],
    ['search', { query: 'hotel', knowledgeBaseIds: ['Wiki'] }, /There are .*"Handbook"/],
    [
      'search',
      { query: 'hotel', knowledgeBaseIds: ['Twin'] },
      /2 knowledge bases are named "Twin". Give an id/,
    ],
    ['search', { query: 'hotel', knowledgeBaseIds: [crypto.randomUUID()] }, bases],
    [
      'search',
      { query: 'hotel', knowledgeBaseIds: { name: 'Handbook' } },
      /knowledgeBaseIds must be an array/,
    ],
    ['search', { query: 'hotel', documentIds: ['Travel rules'] }, documents],
    ['search', { query: 'hotel', filter: { year: 2026 } }, /filter\.type is required.*\{"type": "eq"/],
    ['search', { query: 'hotel', filter: { type: 'equals', key: 'a', value: 1 } }, /one of eq, ne,/],
    ['read_document', { documentId: 'Travel rules' }, documents],
    ['read_document', { documentId: `${handbook}_${crypto.randomUUID()}` }, documents],
    ['read_document', { id: documentId }, /did you mean documentId\?/],
    ['read_document', {}, /documentId is required.*search and list_documents/],
    ['list_documents', {}, /knowledgeBaseId is required.*list_knowledge_bases/],
    ['list_documents', { knowledgeBaseId: 'Handbook', cursor: '2' }, /cursor.*Begin again without cursor/],
    ['list_documents', { knowledgeBaseId: 'Handbook', page: 2 }, /did you mean cursor\?/],
    ['list_knowledge_bases', { limit: 5 }, /limit is not an argument of list_knowledge_bases/],
    ['list_attributes', { kb: 'Handbook' }, /did you mean knowledgeBaseId\?/],
    ['add_text', { knowledgeBaseId: 'Nowhere', title: 'a', content: 'b' }, /There are .*"Handbook"/],
    ['add_text', { knowledgeBaseId: 'Handbook', content: 'b' }, /title is required/],
    ['searchDocuments', { query: 'hotel' }, /There is no tool .*search, read_document/],
    ['readDocument', { documentId }, /did you mean read_document\?/],
    ['delete_text', { documentId }, /was not added by an agent.*list_documents/s],
    ['update_text', { documentId, content: 'Mine.' }, /was not added by an agent/],
  ])('%s %j', async (name, args, sentence) => {
    expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringMatching(sentence) });
  });

  test('a key that may only search is told so', async () => {
    const { text } = await call(
      'add_text',
      { knowledgeBaseId: 'Handbook', title: 'a', content: 'b' },
      reader,
    );
    expect(text).toMatch(/add_text needs a key that may write/);
  });
});

test('an agent corrects and deletes what it has added', async () => {
  const written = { knowledgeBaseId: 'Handbook', title: 'Numbat', content: 'The numbat sleeps.' };
  const idOf = ({ answer }: { answer: unknown }) => (answer as { documentId: string }).documentId;
  const first = idOf(await call('add_text', { ...written, attributes: { year: 2026 } }));
  const second = idOf(await call('update_text', { documentId: first, content: 'The numbat eats termites.' }));
  await call('update_text', { documentId: second, title: 'Numbats' });
  const { answer } = await call('search', { query: 'numbat', knowledgeBaseIds: ['Handbook'] });
  expect(answer).toMatchObject({
    passages: [
      {
        documentId: second,
        title: 'Numbats',
        text: 'The numbat eats termites.',
        attributes: { year: 2026, addedBy: 'agent' },
      },
    ],
  });
  expect(await call('delete_text', { documentId: second })).toMatchObject({ isError: false });
  expect(titlesOf(await call('search', { query: 'numbat' }))).toEqual([]);
  expect(await call('delete_text', { documentId: second })).toMatchObject({ isError: true });
});
