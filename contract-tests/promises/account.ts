/** What the successes of the operations on the account promise. */
import assert from 'node:assert/strict';
import type { Balance, Usage } from '../../generated/types.gen.ts';
import { dataOf, makeKnowledgeBase, type Provocation, requestWith, type Work } from '../dredd/provocation.ts';

export async function getUsage(work: Work): Promise<Provocation> {
  const { api } = work.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(work);
  return {
    sent: requestWith(work, 'getUsage'),
    async check(answer) {
      const before = dataOf<Usage>(answer);
      const { id, size } = await api.importTextContent({ knowledgeBaseId, title: 'Bytes', content: 'één' });
      const storageUsed = before.storageUsed + size;
      assert.deepEqual(await api.getUsage(), { ...before, storageUsed }, 'a document counts with its bytes');
      await api.deleteDocument(id);
      assert.deepEqual(await api.getUsage(), before, 'and no longer once it is deleted');
      await makeKnowledgeBase(work);
      const knowledgeBaseCount = before.knowledgeBaseCount + 1;
      assert.deepEqual(await api.getUsage(), { ...before, knowledgeBaseCount }, 'a knowledge base counts');
    },
  };
}

export function getBalance(work: Work): Provocation {
  const { api, request } = work.caller;
  const { knowledgeBaseId } = work.stock;
  return {
    sent: requestWith(work, 'getBalance'),
    async check(answer) {
      const { balance } = dataOf<Balance>(answer);
      await api.query({ query: 'container', knowledgeBaseIds: [knowledgeBaseId] });
      assert.equal(await api.getBalance(), balance - 1, 'a successful query takes one credit');
      await request('query', { query: '' });
      await api.listDocuments({ knowledgeBaseId });
      assert.equal(await api.getBalance(), balance - 1, 'a refused query and all else takes none');
    },
  };
}
