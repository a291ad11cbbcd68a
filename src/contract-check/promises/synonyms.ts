/** Checks the successful answers of the operations on synonyms, on a knowledge base of its own. */
import assert from 'node:assert/strict';
import type { Synonyms } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';

const GROUPS = [
  { terms: ['PTO', 'paid time off'] },
  { terms: ['windmill'], finds: ['wind turbine', 'aerogenerator'] },
];

export async function getSynonyms(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const other = await makeKnowledgeBase(context);
  await api.setSynonyms({ knowledgeBaseId, groups: GROUPS });
  return {
    sent: requestWith(context, 'getSynonyms', { knowledgeBaseId }),
    async check(answer) {
      assert.deepEqual(dataOf<Synonyms>(answer), { groups: GROUPS }, 'the groups are those that were set');
      assert.deepEqual(await api.getSynonyms(other.id), { groups: [] }, 'another knowledge base has none');
    },
  };
}

export async function setSynonyms(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const text = { title: 'Notes', content: 'Unused paid time off is carried over.' };
  const { id: documentId } = await api.importTextContent({ knowledgeBaseId, ...text });
  const search = { query: 'PTO', knowledgeBaseIds: [knowledgeBaseId] };
  assert.deepEqual(await api.query(search), [], 'a synonym that is not set finds nothing');
  return {
    sent: requestWith(context, 'setSynonyms', { knowledgeBaseId, groups: GROUPS }),
    async check(answer) {
      assert.deepEqual(
        dataOf<Synonyms>(answer),
        { groups: GROUPS },
        'the answer has the groups of the request',
      );
      assert.deepEqual(await api.getSynonyms(knowledgeBaseId), { groups: GROUPS }, 'they are stored');
      const found = (await api.query(search)).map(({ document_id }) => document_id);
      assert.deepEqual(found, [documentId], 'the next query finds a passage by its synonym');
      const emptied = await api.setSynonyms({ knowledgeBaseId, groups: [] });
      assert.deepEqual(emptied, { groups: [] }, 'an empty list removes all');
      assert.deepEqual(await api.query(search), [], 'a synonym that is removed finds nothing');
    },
  };
}
