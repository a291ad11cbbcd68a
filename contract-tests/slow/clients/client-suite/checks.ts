/**
 * Checks that the answers of a server agree with each other, made with the generated client.
 * They run against a service behind Prism's proxy, and against the mock with --fixed, which stores nothing. So they
 * never compare answers with inputs: the promises of src/contract-check/ do. The targets check the form of every answer
 * against the spec.
 */
import { expect } from 'vitest';
import type { Client } from '../../../../generated/client/index.ts';
import * as sdk from '../../../../generated/sdk.gen.ts';
import type { Document, Pagination, Passage } from '../../../../generated/types.gen.ts';
import { succeed, type Target, type Workspace } from './target.ts';

/** The data of the mock contains this text too, so that the query finds it at both. */
const RELEASE_NOTES = {
  title: 'Release notes 2.4',
  content: 'Version 2.4 sets the restart policy of new containers to on-failure.',
};
const QUERY = 'restart policy';
const MANUAL = `# Setup

Install Docker first, then copy the folder of the release to the host.

## Docker

A container that has stopped with an error restarts by itself when its restart policy is on-failure.
`;

/** A new, empty knowledge base. */
export async function createWorkspace(client: Client): Promise<Workspace> {
  const { data } = await succeed(sdk.createKnowledgeBase({ client, body: { name: 'Operations handbook' } }));
  return { client, knowledgeBaseId: data.id };
}

async function importNotes({ client, knowledgeBaseId }: Workspace): Promise<Document> {
  const body = { knowledgeBaseId, ...RELEASE_NOTES };
  return (await succeed(sdk.importTextContent({ client, body }))).data;
}

async function listDocuments({ client, knowledgeBaseId }: Workspace): Promise<Document[]> {
  return (await succeed(sdk.listDocuments({ client, query: { knowledgeBaseId } }))).data;
}

async function listPassages(client: Client, documentId: string): Promise<Passage[]> {
  return (await succeed(sdk.listPassages({ client, query: { documentId } }))).data;
}

/** More pages than any list of the suite has. A longer list is taken as endless. */
const MAX_PAGES = 50;

/** All items, read in pages of one. */
async function walk<Item>(
  read: (page: { limit: number; cursor?: string }) => Promise<{ data: Item[]; pagination: Pagination }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: { cursor?: string } = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { data, pagination } = await read({ limit: 1, ...cursor });
    expect(data.length).toBeLessThanOrEqual(1);
    expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
    items.push(...data);
    if (pagination.nextCursor === null) return items;
    cursor = { cursor: pagination.nextCursor };
  }
  return expect.fail(`the list has not ended after ${MAX_PAGES} pages`);
}

const descending = <Value>(values: Value[]) => values.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));

async function knowledgeBases({ client }: Target) {
  const { data: created } = await succeed(sdk.createKnowledgeBase({ client, body: { name: 'Handbook' } }));
  const { data: listed, pagination } = await succeed(sdk.listKnowledgeBases({ client }));
  const { id, name, description, createdAt } = created;
  expect(listed).toContainEqual(expect.objectContaining({ id, name, description, createdAt }));
  expect(pagination).toEqual({ hasMore: false, nextCursor: null });
  const times = listed.map(({ createdAt }) => createdAt);
  expect(times).toEqual(descending(times));
  const paged = await walk((query) => succeed(sdk.listKnowledgeBases({ client, query })));
  expect(paged).toEqual(listed);
}

/** What the caller of an import may say about a document. */
const DESCRIPTION = ['attributes', 'sourceUrl', 'externalId'];

async function countedDocuments({ client }: Target) {
  await importNotes(await createWorkspace(client));
  const { data: listed } = await succeed(sdk.listKnowledgeBases({ client }));
  for (const knowledgeBase of listed) {
    const query = { knowledgeBaseId: knowledgeBase.id };
    expect((await succeed(sdk.getKnowledgeBase({ client, query }))).data).toEqual(knowledgeBase);
    const documents = await listDocuments({ client, ...query });
    expect(knowledgeBase.documentCount).toBe(documents.length);
    // Attributes, sourceUrl and externalId count as stored, too.
    const size = documents.reduce((sum, document) => sum + document.size, 0);
    const isPlain = documents.every((document) => !DESCRIPTION.some((field) => field in document));
    if (isPlain) expect(knowledgeBase.storageUsed).toBe(size);
    else expect(knowledgeBase.storageUsed).toBeGreaterThan(size);
    const statuses = Object.entries(knowledgeBase.documentsByStatus ?? {});
    for (const [status, count] of statuses)
      expect(count).toBe(documents.filter((document) => document.status === status).length);
    expect(statuses.reduce((sum, [, count]) => sum + count, 0)).toBe(documents.length);
  }
}

