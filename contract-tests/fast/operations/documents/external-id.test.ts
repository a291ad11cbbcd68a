/** externalId: a document replaces the earlier ones with the caller's own id. */
import { expect, test } from 'vitest';
import type { Document, ImportTextContentRequest } from '../../../../generated/types.gen.ts';
import { expectRefusal, expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, type SentFile, untilFinal, uploadFile } from '../../../harness/calls/uploading.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

const newKnowledgeBase = async (): Promise<string> =>
  (await api.createKnowledgeBase({ name: 'Versions' })).id;
const find = (knowledgeBaseId: string, query = 'quokka') =>
  api.query({ query, knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
const list = async (knowledgeBaseId: string) => (await api.listDocuments({ knowledgeBaseId })).data;

/** The documents that a query for all versions finds, each once. */
async function findVersions(knowledgeBaseId: string): Promise<string[]> {
  return [...new Set((await find(knowledgeBaseId)).map(({ document_id }) => document_id))];
}

async function expectGone({ id: documentId }: Document): Promise<void> {
  expectRefusal(await request('getDocument', { documentId }), 404, 'DOCUMENT_NOT_FOUND');
}

const externalId = 'Träger/handbuch.pdf?id=1 😀';
const short = (knowledgeBaseId: string, version: number): ImportTextContentRequest => ({
  knowledgeBaseId,
  title: `Version ${version}`,
  content: `The quokka of version ${version} smiles.`,
  externalId,
});
const large = (knowledgeBaseId: string, version: number) => {
  const text = short(knowledgeBaseId, version);
  return { ...text, content: `${text.content} `.repeat(3_000) };
};
const importFile = async (file: SentFile, options = { externalId }): Promise<Document> =>
  await api.importFile((await uploadFile(api, file)).fileId, options);
const fileOf = (knowledgeBaseId: string, text: string): SentFile => ({
  knowledgeBaseId,
  fileName: 'quokka.txt',
  bytes: bytesOf(text),
});

test.each([
  ['short', short],
  ['large', large],
])('a %s text replaces the earlier one at once, and says which', async (_, textOf) => {
  const knowledgeBaseId = await newKnowledgeBase();
  const first = await api.importTextContent(textOf(knowledgeBaseId, 1));
  expect(first).toMatchObject({ externalId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(first).not.toHaveProperty('replaces');
  const second = await api.importTextContent(textOf(knowledgeBaseId, 2));
  expect(second).toMatchObject({ externalId, replaces: first.id, status: 'processed' });
  expect(second.passageCount).toBe(first.passageCount);
  await expectGone(first);
  expect(await list(knowledgeBaseId)).toEqual([second]);
  expect(await api.getDocument(second.id)).toMatchObject({ externalId, replaces: first.id });
  const found = await find(knowledgeBaseId, 'quokka version 1');
  expect(new Set(found.map(({ document_id }) => document_id))).toEqual(new Set([second.id]));
  expect(found[0]).toMatchObject({ externalId });
  const third = await api.importTextContent(textOf(knowledgeBaseId, 3));
  expect(third.replaces).toBe(second.id);
});

test('a file replaces a text when it is processed; until then the text is found', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const text = await api.importTextContent(short(knowledgeBaseId, 1));
  const file = await importFile(fileOf(knowledgeBaseId, 'The quokka of the file.'));
  expect(file).toMatchObject({ status: 'pending', externalId, replaces: text.id });
  await untilFinal(api, file.id);
  await expectGone(text);
  expect(await findVersions(knowledgeBaseId)).toEqual([file.id]);
  const textAgain = await api.importTextContent(short(knowledgeBaseId, 2));
  expect(textAgain.replaces).toBe(file.id);
  await expectGone(file);
  expect(await findVersions(knowledgeBaseId)).toEqual([textAgain.id]);
});

test('a file that fails, and a text without readable characters, replace nothing', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const text = await api.importTextContent(short(knowledgeBaseId, 1));
  const blank = await importFile(fileOf(knowledgeBaseId, '  '));
  expect((await untilFinal(api, blank.id)).status).toBe('failed');
  const unreadable = await api.importTextContent({ ...short(knowledgeBaseId, 2), content: '\u0001' });
  expect(unreadable.status).toBe('failed');
  expect(await findVersions(knowledgeBaseId)).toEqual([text.id]);
  expect(await list(knowledgeBaseId)).toHaveLength(3);
  const next = await api.importTextContent(short(knowledgeBaseId, 3));
  expect(next.replaces).toBe(text.id);
  expect(await list(knowledgeBaseId)).toEqual([next]);
});

test('of imports in progress the last one stays, and the earlier ones are deleted', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const files: Document[] = [];
  for (let version = 0; version < 5; version++)
    files.push(await importFile(fileOf(knowledgeBaseId, `The quokka of file ${version}.`)));
  const text = await api.importTextContent(short(knowledgeBaseId, 1));
  for (const file of files) await expectGone(file);
  expect(await list(knowledgeBaseId)).toEqual([text]);
  expect(await findVersions(knowledgeBaseId)).toEqual([text.id]);
});

test('it is the id within one knowledge base, compared as it is', async () => {
  const [knowledgeBaseId, other] = [await newKnowledgeBase(), await newKnowledgeBase()];
  const first = await api.importTextContent(short(knowledgeBaseId, 1));
  await api.importTextContent(short(other, 2));
  for (const different of [`${externalId} `, externalId.toUpperCase(), externalId.normalize('NFD')])
    await api.importTextContent({ ...short(knowledgeBaseId, 3), externalId: different });
  expect(await api.getDocument(first.id)).toMatchObject({ id: first.id });
  expect(await list(knowledgeBaseId)).toHaveLength(4);
});

test('listDocuments with it has its versions only, on every page', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  await api.importTextContent({ ...short(knowledgeBaseId, 0), externalId: 'another' });
  const found = await api.importTextContent(short(knowledgeBaseId, 1));
  const failed = await api.importTextContent({ ...short(knowledgeBaseId, 2), content: '\u0001' });
  const first = await api.listDocuments({ knowledgeBaseId, externalId, limit: 1 });
  expect(first.data).toEqual([failed]);
  const cursor = first.pagination.nextCursor ?? '';
  expect((await api.listDocuments({ knowledgeBaseId, externalId, cursor })).data).toEqual([found]);
  expect((await api.listDocuments({ knowledgeBaseId, externalId: 'unknown' })).data).toEqual([]);
});

