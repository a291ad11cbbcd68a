/**
 * The options of a query that restrict its results. src/search/ranking/search-scope.test.ts tests them on random
 * documents.
 */
import { describe, expect, test } from 'vitest';
import type {
  Filter,
  InputValidationFailedError,
  QueryRequest,
  SearchResultsEnvelope,
} from '../../../../generated/types.gen.ts';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../../harness/calls/expect-refusal.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Scopes' });

const pond = await api.importTextContent({
  knowledgeBaseId,
  title: 'Pond',
  content: 'The otter swims in the pond.',
  attributes: { year: 2024, tags: ['water', 'still'], isPublic: true },
});
const river = await api.importTextContent({
  knowledgeBaseId,
  title: 'River',
  content: ['The otter swims in the river.', 'Another otter sleeps.', 'No otter is awake.']
    .map((sentence) => `${sentence} ${'Water flows by. '.repeat(60)}`)
    .join('\n\n'),
  attributes: { year: 2026, tags: ['water'] },
  sourceUrl: 'https://example.org/river',
});
const zoo = await api.importTextContent({ knowledgeBaseId, title: 'Zoo', content: 'The otter of the zoo.' });

const search = (options: Partial<QueryRequest> = {}) =>
  api.query({ query: 'otter', knowledgeBaseIds: [knowledgeBaseId], ...options });
const titlesOf = async (options: Partial<QueryRequest>) =>
  [...new Set((await search(options)).map(({ title }) => title))].toSorted();

const is = (key: string, value: string | number | boolean): Filter => ({ type: 'eq', key, value });

describe('200: a filter by', () => {
  test.each<[string, Filter, string[]]>([
    ['a number', is('year', 2024), ['Pond']],
    ['a number as text finds no number', is('year', '2024'), []],
    ['a boolean', is('isPublic', true), ['Pond']],
    ['a text of a list', is('tags', 'still'), ['Pond']],
    ['an order', { type: 'gte', key: 'year', value: 2025 }, ['River']],
    [
      'a negation finds documents without the attribute',
      { type: 'ne', key: 'year', value: 2024 },
      ['River', 'Zoo'],
    ],
    ['a list of values', { type: 'in', key: 'year', value: [2024, 2026] }, ['Pond', 'River']],
    ['an empty list of values', { type: 'in', key: 'year', value: [] }, []],
    ['no value of a list', { type: 'nin', key: 'tags', value: ['still'] }, ['River', 'Zoo']],
    ['an item of a list', { type: 'contains', key: 'tags', value: 'water' }, ['Pond', 'River']],
    ['a part of the title', { type: 'contains', key: '$title', value: 'oo' }, ['Zoo']],
    ['the type', is('$type', 'text'), ['Pond', 'River', 'Zoo']],
    ['the source', is('$sourceUrl', 'https://example.org/river'), ['River']],
    ['the time', is('$createdAt', river.createdAt), ['River']],
    ['a day', { type: 'gt', key: '$createdAt', value: '2020-01-01' }, ['Pond', 'River', 'Zoo']],
    ['a part of the time finds nothing', { type: 'contains', key: '$createdAt', value: '2020-01-01' }, []],
    ['several conditions', { type: 'and', filters: [is('year', 2024), is('tags', 'water')] }, ['Pond']],
    ['a value of any type', { type: 'exists', key: 'year' }, ['Pond', 'River']],
    ['no field of the document', { type: 'exists', key: '$sourceUrl' }, ['River']],
    [
      'none of several conditions',
      { type: 'not', filters: [is('year', 2024), is('$title', 'Zoo')] },
      ['River'],
    ],
    [
      'a negated part of a list',
      { type: 'not', filters: [{ type: 'contains', key: 'tags', value: 'still' }] },
      ['River', 'Zoo'],
    ],
  ])('%s', async (_, filter, titles) => {
    expect(await titlesOf({ filter })).toEqual(titles);
  });
});

test('200: a filter as text finds what it finds in JSON, in a query and in a list', async () => {
  const filter = 'year >= 2024 and not (tags contains still or $title = Zoo)';
  expect(await titlesOf({ filter })).toEqual(['River']);
  expect(await titlesOf({ filter: JSON.stringify(is('year', 2024)) })).toEqual(['Pond']);
  for (const written of [filter, JSON.stringify(filter)]) {
    const { body } = await request('listDocuments', { knowledgeBaseId, filter: written });
    expect(body).toMatchObject({ data: [{ title: 'River' }], pagination: { hasMore: false } });
  }
});

