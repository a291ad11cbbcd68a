/** What the successes of the operations on knowledge bases promise. */
import assert from 'node:assert/strict';
import type { KnowledgeBase } from '../../generated/types.gen.ts';
import {
  dataOf,
  exampleInput,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../dredd/planned-request.ts';
import { checkGone, checkNewestFirst } from './lists.ts';

export function createKnowledgeBase(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  return {
    sent: requestWith(context, 'createKnowledgeBase'),
    async check(answer) {
      const created = dataOf<KnowledgeBase>(answer);
      context.made.add(created.id);
      const { name, description } = created;
      assert.deepEqual(
        { name, description },
        exampleInput('createKnowledgeBase'),
        'it has the name and the description that were sent',
      );
      const [newest] = (await api.listKnowledgeBases()).data;
      assert.deepEqual(newest, created, 'the newest knowledge base stands first in the list');
      const plain = await makeKnowledgeBase(context);
      assert.equal(plain.description, '', 'a description that is not given is empty');
      const same = await api.createKnowledgeBase({ name });
      context.made.add(same.id);
      assert.notEqual(same.id, created.id, 'equal names are two knowledge bases');
    },
  };
}

export async function deleteKnowledgeBase(context: RunContext): Promise<PlannedRequest> {
  const { api, request } = context.caller;
  const before = await api.getUsage();
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const text = { title: 'Gauges', content: 'The gauge of the windmill is read at noon.' };
  const { id: documentId } = await api.importTextContent({ knowledgeBaseId, ...text });
  await api.listKnowledgeBases();
  return {
    sent: requestWith(context, 'deleteKnowledgeBase', { knowledgeBaseId }),
    async check(answer) {
      assert.deepEqual(dataOf(answer), { id: knowledgeBaseId }, 'the answer names what was deleted');
      const { data: listed } = await api.listKnowledgeBases();
      assert.ok(!listed.some(({ id }) => id === knowledgeBaseId), 'a deleted knowledge base is not listed');
      const windmills = await api.query({ query: 'windmill gauge', limit: 50 });
      assert.ok(!windmills.some(({ document_id }) => document_id === documentId), 'nor searched');
      for (const operationId of ['listDocuments', 'deleteKnowledgeBase'] as const)
        checkGone(operationId, await request(operationId, { knowledgeBaseId }));
      const inIt = { query: 'windmill', knowledgeBaseIds: [knowledgeBaseId] };
      checkGone('query', await request('query', inIt));
      checkGone('getDocumentStatus', await request('getDocumentStatus', { documentId }));
      assert.deepEqual(await api.getUsage(), before, 'nor counted');
    },
  };
}

/** Pages of one item that are read: the fixtures have two knowledge bases, an account may have a thousand. */
const PAGES = 2;

export function listKnowledgeBases(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { knowledgeBaseId, otherKnowledgeBaseId } = context.fixtures;
  return {
    sent: requestWith(context, 'listKnowledgeBases', { limit: 1 }),
    async check(answer) {
      const { data: whole } = await api.listKnowledgeBases();
      checkNewestFirst(whole);
      for (const own of [knowledgeBaseId, otherKnowledgeBaseId])
        assert.ok(
          whole.some(({ id }) => id === own),
          'the list has every knowledge base',
        );
      assert.deepEqual(dataOf(answer), whole.slice(0, 1), 'limit bounds a page, where there are more');
      let cursor = {};
      for (const expected of whole.slice(0, PAGES)) {
        const { data, pagination } = await api.listKnowledgeBases({ limit: 1, ...cursor });
        assert.deepEqual(data, [expected], 'pages give the list in its order');
        assert.equal(pagination.hasMore, pagination.nextCursor !== null, 'hasMore comes with a cursor');
        assert.equal(pagination.hasMore, expected.id !== whole.at(-1)?.id, 'hasMore tells of a next page');
        cursor = { cursor: pagination.nextCursor };
      }
    },
  };
}