async function renamed({ client }: Target) {
  const { knowledgeBaseId } = await createWorkspace(client);
  const body = { knowledgeBaseId, name: 'Platform handbook' };
  const { data: updated } = await succeed(sdk.updateKnowledgeBase({ client, body }));
  expect(updated).toMatchObject({ id: knowledgeBaseId, name: 'Platform handbook' });
  expect(Date.parse(updated.updatedAt)).toBeGreaterThan(Date.parse(updated.createdAt));
}

async function importedText({ client }: Target) {
  const workspace = await createWorkspace(client);
  const { knowledgeBaseId } = workspace;
  const document = await importNotes(workspace);
  expect(document).toMatchObject({ type: 'text', status: 'processed', knowledgeBaseId });
  expect(await listDocuments(workspace)).toContainEqual(document);

  const query = { documentId: document.id };
  const { data: report } = await succeed(sdk.getDocumentStatus({ client, query }));
  expect(report).toMatchObject({ id: document.id, status: 'processed' });
  const { data: details } = await succeed(sdk.getDocument({ client, query }));
  expect(details).toMatchObject(document);
  expect(await listPassages(client, document.id)).toHaveLength(document.passageCount ?? 0);
}

async function lists({ client }: Target) {
  const workspace = await createWorkspace(client);
  for (let count = 0; count < 3; count++) await importNotes(workspace);
  const documents = await listDocuments(workspace);
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) {
    expect(document.knowledgeBaseId).toBe(workspace.knowledgeBaseId);
    expect(
      (await succeed(sdk.getDocument({ client, query: { documentId: document.id } }))).data,
    ).toMatchObject(document);
  }
  expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
  const times = documents.map(({ createdAt }) => createdAt);
  expect(times).toEqual(descending(times));
  const { knowledgeBaseId } = workspace;
  const paged = await walk((page) =>
    succeed(sdk.listDocuments({ client, query: { knowledgeBaseId, ...page } })),
  );
  expect(paged).toEqual(documents);
}

async function passages({ client }: Target) {
  const workspace = await createWorkspace(client);
  await uploadManual(workspace);
  for (const { id: documentId, passageCount } of await listDocuments(workspace)) {
    const listed = await listPassages(client, documentId);
    expect(listed).toHaveLength(passageCount ?? 0);
    for (const { content, location } of listed)
      expect(location.end - location.start).toBe([...content].length);
    expect(listed.map(({ location }) => location.passage)).toEqual(listed.map((_, index) => index + 1));
    const paged = await walk((page) => succeed(sdk.listPassages({ client, query: { documentId, ...page } })));
    expect(paged).toEqual(listed);
  }
}

async function search({ client }: Target) {
  const workspace = await createWorkspace(client);
  const { knowledgeBaseId } = workspace;
  await importNotes(workspace);
  await uploadManual(workspace);
  const find = async (limit?: number) => {
    const body = { query: QUERY, knowledgeBaseIds: [knowledgeBaseId], ...(limit !== undefined && { limit }) };
    return (await succeed(sdk.query({ client, body }))).data;
  };
  const found = await find();
  expect(found.length).toBeGreaterThan(1);
  const documents = await listDocuments(workspace);
  for (const result of found) {
    expect(result.knowledge_base_id).toBe(knowledgeBaseId);
    expect(JSON.parse(result.metadata.annotations)).toEqual(result.location);
    const { document_id: id, title, type, content, location } = result;
    expect(documents).toContainEqual(expect.objectContaining({ id, title, type, status: 'processed' }));
    const passage = expect.objectContaining({ id: result.id, content, location });
    expect(await listPassages(client, id)).toContainEqual(passage);
  }
  const scores = found.map(({ score }) => score);
  expect(scores).toEqual(descending(scores));
  expect(await find(1)).toEqual(found.slice(0, 1));
}