test.each<[string, string[]]>([
  ['year = "2024"', ['No document has a text as "year"; 2 have a number.']],
  [
    'isPublic = 1 or year in ("a", "b")',
    [
      'No document has a number as "isPublic"; 1 has true or false.',
      'No document has a text as "year"; 2 have a number.',
    ],
  ],
  ['tags > 3', ['No document has a number as "tags"; 2 have a list of texts.']],
  ['yeer = 2024', ['No document has the attribute "yeer"; did you mean "year"?']],
  ['colour exists', ['No document has the attribute "colour".']],
  ['colour = red and colour = red', ['No document has the attribute "colour".']],
  ['year = 1900', []],
  ['year = 1900 and not (colour = red)', []],
  ['$title = 5', []],
])('200: a filter by %s, which leaves nothing, says why', async (filter, messages) => {
  const { body } = await request('query', { query: 'otter', knowledgeBaseIds: [knowledgeBaseId], filter });
  const { data, warnings = [] } = body as SearchResultsEnvelope;
  expect(data).toEqual([]);
  expect(warnings.map(({ message }) => message)).toEqual(messages);
});

test('200: what the searched documents have counts, and a filter that leaves something has no warning', async () => {
  const warningsOf = async (options: Partial<QueryRequest>) =>
    ((await request('query', { query: 'otter', ...options })).body as SearchResultsEnvelope).warnings;
  const unknown = [{ code: 'FILTER_ATTRIBUTE_UNKNOWN', message: 'No document has the attribute "year".' }];
  expect(await warningsOf({ documentIds: [zoo.id], filter: 'year = 2024' })).toEqual(unknown);
  expect(await warningsOf({ documentIds: [pond.id], filter: 'year = 2024 or colour = red' })).toBeUndefined();
  const { id: empty } = await api.createKnowledgeBase({ name: 'Empty' });
  expect(await warningsOf({ knowledgeBaseIds: [empty], filter: 'year = 2024' })).toBeUndefined();
});

test('200: a hint is one of the most frequent names, however many there are', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Many names' });
  const importWith = (title: string, names: string[]) =>
    api.importTextContent({
      knowledgeBaseId: id,
      title,
      content: 'An otter.',
      attributes: Object.fromEntries(names.map((name) => [name, 1])),
    });
  for (const [i, title] of Array.from({ length: 26 }, (_, i) => [i >> 1, `No. ${i}`] as const))
    await importWith(
      title,
      Array.from({ length: 16 }, (_, j) => `name-${i}-${j}`),
    );
  await importWith('Rare', ['manufacturer']);
  const messagesOf = async (filter: string) => {
    const { body } = await request('query', { query: 'otter', knowledgeBaseIds: [id], filter });
    return (body as SearchResultsEnvelope).warnings?.map(({ message }) => message);
  };
  expect(await messagesOf('manufacturr = 1')).toEqual(['No document has the attribute "manufacturr".']);
  expect(await messagesOf('manufacturer = "x"')).toEqual([
    'No document has a text as "manufacturer"; 1 has a number.',
  ]);
});

test('422: a filter as text is refused at its first wrong character, and its bounds are those of JSON', async () => {
  const refusalOf = async (filter: string) =>
    (await request('query', { query: 'otter', filter })).body as InputValidationFailedError;
  const end = 'is wrong at character 7: expected a value, such as 2026, true or "sales", not the end';
  expect((await refusalOf('year =')).data.fieldErrors).toEqual({ filter: [end] });
  const listed = await request('listDocuments', { knowledgeBaseId, filter: 'year =' });
  expect(listed.body).toMatchObject({
    errorCode: 'INPUT_VALIDATION_FAILED',
    data: { fieldErrors: { filter: [end] } },
  });
  expect((await refusalOf('{"type":"eq"}')).data.fieldErrors).toHaveProperty(['filter.key']);
  expect((await refusalOf('x'.repeat(16_385))).data.fieldErrors).toHaveProperty('filter');
  const nested = `${'{"type":"not","filters":['.repeat(400)}${']}'.repeat(400)}`;
  for (const text of ['['.repeat(5_000) + ']'.repeat(5_000), nested, JSON.stringify(nested)])
    expect((await refusalOf(text)).data.fieldErrors.filter?.[0]).toMatch(/^must hold 1000 values at most/);
  const many = Array.from({ length: 63 }, (_, year) => `year = ${year}`);
  expect(await titlesOf({ filter: many.join(' or ') })).toEqual([]);
  expect((await refusalOf([...many, 'year = 1'].join(' or '))).data.fieldErrors).toHaveProperty('filter');
});