test('a failed version that is read again does not come back after a later one', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const blank = await importFile(fileOf(knowledgeBaseId, '  '));
  await untilFinal(api, blank.id);
  const retried = request('retryDocument', { documentId: blank.id });
  const text = await api.importTextContent(short(knowledgeBaseId, 1));
  expect([200, 404]).toContain((await retried).status);
  expectRefusal(await request('retryDocument', { documentId: blank.id }), 404, 'DOCUMENT_NOT_FOUND');
  expect(await list(knowledgeBaseId)).toEqual([text]);
});

test('new titles of a document that is replaced meanwhile: one version is found, or none changes', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  let current = await api.importTextContent(large(knowledgeBaseId, 0));
  for (let version = 1; version <= 5; version++) {
    const { id: documentId } = current;
    const [next, ...updated] = await Promise.all([
      api.importTextContent((version % 2 === 0 ? large : short)(knowledgeBaseId, version)),
      ...[1, 2].map((i) => request('updateDocument', { documentId, title: `Title ${i}` })),
    ]);
    for (const answer of updated) if (answer.status !== 200) expectRefusal(answer, 404, 'DOCUMENT_NOT_FOUND');
    expect(await findVersions(knowledgeBaseId)).toEqual([next.id]);
    expect(await list(knowledgeBaseId)).toEqual([next]);
    current = next;
  }
});

