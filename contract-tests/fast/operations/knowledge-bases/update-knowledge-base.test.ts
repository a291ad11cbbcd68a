/** updateKnowledgeBase, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

const create = () => api.createKnowledgeBase({ name: 'Handbook', description: 'Manuals' });

testPromises('updateKnowledgeBase');

test('200: without a field nothing changes, not even updatedAt', async () => {
  const created = await create();
  expect(await api.updateKnowledgeBase({ knowledgeBaseId: created.id })).toEqual(created);
  expect(await api.getKnowledgeBase(created.id)).toEqual(created);
});

test('200: an update does not wait for a large import, and the import is not disturbed', async () => {
  const { id: knowledgeBaseId } = await create();
  const content = Array.from({ length: 30_000 }, (_, i) => `The potoroo number ${i} digs.`).join(' ');
  const importing = api.importTextContent({ knowledgeBaseId, title: 'Long', content });
  for (const name of ['One', 'Two', 'Three']) await api.updateKnowledgeBase({ knowledgeBaseId, name });
  expect((await importing).status).toBe('processed');
  expect(await api.getKnowledgeBase(knowledgeBaseId)).toMatchObject({ name: 'Three', documentCount: 1 });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await create();
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, deleted, '!'.repeat(36)];
  const inputs = ids.flatMap((knowledgeBaseId) => [{ knowledgeBaseId, name: 'New' }, { knowledgeBaseId }]);
  const answers = await Promise.all(inputs.map((input) => request('updateKnowledgeBase', input)));
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: all wrong fields are named at once, and nothing changes', async () => {
  const { id: knowledgeBaseId } = await create();
  await expectNothingChanged(account, async () => {
    const input = { knowledgeBaseId, name: '', description: null, createdAt: 'now' };
    expectRefusedFields(await request('updateKnowledgeBase', input), 'createdAt', 'description', 'name');
    expectRefusedFields(await request('updateKnowledgeBase', { name: 'a' }), 'knowledgeBaseId');
  });
});