test('200: of several documentIds those are searched that fit the other restrictions too', async () => {
  expect(await titlesOf({ documentIds: [pond.id, zoo.id] })).toEqual(['Pond', 'Zoo']);
  expect(await titlesOf({ documentIds: [pond.id], knowledgeBaseIds: [] })).toEqual([]);
  expect(await titlesOf({ documentIds: [pond.id, zoo.id], filter: is('year', 2024) })).toEqual(['Pond']);
});

test('200: a document that is deleted is no longer among documentIds', async () => {
  const { id } = await api.importTextContent({
    knowledgeBaseId,
    title: 'Gone',
    content: 'The otter is gone.',
  });
  expect(await titlesOf({ documentIds: [id] })).toEqual(['Gone']);
  await api.deleteDocument(id);
  expectRefusal(await request('query', { query: 'otter', documentIds: [id] }), 404, 'DOCUMENT_NOT_FOUND');
});

test('200: maxPerDocument makes room for other documents', async () => {
  const inRiver = { query: 'otter water', limit: 3 };
  expect(await titlesOf(inRiver)).toEqual(['River']);
  expect(await titlesOf({ ...inRiver, maxPerDocument: 1 })).toEqual(['Pond', 'River', 'Zoo']);
});

test('200: with distinct, passages with the same text come once, in any knowledge base', async () => {
  const other = await api.createKnowledgeBase({ name: 'Copies' });
  const copy = { knowledgeBaseId: other.id, title: 'Copy', content: 'The badger digs a sett.' };
  await api.importTextContent(copy);
  await api.importTextContent({ ...copy, knowledgeBaseId, title: 'Original' });
  await api.importTextContent({ ...copy, title: 'Another', content: 'The badger digs, a sett.' });
  const found = async (options: object) =>
    (
      await api.query({ query: 'badger sett', knowledgeBaseIds: [knowledgeBaseId, other.id], ...options })
    ).map(({ content, duplicates }) => [content, duplicates]);
  expect(await found({})).toHaveLength(3);
  const once = await found({ distinct: true });
  expect(new Map(once as [string, number][])).toEqual(
    new Map([
      [copy.content, 1],
      ['The badger digs, a sett.', 0],
    ]),
  );
  expect(once).toHaveLength(2);
  const fields = ['duplicates'] as const;
  expect(await api.query({ query: 'badger sett', distinct: true, limit: 1, fields: [...fields] })).toEqual([
    { duplicates: expect.any(Number) },
  ]);
  await api.deleteKnowledgeBase(other.id);
});

test('200: the least minScore leaves out nothing, and the most all but the best possible', async () => {
  const all = await search();
  expect(await search({ minScore: 0 })).toEqual(all);
  expect(await search({ minScore: 1 })).toEqual(all.filter(({ score }) => score === 1));
});

test('404: the first unknown one of several documents is named, and nothing is charged', async () => {
  const documentIds = [pond.id, UNKNOWN_DOCUMENT_ID];
  await expectNothingChanged(account, async () => {
    const answer = await request('query', { query: 'otter', documentIds });
    expectRefusal(answer, 404, 'DOCUMENT_NOT_FOUND');
    expect(answer.text).toContain(`There is no document with the id ${UNKNOWN_DOCUMENT_ID}.`);
  });
});

const nested = (levels: number): object =>
  levels === 1 ? is('a', 1) : { type: 'and', filters: [nested(levels - 1)] };
const many = (conditions: number) => ({ type: 'or', filters: Array(conditions - 1).fill(is('a', 1)) });
/** Its texts have 10 × `length` + 3 characters. */
const long = (length: number) => ({ type: 'in', key: 'a', value: Array(10).fill('x'.repeat(length)) });
/** A condition with a list of each of these lengths. */
const lists = (...lengths: number[]) => ({
  type: 'or',
  filters: lengths.map((length) => ({ type: 'in', key: 'a', value: Array(length).fill(1) })),
});

const parts = (conditions: number) => ({
  type: 'and',
  filters: Array.from({ length: conditions }, (_, i) => ({ type: 'contains', key: 'a', value: `x${i}` })),
});

