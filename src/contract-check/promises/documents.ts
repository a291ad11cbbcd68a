/** Checks the successful answers of the operations on documents. */
import assert from 'node:assert/strict';
import type {
  Document,
  DocumentDetails,
  DocumentStatusReport,
  ImportTextContentRequest,
} from '../../../generated/types.gen.ts';
import { IS_MARKED } from '../planning/fixtures.ts';
import {
  dataOf,
  exampleInput,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import { readPages } from '../requests/read-pages.ts';
import { checkGone, checkNewestFirst } from './lists.ts';
import { uploadBytes, WAIT_SECONDS } from './upload-bytes.ts';

const NEW_TEXT = 'The gauge of the lighthouse — 知識 😀 — is read at dusk.';
const NEW_WORDS = 'lighthouse gauge dusk';

export async function importTextContent(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  return {
    sent: requestWith(context, 'importTextContent', { knowledgeBaseId, content: NEW_TEXT }),
    async check(answer) {
      const document = dataOf<Document>(answer);
      const { type, size, status } = document;
      const found = { type, size, status, knowledgeBaseId: document.knowledgeBaseId };
      const expected = {
        type: 'text',
        size: Buffer.byteLength(NEW_TEXT),
        status: 'processed',
        knowledgeBaseId,
      };
      assert.deepEqual(
        found,
        expected,
        'an imported text is processed at once, and its size counts UTF-8 bytes',
      );
      const [best] = await api.query({ query: NEW_WORDS, knowledgeBaseIds: [knowledgeBaseId] });
      assert.equal(best?.document_id, document.id, 'the next query finds it');
      await checkVersions(context, {
        knowledgeBaseId,
        title: 'Gauge',
        content: NEW_TEXT,
        externalId: 'gauge',
      });
    },
  };
}

/** Imports a text with an `externalId` three times: as a new one, unchanged and changed. */
async function checkVersions(
  { caller: { api, request } }: RunContext,
  text: ImportTextContentRequest & { externalId: string },
): Promise<void> {
  const { knowledgeBaseId, externalId } = text;
  const first = await api.importTextContent(text);
  const again = await api.importTextContent({ ...text, ifUnchanged: 'skip' });
  assert.deepEqual(again, { ...first, unchanged: true }, 'unchanged content makes no new document');
  const content = `${text.content} Always.`;
  const second = await api.importTextContent({ ...text, content, ifUnchanged: 'skip' });
  assert.equal(second.replaces, first.id, 'a new version says which document it replaces');
  checkGone('getDocument', await request('getDocument', { documentId: first.id }));
  const { data } = await api.listDocuments({ knowledgeBaseId, externalId });
  assert.deepEqual(data, [second], 'the list of an `externalId` has its last version only');
  const found = await api.query({ query: NEW_WORDS, knowledgeBaseIds: [knowledgeBaseId] });
  const versions = found.filter((result) => result.externalId === externalId);
  assert.deepEqual(
    versions.map(({ document_id }) => document_id),
    [second.id],
    'the next query finds the new version only',
  );
}

/** The operations whose only required input is a document. */
const ON_DOCUMENT = [
  'getDocumentStatus',
  'getDocument',
  'listPassages',
  'getDocumentContent',
  'updateDocument',
  'retryDocument',
  'deleteDocument',
] as const;

export async function deleteDocument(context: RunContext): Promise<PlannedRequest> {
  const { api, request } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const text = { knowledgeBaseId, title: 'Gauges', content: NEW_TEXT };
  const kept = await api.importTextContent(text);
  const before = await api.getUsage();
  const { id } = await api.importTextContent(text);
  const search = async () =>
    (await api.query({ query: NEW_WORDS, knowledgeBaseIds: [knowledgeBaseId] })).map(
      ({ document_id }) => document_id,
    );
  assert.ok((await search()).includes(id), 'the search finds the document before its deletion');
  await api.listDocuments({ knowledgeBaseId });
  await api.getDocumentStatus(id);
  return {
    sent: requestWith(context, 'deleteDocument', { documentId: id }),
    async check(answer) {
      assert.deepEqual(dataOf(answer), { id }, 'the answer has the id of the deleted document');
      const { data: listed } = await api.listDocuments({ knowledgeBaseId });
      assert.deepEqual(listed, [kept], 'a deleted document is not listed, and another one stays');
      assert.deepEqual(await search(), [kept.id], 'a deleted document is not found, and another one is');
      for (const operationId of ON_DOCUMENT)
        checkGone(operationId, await request(operationId, { documentId: id }));
      assert.deepEqual(await api.getUsage(), before, 'a deleted document is not counted');
    },
  };
}

export function listDocuments(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { knowledgeBaseId, texts } = context.fixtures;
  const limit = 3;
  return {
    sent: requestWith(context, 'listDocuments', { knowledgeBaseId, limit }),
    async check(answer) {
      assert.equal(dataOf<Document[]>(answer).length, limit, 'the first page of many has `limit` items');
      const pages = await readPages((cursor) => api.listDocuments({ knowledgeBaseId, limit, ...cursor }));
      const expected = texts.map(({ document }) => document).toReversed();
      assert.deepEqual(dataOf(answer), pages[0], 'a second request returns the same first page');
      assert.deepEqual(pages.flat(), expected, 'the pages hold every document once, the newest first');
      checkNewestFirst(pages.flat());
      const whole = await api.listDocuments({ knowledgeBaseId });
      assert.deepEqual(whole.data, expected, 'without limit and cursor a short list comes whole');
      const none = await api.listDocuments({ knowledgeBaseId, externalId: 'none' });
      assert.deepEqual(none.data, [], 'no document has this externalId');
      const marked = await api.listDocuments({ knowledgeBaseId, filter: IS_MARKED });
      const isMarked = ({ attributes }: Document) => attributes?.reviewed === true;
      assert.deepEqual(marked.data, expected.filter(isMarked), 'a filter keeps the documents that fit');
    },
  };
}

export function getDocumentStatus(context: RunContext): PlannedRequest {
  const { document } = context.fixtures.longText;
  const { id, status, updatedAt, passageCount, warnings } = document;
  return {
    sent: requestWith(context, 'getDocumentStatus', { documentId: id }),
    async check(answer) {
      assert.deepEqual(
        dataOf<DocumentStatusReport>(answer),
        { id, status, updatedAt, passageCount, warnings },
        'the status agrees with the answer of the import',
      );
      await checkWarnings(context);
    },
  };
}

/** Imports a file of rich text whose end is missing. */
async function checkWarnings(context: RunContext): Promise<void> {
  const { api } = context.caller;
  const bytes = Buffer.from('{\\rtf1\\ansi {\\b The gauge} is read at dawn.');
  const { fileId, knowledgeBaseId } = await uploadBytes(context, bytes);
  const { id: documentId } = await api.importFile(fileId);
  const { status, warnings } = await api.getDocumentStatus(documentId, WAIT_SECONDS);
  assert.deepEqual(
    { status, codes: warnings?.map(({ code }) => code) },
    { status: 'processed', codes: ['FILE_CUT_OFF'] },
    'a file that ends early is read, and a warning says so',
  );
  const { data } = await api.listDocuments({ knowledgeBaseId });
  assert.deepEqual(data[0]?.warnings, warnings, 'the list has the same warnings');
}

export function getDocument(context: RunContext): PlannedRequest {
  const { document, title } = context.fixtures.longText;
  return {
    sent: requestWith(context, 'getDocument', { documentId: document.id }),
    check(answer) {
      const { source, languages = [], ...rest } = dataOf<DocumentDetails>(answer);
      assert.deepEqual(rest, document, 'the details agree with the answer of the import');
      assert.equal(source, title, 'the source of imported text is its title');
      const counted = languages.reduce((sum, { passageCount }) => sum + passageCount, 0);
      assert.equal(counted, document.passageCount, 'each passage counts for one language');
    },
  };
}

export async function updateDocument(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const before = await api.importTextContent({ knowledgeBaseId, title: 'Gauges', content: NEW_TEXT });
  const { documentId: _, ...change } = exampleInput('updateDocument');
  const foundBy = async (query: string) =>
    (await api.query({ query, knowledgeBaseIds: [knowledgeBaseId] })).map(({ title }) => title);
  return {
    sent: requestWith(context, 'updateDocument', { documentId: before.id }),
    async check(answer) {
      const updated = dataOf<Document>(answer);
      assert.deepEqual(
        updated,
        { ...before, ...change, updatedAt: updated.updatedAt },
        'it has what was sent',
      );
      assert.deepEqual(await foundBy(updated.title), [updated.title], 'the next query finds the new title');
      assert.deepEqual(await foundBy('gauges'), [updated.title], 'the text itself is found as before');
      const emptied = await api.updateDocument({ documentId: before.id, attributes: {}, sourceUrl: '' });
      assert.ok(
        !('attributes' in emptied) && !('sourceUrl' in emptied),
        'empty values remove the present ones',
      );
      assert.equal(emptied.title, updated.title, 'a field that is left out stays');
    },
  };
}

export async function retryDocument(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { fileId } = await uploadBytes(context, Buffer.from(' '));
  const { id: documentId } = await api.importFile(fileId);
  const { status } = await api.getDocumentStatus(documentId, WAIT_SECONDS);
  assert.equal(status, 'failed', 'a file without text fails');
  return {
    sent: requestWith(context, 'retryDocument', { documentId }),
    async check(answer) {
      const { id, status, error } = dataOf<Document>(answer);
      assert.deepEqual({ id, status, error }, { id: documentId, status: 'pending', error: undefined });
      const report = await api.getDocumentStatus(documentId, WAIT_SECONDS);
      assert.equal(report.error?.code, 'NO_TEXT_EXTRACTED', 'it was read again');
    },
  };
}
