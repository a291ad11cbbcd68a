/** Checks the successful answers of the operations on the account. */
import assert from 'node:assert/strict';
import type { Balance, Usage } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';

export async function getUsage(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  return {
    sent: requestWith(context, 'getUsage'),
    async check(answer) {
      const before = dataOf<Usage>(answer);
      const { documentCount = 0, passageCount = 0, limits } = before;
      assert.ok(
        limits && limits.storage >= before.storageUsed,
        'the limits are there, and the usage is within',
      );
      const { id, size } = await api.importTextContent({ knowledgeBaseId, title: 'Bytes', content: 'één' });
      const storageUsed = before.storageUsed + size;
      assert.deepEqual(
        await api.getUsage(),
        { ...before, storageUsed, documentCount: documentCount + 1, passageCount: passageCount + 1 },
        'storageUsed grows by the size of a new document, and the counts by one',
      );
      await api.deleteDocument(id);
      assert.deepEqual(await api.getUsage(), before, 'a deleted document is not counted');
      await makeKnowledgeBase(context);
      const knowledgeBaseCount = before.knowledgeBaseCount + 1;
      assert.deepEqual(
        await api.getUsage(),
        { ...before, knowledgeBaseCount },
        'knowledgeBaseCount grows with a new knowledge base',
      );
    },
  };
}

export function getBalance(context: RunContext): PlannedRequest {
  const { api, request } = context.caller;
  const { knowledgeBaseId } = context.fixtures;
  return {
    sent: requestWith(context, 'getBalance'),
    async check(answer) {
      const { balance, creditsPerQuery = 1 } = dataOf<Balance>(answer);
      await api.query({ query: 'container', knowledgeBaseIds: [knowledgeBaseId] });
      assert.equal(await api.getBalance(), balance - creditsPerQuery, 'a successful query takes its price');
      await request('query', { query: '' });
      await api.listDocuments({ knowledgeBaseId });
      assert.equal(
        await api.getBalance(),
        balance - creditsPerQuery,
        'a refused query and other operations take none',
      );
    },
  };
}
