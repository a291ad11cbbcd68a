/** What the successes of the operations on the account promise. */
import assert from 'node:assert/strict';
import type { Balance, Usage } from '../../../generated/types.gen.ts';
import { dataOf, type Provocation, requestWith, type Work } from '../provocation.ts';

export function getUsage(work: Work): Provocation {
  const { api } = work.caller;
  const { knowledgeBaseId } = work.stock;
  return {
    sent: requestWith(work, 'getUsage'),
    async check(answer) {
      const before = dataOf<Usage>(answer);
      const { id, size } = await api.importTextContent({ knowledgeBaseId, title: 'Bytes', content: 'één' });
      const storageUsed = before.storageUsed + size;
      assert.deepEqual(await api.getUsage(), { ...before, storageUsed }, 'a document counts with its bytes');
      await api.deleteDocument(id);
      assert.deepEqual(await api.getUsage(), before, 'and no longer once it is deleted');
      const made = await api.createKnowledgeBase({ name: 'Counted' });
      work.made.add(made.id);
      const knowledgeBaseCount = before.knowledgeBaseCount + 1;
      assert.deepEqual(await api.getUsage(), { ...before, knowledgeBaseCount }, 'a knowledge base counts');
      await api.deleteKnowledgeBase(made.id);
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
