/** Checks the successful answers of the operations on knowledge bases. */
import assert from 'node:assert/strict';
import type { KnowledgeBase } from '../../../generated/types.gen.ts';
import { RUN_NAME } from '../planning/created.ts';
import {
  dataOf,
  exampleInput,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import type { OperationId } from '../spec/routes.ts';
import { checkGone, checkNewestFirst } from './lists.ts';

export function createKnowledgeBase(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const input = { ...exampleInput('createKnowledgeBase'), name: `${RUN_NAME}, with a description` };
  return {
    sent: requestWith(context, 'createKnowledgeBase', input),
    async check(answer) {
      const created = dataOf<KnowledgeBase>(answer);
      context.made.add(created.id);
      const { name, description } = created;
      assert.deepEqual({ name, description }, input, 'it has the name and the description of the request');
      assert.deepEqual(await api.getKnowledgeBase(created.id), created, 'it is stored as the answer has it');
      const [newest] = (await api.listKnowledgeBases()).data;
      assert.deepEqual(newest, created, 'the newest knowledge base comes first in the list');
      const plain = await makeKnowledgeBase(context);
      assert.equal(plain.description, '', 'a missing description is stored as an empty one');
      const namesake = await api.createKnowledgeBase({ name, description: '' });
      context.made.add(namesake.id);
      assert.equal(namesake.description, '', 'a description may be empty');
      assert.notEqual(namesake.id, created.id, 'two knowledge bases may have the same name');
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
      assert.deepEqual(
        dataOf(answer),
        { id: knowledgeBaseId },
        'the answer has the id of the deleted knowledge base',
      );
      const { data: listed } = await api.listKnowledgeBases();
      assert.ok(!listed.some(({ id }) => id === knowledgeBaseId), 'a deleted knowledge base is not listed');
      const windmills = await api.query({ query: 'windmill gauge', limit: 50 });
      assert.ok(
        !windmills.some(({ document_id }) => document_id === documentId),
        'a deleted knowledge base is not searched',
      );
      const onDeleted: [OperationId, object][] = [
        ['getKnowledgeBase', { knowledgeBaseId }],
        ['updateKnowledgeBase', { knowledgeBaseId }],
        ['getSynonyms', { knowledgeBaseId }],
        ['listAttributes', { knowledgeBaseId }],
        ['setSynonyms', { knowledgeBaseId, groups: [] }],
        ['listDocuments', { knowledgeBaseId }],
        ['importTextContent', { knowledgeBaseId, ...text }],
        ['presignUploadUrl', { knowledgeBaseId, fileName: 'gauge.txt', size: 1 }],
        ['query', { query: 'windmill', knowledgeBaseIds: [knowledgeBaseId] }],
        ['getDocumentStatus', { documentId }],
        ['deleteKnowledgeBase', { knowledgeBaseId }],
      ];
      for (const [operationId, input] of onDeleted) checkGone(operationId, await request(operationId, input));
      assert.deepEqual(await api.getUsage(), before, 'a deleted knowledge base is not counted');
    },
  };
}

export async function getKnowledgeBase(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const text = { title: 'Gauges', content: 'één' };
  const {
    id: documentId,
    size,
    passageCount = 0,
  } = await api.importTextContent({ knowledgeBaseId, ...text });
  return {
    sent: requestWith(context, 'getKnowledgeBase', { knowledgeBaseId }),
    async check(answer) {
      const found = dataOf<KnowledgeBase>(answer);
      const { data: listed } = await api.listKnowledgeBases();
      assert.deepEqual(
        found,
        listed.find(({ id }) => id === knowledgeBaseId),
        'the list shows the same knowledge base',
      );
      const none = { pending: 0, processing: 0, processed: 0, failed: 0, timeout: 0 };
      const documentsByStatus = { ...none, processed: 1 };
      const counted = { ...found, documentCount: 1, passageCount, storageUsed: size, documentsByStatus };
      assert.deepEqual(found, counted, 'it counts its one document, with passages and bytes');
      await api.deleteDocument(documentId);
      const emptied = {
        ...found,
        documentCount: 0,
        passageCount: 0,
        storageUsed: 0,
        documentsByStatus: none,
      };
      assert.deepEqual(
        await api.getKnowledgeBase(knowledgeBaseId),
        emptied,
        'a deleted document is not counted',
      );
    },
  };
}

export async function updateKnowledgeBase(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const before = await makeKnowledgeBase(context);
  const other = await makeKnowledgeBase(context);
  const knowledgeBaseId = before.id;
  const name = `${RUN_NAME}, changed`;
  return {
    sent: requestWith(context, 'updateKnowledgeBase', { knowledgeBaseId, name }),
    async check(answer) {
      const updated = dataOf<KnowledgeBase>(answer);
      const { description } = exampleInput('updateKnowledgeBase');
      const { updatedAt } = updated;
      assert.deepEqual(
        updated,
        { ...before, name, description, updatedAt },
        'name and description are those of the request, and all else but updatedAt stays',
      );
      assert.ok(updatedAt > before.updatedAt, 'updatedAt is the time of the change');
      assert.deepEqual(await api.getKnowledgeBase(knowledgeBaseId), updated, 'the change is stored');
      const { data: listed } = await api.listKnowledgeBases({ limit: 2 });
      assert.deepEqual(listed, [other, updated], 'the list shows it, and another knowledge base stays');
      const renamed = await api.updateKnowledgeBase({ knowledgeBaseId, name: `${RUN_NAME}, renamed` });
      assert.equal(renamed.description, updated.description, 'a field that is left out stays');
      const emptied = await api.updateKnowledgeBase({ knowledgeBaseId, description: '' });
      assert.equal(emptied.description, '', 'an empty description removes the present one');
      assert.equal(emptied.name, renamed.name, 'a field that is left out stays');
    },
  };
}

/** Checked pages of one item. The fixtures have two knowledge bases; an account may have a thousand. */
const CHECKED_PAGES = 2;

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
      assert.deepEqual(dataOf(answer), whole.slice(0, 1), 'the first page of many has `limit` items');
      let cursor = {};
      for (const expected of whole.slice(0, CHECKED_PAGES)) {
        const { data, pagination } = await api.listKnowledgeBases({ limit: 1, ...cursor });
        assert.deepEqual(data, [expected], 'the pages follow the order of the list');
        assert.equal(
          pagination.hasMore,
          pagination.nextCursor !== null,
          'nextCursor is set exactly where hasMore is true',
        );
        assert.equal(
          pagination.hasMore,
          expected.id !== whole.at(-1)?.id,
          'hasMore says whether a next page follows',
        );
        cursor = { cursor: pagination.nextCursor };
      }
    },
  };
}