test('40 replacements from four clients: each query meanwhile finds exactly one version', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  await api.importTextContent(short(knowledgeBaseId, 0));
  let isWriting = true;
  const write = async (client: number) => {
    for (let i = 0; i < 10; i++) {
      const version = 1 + client * 10 + i;
      if (client === 0 && i % 5 === 0)
        await importFile(fileOf(knowledgeBaseId, `The quokka of version ${version} smiles.`));
      else await api.importTextContent((i % 10 === 9 ? large : short)(knowledgeBaseId, version));
    }
  };
  const counts: number[] = [];
  const query = async () => {
    while (isWriting) counts.push((await findVersions(knowledgeBaseId)).length);
  };
  const querying = [query(), query()];
  await Promise.all([0, 1, 2, 3].map(write)).finally(() => {
    isWriting = false;
  });
  await Promise.all(querying);
  expect(counts.length).toBeGreaterThan(10);
  expect(new Set(counts)).toEqual(new Set([1]));
  for (const { id } of await list(knowledgeBaseId)) await untilFinal(api, id).catch(() => undefined);
  const [last, ...others] = await list(knowledgeBaseId);
  expect(others).toEqual([]);
  expect(await findVersions(knowledgeBaseId)).toEqual([last?.id]);
}, 120_000);

test('texts with externalIds that arrive together: the last of each stays', async () => {
  const knowledgeBaseId = await newKnowledgeBase();
  const imported = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      api.importTextContent({ ...short(knowledgeBaseId, i), externalId: `record ${i % 7}` }),
    ),
  );
  const left = await list(knowledgeBaseId);
  expect(left.map((document) => document.externalId).sort()).toEqual(
    Array.from({ length: 7 }, (_, i) => `record ${i}`),
  );
  const replaced = new Set(imported.map(({ replaces }) => replaces));
  expect(
    imported
      .filter(({ id }) => !replaced.has(id))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(left.map(({ id }) => id).sort());
});

test('storageUsed counts attributes, sourceUrl and externalId, and nothing of a replaced document', async () => {
  const { api: own } = await openAccount();
  const { id: knowledgeBaseId } = await own.createKnowledgeBase({ name: 'Bytes' });
  const text = {
    knowledgeBaseId,
    title: 'Bytes',
    content: '12345',
    externalId: 'é',
    sourceUrl: 'https://example.org',
  };
  await own.importTextContent(text);
  expect((await own.getUsage()).storageUsed).toBe(5 + 2 + 19);
  const described = { ...text, attributes: { text: 'x'.repeat(500) } };
  const { size } = await own.importTextContent(described);
  expect(size).toBe(5);
  const { storageUsed } = await own.getUsage();
  expect(storageUsed - 26).toBeGreaterThan(500);
  expect(storageUsed - 26).toBeLessThan(530);
  await own.importTextContent(text);
  expect((await own.getUsage()).storageUsed).toBe(26);
});

test('403 STORAGE_LIMIT_EXCEEDED: attributes count, and a new version must fit beside the old one', async () => {
  const limited = await openAccount({ storageLimitBytes: 1_000 });
  const { id: knowledgeBaseId } = await limited.api.createKnowledgeBase({ name: 'Limited' });
  const text = { knowledgeBaseId, title: 'Limited', content: 'x'.repeat(600), externalId: 'a' };
  const first = await limited.api.importTextContent(text);
  expectRefusal(await limited.request('importTextContent', text), 403, 'STORAGE_LIMIT_EXCEEDED');
  const attributes = { a: 'x'.repeat(400) };
  const described = { knowledgeBaseId, title: 'Limited', content: 'x', attributes };
  expectRefusal(await limited.request('importTextContent', described), 403, 'STORAGE_LIMIT_EXCEEDED');
  expect((await limited.api.listDocuments({ knowledgeBaseId })).data).toEqual([first]);
});

test.each(['', 'x'.repeat(257), 'a\u0000', 5])('422: the externalId %j', async (given) => {
  const text = { ...short(await newKnowledgeBase(), 1), externalId: given };
  expectRefusedFields(await request('importTextContent', text), 'externalId');
});
