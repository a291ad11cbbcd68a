/** updateDocument, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Updated' });
const import_ = (title: string, content = 'A text about numbats.') =>
  api.importTextContent({ knowledgeBaseId, title, content });
const search = (query: string) => api.query({ query, knowledgeBaseIds: [knowledgeBaseId], limit: 50 });

testPromises('updateDocument');

test('200: a new title is searched at once, in every passage, and the old one no more', async () => {
  const content = Array.from({ length: 20 }, (_, i) => `# Part ${i}\n\n${`Sentence ${i}. `.repeat(60)}`).join(
    '\n\n',
  );
  const document = await import_('Wallabies', content);
  const { data: passages } = await api.listPassages({ documentId: document.id });
  const usage = await api.getUsage();
  const updated = await api.updateDocument({ documentId: document.id, title: 'Känguru 袋鼠' });
  expect(updated).toEqual({ ...document, title: 'Känguru 袋鼠', updatedAt: updated.updatedAt });
  expect(Date.parse(updated.updatedAt ?? '')).toBeGreaterThan(Date.parse(document.updatedAt ?? ''));
  expect(await search('wallabies')).toEqual([]);
  for (const query of ['känguru', '袋鼠']) {
    const found = await search(query);
    expect(found).toHaveLength(passages.length);
    for (const result of found) {
      expect(result).toMatchObject({ title: 'Känguru 袋鼠', metadata: { source: 'Wallabies' } });
    }
  }
  expect((await api.listPassages({ documentId: document.id })).data).toEqual(passages);
  expect((await search('sentence 7')).length).toBeGreaterThan(0);
  expect(await api.getUsage()).toEqual(usage);
  await api.deleteDocument(document.id);
  expect(await search('känguru')).toEqual([]);
});

test('200: the ranking is that of a document imported with the new title', async () => {
  const { id: other } = await api.createKnowledgeBase({ name: 'Imported' });
  const texts = [
    'One bilby digs a burrow in the sand of the desert every night.',
    'The bilby has long ears, as a rabbit has.',
  ];
  for (const [i, content] of texts.entries()) {
    await api.importTextContent({ knowledgeBaseId: other, title: `Bilby ${i}`, content });
  }
  const { id: renamed } = await api.createKnowledgeBase({ name: 'Renamed' });
  for (const [i, content] of texts.entries()) {
    const { id } = await api.importTextContent({ knowledgeBaseId: renamed, title: 'Draft', content });
    await api.updateDocument({ documentId: id, title: `Bilby ${i}` });
  }
  const scoresIn = async (id: string, query: string) =>
    (await api.query({ query, knowledgeBaseIds: [id] })).map(({ title, score }) => [title, score]);
  for (const query of ['bilby', 'bilby 1', 'rabbit ears', 'draft'])
    expect(await scoresIn(renamed, query)).toEqual(await scoresIn(other, query));
});

test('200: attributes are replaced as a whole; what is left out stays; {} and an empty text remove', async () => {
  const { id: documentId } = await import_('Notes');
  await api.updateDocument({
    documentId,
    attributes: { year: 2026, team: 'a' },
    sourceUrl: 'https://a.example/x',
  });
  const second = await api.updateDocument({ documentId, attributes: { year: 2027 } });
  expect(second).toMatchObject({
    title: 'Notes',
    attributes: { year: 2027 },
    sourceUrl: 'https://a.example/x',
  });
  expect(second.attributes).toEqual({ year: 2027 });
  expect(await api.getDocument(documentId)).toMatchObject(second);
  const third = await api.updateDocument({ documentId, attributes: {}, sourceUrl: '' });
  expect(third).not.toHaveProperty('attributes');
  expect(third).not.toHaveProperty('sourceUrl');
  const [found] = await search('notes');
  expect(found).not.toHaveProperty('attributes');
  await api.deleteDocument(documentId);
});

test('200: a file keeps a title that it gets before it was read', async () => {
  const file = { knowledgeBaseId, fileName: 'draft.txt', bytes: bytesOf('A file about quokkas.') };
  const { id: documentId } = await importBytes(api, file);
  await api.updateDocument({ documentId, title: 'Rottnest' });
  await untilFinal(api, documentId);
  const [found] = await search('rottnest');
  expect(found).toMatchObject({
    document_id: documentId,
    title: 'Rottnest',
    metadata: { source: 'draft.txt' },
  });
  expect(await search('draft')).toEqual([]);
  await api.deleteDocument(documentId);
});

test('200: concurrent new titles, imports and deletions leave exactly what is listed', async () => {
  const documents = await Promise.all(Array.from({ length: 5 }, (_, i) => import_(`Start ${i}`)));
  await Promise.all([
    ...documents.flatMap(({ id: documentId }, i) =>
      Array.from({ length: 4 }, (_, k) => api.updateDocument({ documentId, title: `Turn${i} number${k}` })),
    ),
    ...Array.from({ length: 5 }, (_, i) => import_(`Late ${i}`)),
  ]);
  const { data: listed } = await api.listDocuments({ knowledgeBaseId });
  const found = await search('numbats');
  const byTitle = (titles: string[]) => titles.toSorted();
  expect(byTitle(found.map(({ title }) => title))).toEqual(byTitle(listed.map(({ title }) => title)));
  for (const { id, title } of listed.filter(({ title: each }) => each.startsWith('Turn'))) {
    const [best] = await search(title);
    expect(best?.document_id).toBe(id);
    const others = [0, 1, 2, 3].map((k) => title.replace(/\d$/, String(k))).filter((each) => each !== title);
    for (const other of others) expect((await search(other))[0]?.title).not.toBe(other);
  }
  for (const { id } of listed) await api.deleteDocument(id);
});

test('403 STORAGE_LIMIT_EXCEEDED: attributes that do not fit change nothing, not even the title', async () => {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const base = await limited.api.createKnowledgeBase({ name: 'Limited' });
  const text = { knowledgeBaseId: base.id, title: 'Numbats', content: 'A text about numbats.' };
  const document = await limited.api.importTextContent({ ...text, attributes: { a: 'x'.repeat(50) } });
  const { id: documentId } = document;
  await expectNothingChanged(limited, async () => {
    const attributes = { a: 'x'.repeat(90) };
    for (const title of ['Numbats', 'Other'])
      expectRefusal(
        await limited.request('updateDocument', { documentId, title, attributes }),
        403,
        'STORAGE_LIMIT_EXCEEDED',
      );
  });
  expect(await limited.api.query({ query: 'numbats' })).toHaveLength(1);
  await limited.api.updateDocument({ documentId, title: 'Other', attributes: {} });
  expect((await limited.api.getUsage()).storageUsed).toBe(document.size);
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await import_('a');
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, 'x', '😀'.repeat(128), deleted, knowledgeBaseId];
  const answers = await Promise.all(
    ids.map((documentId) => request('updateDocument', { documentId, title: 'b' })),
  );
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: nothing is changed', async () => {
  const { id: documentId } = await import_('Kept');
  await expectNothingChanged(account, async () => {
    const wrong = { documentId, title: '', sourceUrl: 'ftp://a', tags: [] };
    expectRefusedFields(await request('updateDocument', wrong), 'title', 'sourceUrl', 'tags');
  });
});