test.each<[string, object]>([
  ['8 levels', nested(8)],
  ['64 conditions', many(64)],
  ['16,383 characters', long(1638)],
  ['256 values in lists', lists(100, 100, 56)],
  ['32 conditions contains', parts(32)],
])('200: a filter of %s', async (_, filter) => {
  expect((await request('query', { query: 'otter', filter })).status).toBe(200);
});

test('200: with the most values that a query may have', async () => {
  const filter = { type: 'and', filters: [lists(100, 100, 56), many(59)] };
  const answer = await request('query', {
    query: 'otter',
    limit: 10,
    knowledgeBaseIds: Array(100).fill(knowledgeBaseId),
    documentIds: Array(100).fill(river.id),
    fields: Array(32).fill('title'),
    filter,
    maxPerDocument: 1,
    minScore: 0,
    highlight: true,
    explain: true,
    contextPassages: 1,
  });
  expect(answer.status).toBe(200);
});

test.each<[string, object, string, string]>([
  ['9 levels', nested(9), 'filter', 'filter must have at most 8 levels.'],
  [
    '66 conditions in two groups',
    { type: 'and', filters: [many(33), many(32)] },
    'filter',
    'filter must have at most 64 conditions, those within it included.',
  ],
  [
    '16,393 characters',
    long(1639),
    'filter',
    'filter must have at most 16384 characters in all of its texts together.',
  ],
  [
    '257 values in lists',
    lists(100, 100, 57),
    'filter',
    'filter must have at most 256 values in all of its lists together.',
  ],
  [
    '33 conditions contains',
    parts(33),
    'filter',
    'filter must have at most 32 conditions of the type contains.',
  ],
  [
    '101 values in a list',
    { type: 'in', key: 'a', value: Array(101).fill(1) },
    'filter.value',
    'filter.value must have at most 100 items.',
  ],
  [
    'no conditions',
    { type: 'and', filters: [] },
    'filter.filters',
    'filter.filters must have at least 1 item.',
  ],
  [
    'an unknown type',
    { ...is('a', 1), type: 'equals' },
    'filter.type',
    'filter.type must be one of eq, ne, gt, gte, lt, lte, in, nin, contains, exists, and, or, not.',
  ],
  ['no type', { key: 'a', value: 1 }, 'filter.type', 'filter.type is required.'],
  [
    'an unknown field of the document',
    is('$size', 1),
    'filter.key',
    'filter.key must be the name of an attribute, or one of $type, $title, $sourceUrl, $createdAt.',
  ],
  [
    'a list where one value is compared',
    { type: 'eq', key: 'a', value: [1] },
    'filter.value',
    'filter.value must be a string, a number or true or false, not an array.',
  ],
  [
    'one value where a list is compared',
    { type: 'in', key: 'a', value: 1 },
    'filter.value',
    'filter.value must be an array, not a number.',
  ],
  [
    'an order of booleans',
    { type: 'and', filters: [is('a', 1), { type: 'gt', key: 'a', value: true }] },
    'filter.filters.1.value',
    'filter.filters[1].value must be a string or a number, not true.',
  ],
  [
    'a time without zone',
    { type: 'or', filters: [is('$createdAt', '2026-01-15T09:28')] },
    'filter.filters.0.value',
    'filter.filters[0].value must be a time with its zone, such as 2026-01-15T09:28:41.903Z, or a day.',
  ],
])('422: a filter with %s', async (_, filter, field, message) => {
  const answer = await request('query', { query: 'otter', filter });
  expectRefusedFields(answer, field);
  expect(answer.body).toMatchObject({ message });
});

test.each<[string, object, string]>([
  ['a filter that is a number', { filter: 2024 }, 'filter'],
  ['maxPerDocument of 0', { maxPerDocument: 0 }, 'maxPerDocument'],
  ['maxPerDocument of 51', { maxPerDocument: 51 }, 'maxPerDocument'],
  ['minScore below 0', { minScore: -0.001 }, 'minScore'],
  ['minScore above 1', { minScore: 1.001 }, 'minScore'],
  ['101 documents', { documentIds: Array(101).fill(UNKNOWN_DOCUMENT_ID) }, 'documentIds'],
])('422: %s', async (_, options, field) => {
  expectRefusedFields(await request('query', { query: 'otter', ...options }), field);
});
