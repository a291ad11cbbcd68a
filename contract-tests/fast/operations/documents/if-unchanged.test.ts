/** ifUnchanged: imports of content that the knowledge base has already make nothing new. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Document } from '../../../../generated/types.gen.ts';
import { expectRefusal, expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, untilFinal, upload, uploadFile } from '../../../harness/calls/uploading.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

const newKnowledgeBase = async (): Promise<string> => (await api.createKnowledgeBase({ name: 'Synced' })).id;
const list = async (knowledgeBaseId: string) => (await api.listDocuments({ knowledgeBaseId })).data;
const skip = { ifUnchanged: 'skip' } as const;
const textIn = (knowledgeBaseId: string, content = 'The numbat eats termites.') => ({
  knowledgeBaseId,
  title: 'Numbat',
  content,
});

test.each([
  ['short', 1],
  ['large', 3_000],
])('a %s text: the document that has its content is the answer', async (_, times) => {
  const text = textIn(await newKnowledgeBase(), 'The numbat eats termites. '.repeat(times));
  const first = await api.importTextContent({ ...text, ...skip });
  expect(first).not.toHaveProperty('unchanged');
  expect(await api.importTextContent({ ...text, ...skip })).toEqual({ ...first, unchanged: true });
  expect(await api.importTextContent({ ...text, title: 'Another title', ...skip })).toEqual({
    ...first,
    unchanged: true,
  });
  const changed = await api.importTextContent({ ...text, content: `${text.content}!`, ...skip });
  expect(changed.id).not.toBe(first.id);
  expect(await list(text.knowledgeBaseId)).toEqual([changed, first]);
  expect(await api.getDocument(first.id)).not.toHaveProperty('unchanged');
});

test('with an externalId, only the last document with it counts, and only with the same title', async () => {
  const text = { ...textIn(await newKnowledgeBase()), externalId: 'numbat' };
  await api.importTextContent(textIn(text.knowledgeBaseId));
  const first = await api.importTextContent({ ...text, ...skip });
  expect(first).not.toHaveProperty('unchanged');
  expect(await api.importTextContent({ ...text, ...skip })).toEqual({ ...first, unchanged: true });
  const renamed = await api.importTextContent({ ...text, title: 'Renamed', ...skip });
  expect(renamed).toMatchObject({ title: 'Renamed', replaces: first.id });
  const changed = await api.importTextContent({ ...text, content: 'Changed numbats.', ...skip });
  expect(changed.replaces).toBe(renamed.id);
  expect((await api.importTextContent({ ...text, ...skip })).replaces).toBe(changed.id);
});

test('with an externalId, given attributes and sourceUrl are brought up to date, and others stay', async () => {
  const { api: own } = await openAccount();
  const { id: knowledgeBaseId } = await own.createKnowledgeBase({ name: 'Described' });
  const text = { ...textIn(knowledgeBaseId), externalId: 'numbat', ...skip };
  const first = await own.importTextContent({ ...text, attributes: { a: 1 } });
  const sourceUrl = 'https://example.org/numbat';
  const described = await own.importTextContent({ ...text, sourceUrl });
  expect(described).toMatchObject({ id: first.id, attributes: { a: 1 }, sourceUrl, unchanged: true });
  const again = await own.importTextContent({ ...text, attributes: { b: ['x'] } });
  expect(again).toMatchObject({ id: first.id, attributes: { b: ['x'] }, sourceUrl, unchanged: true });
  const [found] = await own.query({ query: 'numbat' });
  expect(found).toMatchObject({ attributes: { b: ['x'] }, sourceUrl });
  const emptied = await own.importTextContent({ ...text, attributes: {} });
  expect(emptied).not.toHaveProperty('attributes');
  expect((await own.getUsage()).storageUsed).toBe(emptied.size + sourceUrl.length + 'numbat'.length);
  await own.importTextContent({ ...textIn(knowledgeBaseId), attributes: { c: 1 }, ...skip });
  expect(await own.getDocument(first.id)).not.toHaveProperty('attributes');
});

test('403 STORAGE_LIMIT_EXCEEDED: attributes that do not fit leave the document as it is', async () => {
  const limited = await openAccount({ storageLimitBytes: 200 });
  const { id: knowledgeBaseId } = await limited.api.createKnowledgeBase({ name: 'Limited' });
  const text = { ...textIn(knowledgeBaseId), externalId: 'numbat', ...skip };
  const { id } = await limited.api.importTextContent(text);
  const described = { ...text, attributes: { a: 'x'.repeat(200) } };
  expectRefusal(await limited.request('importTextContent', described), 403, 'STORAGE_LIMIT_EXCEEDED');
  expect(await limited.api.getDocument(id)).not.toHaveProperty('attributes');
});

test('a file: its bytes are removed, and importing it again gives the same answer', async () => {
  const { api: own } = await openAccount({ storageLimitBytes: 100 });
  const { id: knowledgeBaseId } = await own.createKnowledgeBase({ name: 'Files' });
  const file = { knowledgeBaseId, fileName: 'numbat.txt', bytes: bytesOf('The numbat eats termites.') };
  const options = { externalId: 'numbat', ...skip };
  const first = await own.importFile((await uploadFile(own, file)).fileId, options);
  expect(first).toMatchObject({ status: 'pending', sha256: expect.any(String) });
  const unchanged = async (): Promise<Document> => {
    const { fileId } = await uploadFile(own, file);
    const answer = await own.importFile(fileId, options);
    expect(await own.importFile(fileId, options)).toMatchObject({ id: answer.id, unchanged: true });
    return answer;
  };
  expect(await unchanged()).toMatchObject({ id: first.id, unchanged: true });
  await untilFinal(own, first.id);
  // Four uploads of 25 bytes would not fit beside the document.
  for (let i = 0; i < 4; i++)
    expect(await unchanged()).toMatchObject({ status: 'processed', unchanged: true });
  const { fileId } = await uploadFile(own, { ...file, fileName: 'renamed.txt' });
  expect(await own.importFile(fileId, options)).toMatchObject({ title: 'renamed.txt', replaces: first.id });
});

test('a file that has got another title since is unchanged, and a text is not', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const file = { knowledgeBaseId, fileName: 'numbat.txt', bytes: bytesOf('The numbat eats termites.') };
  const options = { externalId: 'file', ...skip };
  const { id } = await api.importFile((await uploadFile(api, file)).fileId, options);
  await untilFinal(api, id);
  await api.updateDocument({ documentId: id, title: 'Myrmecobius' });
  const again = await api.importFile((await uploadFile(api, file)).fileId, options);
  expect(again).toMatchObject({ id, title: 'Myrmecobius', unchanged: true });
  const text = { ...textIn(knowledgeBaseId), externalId: 'text', ...skip };
  const { id: documentId } = await api.importTextContent(text);
  await api.updateDocument({ documentId, title: 'Myrmecobius' });
  expect(await api.importTextContent(text)).toMatchObject({ title: text.title, replaces: documentId });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the content of a deleted knowledge base is unknown', async () => {
  const text = textIn(await newKnowledgeBase());
  await api.importTextContent(text);
  await api.deleteKnowledgeBase(text.knowledgeBaseId);
  const answer = await request('importTextContent', { ...text, ...skip });
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('a file that was sent again after an unchanged import is imported', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const file = { knowledgeBaseId, fileName: 'numbat.txt', bytes: bytesOf('The numbat eats termites.') };
  await api.importFile((await uploadFile(api, file)).fileId, skip);
  const ticket = await uploadFile(api, file);
  expect((await api.importFile(ticket.fileId, skip)).unchanged).toBe(true);
  expect((await upload(ticket, bytesOf('The numbat ate termites!!'))).status).toBe(200);
  const changed = await api.importFile(ticket.fileId, skip);
  expect(changed).not.toHaveProperty('unchanged');
  expect(await list(knowledgeBaseId)).toHaveLength(2);
});

test('failed documents, other knowledge bases, and files beside texts do not count', async () => {
  const [knowledgeBaseId, other] = [await newKnowledgeBase(), await newKnowledgeBase()];
  await api.importTextContent({ ...textIn(knowledgeBaseId, '\u0001'), ...skip });
  expect(await api.importTextContent({ ...textIn(knowledgeBaseId, '\u0001'), ...skip })).not.toHaveProperty(
    'unchanged',
  );
  const { content } = textIn(other);
  await api.importTextContent({ ...textIn(other), ...skip });
  expect(await api.importTextContent({ ...textIn(knowledgeBaseId), ...skip })).not.toHaveProperty(
    'unchanged',
  );
  const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName: 'a.txt', bytes: bytesOf(content) });
  expect(await api.importFile(fileId, skip)).not.toHaveProperty('unchanged');
});

test('imports of the same content at the same time make one document', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      api.importTextContent({ ...textIn(knowledgeBaseId), ...(i % 2 === 0 && { externalId: 'a' }), ...skip }),
    ),
  );
  expect(answers.filter(({ unchanged }) => unchanged).length).toBeGreaterThanOrEqual(10);
  expect((await list(knowledgeBaseId)).length).toBeLessThanOrEqual(2);
});

test('with an Idempotency-Key the first answer stays the answer', async () => {
  const text = { ...textIn(await newKnowledgeBase()), externalId: 'numbat', ...skip };
  await api.importTextContent(text);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await request('importTextContent', text, headers);
  expect(first.body).toMatchObject({ data: { unchanged: true } });
  await api.importTextContent({ ...text, content: 'Changed numbats.' });
  expect((await request('importTextContent', text, headers)).text).toBe(first.text);
});

test('422: a value other than skip', async () => {
  const text = { ...textIn(await newKnowledgeBase()), ifUnchanged: 'replace' };
  expectRefusedFields(await request('importTextContent', text), 'ifUnchanged');
});
