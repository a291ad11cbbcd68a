/** listAttributes, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();

testPromises('listAttributes');

test('200: values in any language come as they are, and a list counts once for each of its texts', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Values' });
  const texts = ['知识', 'été', '"a"\\', '', '😀'];
  const attributes = { text: texts[0] ?? '', list: [...texts, ...texts], none: [], yes: true, share: -0.5 };
  await api.importTextContent({ knowledgeBaseId, title: 'Note', content: 'A note.', attributes });
  const summary = await api.listAttributes(knowledgeBaseId);
  const values = summary.attributes.map(({ name, types: [of] }) => [
    name,
    of?.type,
    of?.values.map(({ value }) => value),
  ]);
  expect(values).toEqual([
    ['list', 'list', expect.arrayContaining(texts)],
    ['none', 'list', []],
    ['share', 'number', [-0.5]],
    ['text', 'text', ['知识']],
    ['yes', 'boolean', [true]],
  ]);
  expect(summary.attributes[0]?.types[0]).toMatchObject({ documentCount: 1, valueCount: 5 });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await api.createKnowledgeBase({ name: 'Deleted' });
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, deleted, '!'.repeat(36)];
  const answers = ids.map((knowledgeBaseId) => request('listAttributes', { knowledgeBaseId }));
  expectSameRefusal(await Promise.all(answers), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422: no knowledge base, an unknown parameter', async () => {
  expectRefusedFields(await request('listAttributes', { verbose: '1' }), 'knowledgeBaseId', 'verbose');
});
