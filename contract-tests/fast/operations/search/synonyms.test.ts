/** getSynonyms and setSynonyms, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();

testPromises('getSynonyms');
testPromises('setSynonyms');

const LEAVE = { title: 'Leave', content: 'Unused paid time off is carried over.' };
const GROUPS = [{ terms: ['PTO', 'paid time off'] }];

test("200: the account's groups count in all knowledge bases, a knowledge base's where it is searched", async () => {
  const [first, second] = [
    await api.createKnowledgeBase({ name: 'First' }),
    await api.createKnowledgeBase({ name: 'Second' }),
  ];
  for (const { id: knowledgeBaseId } of [first, second])
    await api.importTextContent({ knowledgeBaseId, ...LEAVE });
  const countFor = async (...knowledgeBaseIds: string[]) =>
    (await api.query({ query: 'PTO', ...(knowledgeBaseIds.length > 0 && { knowledgeBaseIds }) })).length;
  await api.setSynonyms({ groups: GROUPS });
  expect(await api.getSynonyms()).toEqual({ groups: GROUPS });
  expect(await api.getSynonyms(first.id)).toEqual({ groups: [] });
  expect([await countFor(first.id), await countFor(second.id), await countFor()]).toEqual([1, 1, 2]);
  await api.setSynonyms({ groups: [] });
  expect(await countFor()).toBe(0);
  await api.setSynonyms({ knowledgeBaseId: first.id, groups: GROUPS });
  expect(await countFor(second.id)).toBe(0);
  // In a query over several knowledge bases, the groups of all count in all passages.
  expect(await countFor(first.id, second.id)).toBe(2);
  await api.deleteKnowledgeBase(first.id);
  expect(await countFor()).toBe(0);
});

test('200: the same group twice, a term in several groups, and the bounds of a group', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Bounds' });
  const twenty = (prefix: string) => Array.from({ length: 20 }, (_, i) => `${prefix}${i}`);
  const groups = [
    ...GROUPS,
    ...GROUPS,
    { terms: ['PTO', 'power take-off'] },
    { terms: twenty('x'), finds: twenty('y') },
    { terms: ['x'.repeat(100)], finds: ['a b c d e f g h i j k l m n o p'] },
  ];
  expect(await api.setSynonyms({ knowledgeBaseId, groups })).toEqual({ groups });
  const many = Array.from({ length: 1_000 }, (_, i) => ({ terms: [`left${i}`, `right${i}`] }));
  expect(await api.setSynonyms({ knowledgeBaseId, groups: many })).toEqual({ groups: many });
});

test('422 INPUT_VALIDATION_FAILED: names the term, and nothing changes', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Refused' });
  await api.setSynonyms({ knowledgeBaseId, groups: GROUPS });
  const good = { terms: ['a', 'b'] };
  const refusedBy = async (groups: unknown, ...fields: string[]) =>
    expectRefusedFields(await request('setSynonyms', { knowledgeBaseId, groups }), ...fields);
  await refusedBy([good, good, good, { terms: ['?!', 'b'] }], 'groups.3.terms.0');
  await refusedBy([{ terms: ['a'] }], 'groups.0.terms');
  await refusedBy([{ terms: ['Paid Time Off', 'paid  time off'] }], 'groups.0.terms.1');
  await refusedBy([{ terms: ['a', 'b'], finds: ['c', 'A'] }], 'groups.0.finds.1');
  await refusedBy([{ terms: ['a', 'a b c d e f g h i j k l m n o p q'] }], 'groups.0.terms.1');
  await refusedBy([{ terms: [], finds: [] }], 'groups.0.finds', 'groups.0.terms');
  await refusedBy([{ terms: ['', 'x'.repeat(101)] }], 'groups.0.terms.0', 'groups.0.terms.1');
  await refusedBy([{ ...good, weight: 1 }], 'groups.0.weight');
  await refusedBy(
    Array.from({ length: 1_001 }, () => good),
    'groups',
  );
  const terms = Array.from({ length: 20 }, (_, i) => `w${i}`);
  await refusedBy(
    Array.from({ length: 251 }, () => ({ terms })),
    'groups',
  );
  await refusedBy(undefined, 'groups');
  expect(await api.getSynonyms(knowledgeBaseId)).toEqual({ groups: GROUPS });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await api.createKnowledgeBase({ name: 'Deleted' });
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, deleted, '!'.repeat(36)];
  const answers = ids.flatMap((knowledgeBaseId) => [
    request('getSynonyms', { knowledgeBaseId }),
    request('setSynonyms', { knowledgeBaseId, groups: [] }),
  ]);
  expectSameRefusal(await Promise.all(answers), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});