/** Uploads the manual: ticket, PUT, import, and a wait until it is processed. */
async function uploadManual({ client, knowledgeBaseId }: Workspace): Promise<Document> {
  const bytes = new TextEncoder().encode(MANUAL);
  const body = { knowledgeBaseId, fileName: 'operations-manual.md', size: bytes.byteLength };
  const { data: ticket } = await succeed(sdk.presignUploadUrl({ client, body }));
  expect(Date.parse(ticket.expiresAt)).toBeGreaterThan(Date.now());
  const { method, headers } = ticket;
  const sent = await fetch(ticket.uploadUrl, { method, headers, body: bytes });
  expect(sent.status, await sent.text()).toBe(200);

  const { data: document } = await succeed(sdk.importFile({ client, body: { fileId: ticket.fileId } }));
  expect(document.knowledgeBaseId).toBe(knowledgeBaseId);
  const query = { documentId: document.id, waitSeconds: 30 };
  const { data: report } = await succeed(sdk.getDocumentStatus({ client, query }));
  expect(report).toMatchObject({ id: document.id, status: 'processed' });
  const { data: details } = await succeed(sdk.getDocument({ client, query: { documentId: document.id } }));
  expect(details).toMatchObject({ status: 'processed', file: { id: ticket.fileId } });
  return document;
}

async function upload({ client }: Target) {
  const workspace = await createWorkspace(client);
  const document = await uploadManual(workspace);
  const { id, title, createdAt } = document;
  expect(await listDocuments(workspace)).toContainEqual(expect.objectContaining({ id, title, createdAt }));
  const { data: details } = await succeed(sdk.getDocument({ client, query: { documentId: id } }));
  const body = { fileId: details.file?.id ?? expect.fail('the document has no file') };
  expect((await succeed(sdk.importFile({ client, body }))).data.id).toBe(id);
}

async function download({ client }: Target) {
  const { id: documentId } = await uploadManual(await createWorkspace(client));
  const { data: ticket } = await succeed(sdk.presignDownloadUrl({ client, query: { documentId } }));
  expect(Date.parse(ticket.expiresAt)).toBeGreaterThan(Date.now());
  const file = await fetch(ticket.downloadUrl);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, ticket.mimeType]);
  const disposition = file.headers.get('content-disposition');
  expect(disposition).toContain('attachment');
  expect(disposition).toContain(ticket.fileName);
  const bytes = new Uint8Array(await file.arrayBuffer());
  expect(bytes).toHaveLength(ticket.size);
  const part = await fetch(ticket.downloadUrl, { headers: { range: 'bytes=2-' } });
  expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, bytes.subarray(2)]);
}

async function account({ client }: Target) {
  await importNotes(await createWorkspace(client));
  const { data: usage } = await succeed(sdk.getUsage({ client }));
  const { data: listed } = await succeed(sdk.listKnowledgeBases({ client }));
  expect(usage.knowledgeBaseCount).toBe(listed.length);
  const documents = await Promise.all(listed.map(({ id }) => listDocuments({ client, knowledgeBaseId: id })));
  expect(usage.storageUsed).toBe(listed.reduce((sum, { storageUsed = 0 }) => sum + storageUsed, 0));
  expect(usage.documentCount).toBe(documents.flat().length);
  expect(usage.limits?.storage).toBeGreaterThan(usage.storageUsed);
  await succeed(sdk.getBalance({ client }));
}

async function deletions({ client }: Target) {
  const workspace = await createWorkspace(client);
  const { id: documentId } = await importNotes(workspace);
  expect((await succeed(sdk.deleteDocument({ client, body: { documentId } }))).data).toEqual({
    id: documentId,
  });
  const { knowledgeBaseId } = workspace;
  const deleted = await succeed(sdk.deleteKnowledgeBase({ client, body: { knowledgeBaseId } }));
  expect(deleted.data).toEqual({ id: knowledgeBaseId });
}

/** The checks by their test titles. */
export const CHECKS: Record<string, (target: Target) => Promise<void>> = {
  'a created knowledge base is listed, newest first, also page by page': knowledgeBases,
  'a knowledge base equals its list entry, and counts its listed documents': countedDocuments,
  'a knowledge base is renamed': renamed,
  'imported text is processed at once, and every operation returns the same document': importedText,
  'listed documents belong to the knowledge base, newest first, also page by page': lists,
  'passages are in the order of their document, as long as their locations say, also page by page': passages,
  'a search finds passages of listed documents, best first, and no more than the limit': search,
  'a file comes in three steps: ticket, PUT, import; importing it again returns the same document': upload,
  'the file of a document is downloaded as announced, whole and in part': download,
  'usage equals the sums of the lists, and the balance is a number': account,
  'a deletion returns the deleted id': deletions,
};
