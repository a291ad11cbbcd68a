/** attributes and sourceUrl: what callers say about a document. */
import { expect, test } from 'vitest';
import type {
  ImportTextContentRequest,
  InputValidationFailedError,
} from '../../../../generated/types.gen.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, untilFinal, uploadFile } from '../../../harness/calls/uploading.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Described' });

const attributes = {
  'team.name-1_a': 'plát\u0142form 知识 "quoted" \\ \u0001',
  year: 2026,
  share: -0.125,
  large: 1.7976931348623157e308,
  public: true,
  draft: false,
  empty: '',
  tags: ['a', 'b'],
  none: [],
};
const sourceUrl = 'https://example.org/handbuch/%C3%BCber?page=2#part';
const description = { attributes, sourceUrl };

const text: ImportTextContentRequest = { knowledgeBaseId, title: 'Note', content: 'The quokka smiles.' };
const largeText = { ...text, content: 'The quokka smiles again and again. '.repeat(3_000) };

test.each([
  ['short', text],
  ['large', largeText],
])('a %s text carries them in every answer about it, and in its search results', async (_, input) => {
  const document = await api.importTextContent({ ...input, ...description });
  expect(document).toMatchObject(description);
  expect(Object.keys(document.attributes ?? {}).sort()).toEqual(Object.keys(attributes).sort());
  expect(await api.getDocument(document.id)).toMatchObject(description);
  expect((await api.listDocuments({ knowledgeBaseId, limit: 1 })).data).toEqual([document]);
  const found = await api.query({ query: 'quokka', knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
  for (const result of found.filter(({ document_id }) => document_id === document.id)) {
    expect(result).toMatchObject({ ...description, metadata: { source: 'Note' } });
    expect(JSON.parse(result.metadata.annotations)).toEqual(result.location);
  }
  await api.deleteDocument(document.id);
});

test('a file carries them from its import on', async () => {
  const { fileId } = await uploadFile(api, {
    knowledgeBaseId,
    fileName: 'a.txt',
    bytes: bytesOf('One wombat.'),
  });
  const document = await api.importFile(fileId, description);
  expect(document).toMatchObject({ status: 'pending', ...description });
  await untilFinal(api, document.id);
  const [found] = await api.query({ query: 'wombat', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found).toMatchObject(description);
  expect(await api.importFile(fileId, { attributes: { other: 1 } })).toMatchObject(description);
});

test('without them, and with {}, no answer has the fields', async () => {
  for (const input of [text, { ...text, attributes: {} }, largeText]) {
    const document = await api.importTextContent(input);
    const [found] = await api.query({ query: 'quokka', knowledgeBaseIds: [knowledgeBaseId] });
    for (const answer of [document, await api.getDocument(document.id), found]) {
      expect(answer).not.toHaveProperty('attributes');
      expect(answer).not.toHaveProperty('sourceUrl');
    }
    await api.deleteDocument(document.id);
  }
});

/** 16 lists of 16 texts. */
const lists = (length: number, character: string) =>
  Object.fromEntries(
    Array.from({ length: 16 }, (_, i) => [
      `${'n'.repeat(62)}${i + 10}`,
      Array.from({ length: 16 }, () => character.repeat(length)),
    ]),
  );

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]));

test.each<[string, object]>([
  ['16 pairs', pairs(16)],
  ['a name of 64 characters', { ['n'.repeat(64)]: 1 }],
  ['a text of 512 characters', { a: '😀'.repeat(512) }],
  ['16 texts of 512 characters', { a: Array.from({ length: 16 }, () => '知'.repeat(512)) }],
  ['16 names and lists with 16,384 characters together, each character escaped', lists(64, '\u0001')],
])('accepts %s', async (_, given) => {
  const document = await api.importTextContent({ ...text, attributes: given as typeof attributes });
  expect(document.attributes).toEqual(given);
  await api.deleteDocument(document.id);
});

test.each<[string, unknown, string]>([
  ['17 pairs', pairs(17), 'attributes'],
  ['a name of 65 characters', { ['n'.repeat(65)]: 1 }, 'attributes'],
  ['an empty name', { '': 1 }, 'attributes'],
  ['a name with a space', { 'a b': 1 }, 'attributes'],
  ['a text of 513 characters', { a: 'x'.repeat(513) }, 'attributes.a'],
  ['17 texts', { a: Array.from({ length: 17 }, () => 'x') }, 'attributes.a'],
  [
    '16,400 characters in all texts together',
    { ...lists(64, 'x'), [`${'n'.repeat(62)}10`]: ['x'.repeat(512), 'x'.repeat(512), 'x'.repeat(16)] },
    'attributes',
  ],
  ['numbers in a list', { a: [1] }, 'attributes.a.0'],
  ['null', { a: null }, 'attributes.a'],
  ['an object', { a: { b: 1 } }, 'attributes.a'],
  ['U+0000', { a: '\u0000' }, 'attributes.a'],
  ['a list of attributes', [], 'attributes'],
  ['a text', 'a=1', 'attributes'],
])('422: %s', async (_, given, field) => {
  await expectNothingChanged(account, async () => {
    const answer = await request('importTextContent', { ...text, attributes: given });
    expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
    const { data } = answer.body as InputValidationFailedError; // by the spec
    expect(Object.keys(data.fieldErrors)).toContain(field);
  });
});

test.each(['1e309', '-1e309'])('422: the number %s, which JSON cannot return', async (number) => {
  const fields = JSON.stringify({ ...text, attributes: { a: 0 } }).replace('"a":0', `"a":${number}`);
  expectRefusedFields(await request('importTextContent', fields), 'attributes.a');
});

test.each([
  '',
  'example.org',
  'ftp://example.org',
  'javascript:alert(1)',
  'https://a b',
  `https://${'a'.repeat(2041)}`,
])('422: the sourceUrl %s', async (url) => {
  expectRefusedFields(await request('importTextContent', { ...text, sourceUrl: url }), 'sourceUrl');
});
