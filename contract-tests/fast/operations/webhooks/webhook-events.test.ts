/** The events: which change sends which one, with what, and to whom. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DocumentEvent } from '../../../../generated/types.gen.ts';
import { keepReceiver } from '../../../harness/calls/receiver.ts';
import { bytesOf, importBytes, untilFinal, uploadFile } from '../../../harness/calls/uploading.ts';
import { smallPdf } from '../../../harness/documents/small-pdf.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { webhookService } from '../../../harness/shared/share.ts';

const service = await webhookService();
const { api } = await openAccount({}, service);

/** Longer than any event takes. */
const QUIET_MS = 1_500;

async function createKnowledgeBase(): Promise<string> {
  return (await api.createKnowledgeBase({ name: 'Watched' })).id;
}

/** A receiver of the events of a new knowledge base. */
async function watch(events?: DocumentEvent['type'][]) {
  const receiver = await keepReceiver();
  const knowledgeBaseId = await createKnowledgeBase();
  const { secret } = await api.createWebhook({
    url: receiver.url,
    knowledgeBaseIds: [knowledgeBaseId],
    ...(events && { events }),
  });
  const importText = (content: string) => api.importTextContent({ knowledgeBaseId, title: 'Note', content });
  return { receiver, knowledgeBaseId, secret, importText };
}

const LONG = 'A sentence about the potoroo. '.repeat(5_000);

test('document.processed: of short and long texts and of files, with the document as the API shows it', async () => {
  const { receiver, knowledgeBaseId, secret, importText } = await watch();
  const texts = [await importText('short'), await importText(LONG)];
  const file = { knowledgeBaseId, fileName: 'potoroo.md', bytes: bytesOf('# Potoroos') };
  const { id } = await importBytes(api, file);
  const events = await receiver.untilReceived(3, secret);
  const listed = (await api.listDocuments({ knowledgeBaseId })).data;
  for (const event of events) {
    expect(event.type).toBe('document.processed');
    expect(event.data).toEqual(listed.find((document) => document.id === event.data.id));
    expect(Date.parse(event.timestamp)).toBe(Date.parse((event as DocumentEvent).data.updatedAt ?? ''));
  }
  const ids = [...texts.map((text) => text.id), id];
  expect(events.map(({ data }) => data.id).toSorted()).toEqual(ids.toSorted());
});

test('document.processed: each of many texts that are imported at once', async () => {
  const { receiver, secret, importText } = await watch();
  const imported = await Promise.all(Array.from({ length: 40 }, (_, n) => importText(`Number ${n}`)));
  const events = await receiver.untilReceived(40, secret);
  expect(events.map(({ data }) => data.id).toSorted()).toEqual(imported.map(({ id }) => id).toSorted());
});

test('document.failed: a text without readable characters, and a file without text, with the reason', async () => {
  const { receiver, knowledgeBaseId, secret, importText } = await watch();
  await importText('\u0007');
  await importBytes(api, { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf('\n') });
  for (const { type, data } of await receiver.untilReceived(2, secret)) {
    expect(type).toBe('document.failed');
    expect(data).toMatchObject({ status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
  }
});

test('document.processed: with what was not read of the file', async () => {
  const { receiver, knowledgeBaseId, secret } = await watch();
  const pages = [[{ size: 12, text: 'Potoroos dig for truffles.' }], []];
  await importBytes(api, { knowledgeBaseId, fileName: 'potoroo.pdf', bytes: smallPdf(pages, 2_000) });
  const [event] = await receiver.untilReceived(1, secret);
  expect(event).toMatchObject({
    type: 'document.processed',
    data: { warnings: [{ code: 'PAGES_WITHOUT_TEXT', message: 'Page 2: without text.' }] },
  });
});

test('document.deleted: with the document as it was, after the event of its import', async () => {
  const { receiver, secret, importText } = await watch();
  const imported = await Promise.all(Array.from({ length: 10 }, (_, n) => importText(`Number ${n}`)));
  for (const { id } of imported) await api.deleteDocument(id);
  const events = await receiver.untilReceived(20, secret);
  for (const document of imported) {
    const own = events.filter(({ data }) => data.id === document.id);
    expect(own.map(({ type }) => type)).toEqual(['document.processed', 'document.deleted']);
    expect(own.map(({ data }) => data)).toEqual([document, document]);
  }
});

test('document.deleted: of each version that a short text, a long one or a file replaces', async () => {
  const { receiver, knowledgeBaseId, secret } = await watch();
  const externalId = 'potoroo';
  const text = { knowledgeBaseId, title: 'Note', externalId };
  const file = { knowledgeBaseId, fileName: 'potoroo.md', bytes: bytesOf('# Potoroos') };
  const first = await api.importTextContent({ ...text, content: 'short' });
  const second = await api.importTextContent({ ...text, content: LONG });
  const third = await api.importFile((await uploadFile(api, file)).fileId, { externalId });
  await untilFinal(api, third.id);
  await api.importTextContent({ ...text, content: 'short again' });
  const events = await receiver.untilReceived(7, secret);
  for (const { id } of [first, second, third]) {
    const own = events.filter(({ data }) => data.id === id);
    expect(own.map(({ type }) => type)).toEqual(['document.processed', 'document.deleted']);
  }
  const processed = events.filter(({ type }) => type === 'document.processed') as DocumentEvent[];
  const replaced = new Map(processed.map(({ data }) => [data.id, data.replaces]));
  expect([second, third].map(({ id }) => replaced.get(id))).toEqual([first.id, second.id]);
});

test('knowledgeBase.deleted: one event, after those of its documents, and none for each document', async () => {
  const { receiver, knowledgeBaseId, secret, importText } = await watch();
  for (let n = 0; n < 5; n += 1) await importText(`Number ${n}`);
  await api.deleteKnowledgeBase(knowledgeBaseId);
  await receiver.untilReceived(6, secret);
  await delay(QUIET_MS);
  const events = await receiver.untilReceived(6, secret);
  expect(events.map(({ type }) => type)).toEqual([
    ...Array(5).fill('document.processed'),
    'knowledgeBase.deleted',
  ]);
  expect(events.at(-1)?.data).toEqual({ id: knowledgeBaseId });
});

test('a webhook receives only its events, of its knowledge bases and its account', async () => {
  const deletions = await watch(['document.deleted']);
  const everything = await keepReceiver();
  const { id, secret } = await api.createWebhook({ url: everything.url });
  const elsewhere = await createKnowledgeBase();
  await api.importTextContent({ knowledgeBaseId: elsewhere, title: 'Note', content: 'elsewhere' });
  const document = await deletions.importText('here');
  const other = await openAccount({}, service);
  const { id: foreign } = await other.api.createKnowledgeBase({ name: 'Theirs' });
  await other.api.importTextContent({ knowledgeBaseId: foreign, title: 'Note', content: 'theirs' });
  await api.deleteDocument(document.id);
  const all = await everything.untilReceived(3, secret);
  expect(all.map(({ type }) => type).toSorted()).toEqual([
    'document.deleted',
    'document.processed',
    'document.processed',
  ]);
  const own = await deletions.receiver.untilReceived(1, deletions.secret);
  expect(own.map(({ type, data }) => [type, data.id])).toEqual([['document.deleted', document.id]]);
  // Both webhooks get the same event under the same id.
  const ids = everything.received.map(({ headers }) => headers['webhook-id']);
  expect(ids).toContain(deletions.receiver.received[0]?.headers['webhook-id']);
  await api.deleteWebhook(id);
});

test('an import that is refused sends nothing, nor does a deleted webhook receive anything', async () => {
  const receiver = await keepReceiver();
  const { api: limited } = await openAccount({ storageLimitBytes: 10 }, service);
  const { id: knowledgeBaseId } = await limited.createKnowledgeBase({ name: 'Small' });
  const { id } = await limited.createWebhook({ url: receiver.url });
  const text = { knowledgeBaseId, title: 'Note' };
  await expect(limited.importTextContent({ ...text, content: 'too long to fit' })).rejects.toBeDefined();
  await limited.deleteWebhook(id);
  await limited.importTextContent({ ...text, content: 'fits' });
  await delay(QUIET_MS);
  expect(receiver.received).toEqual([]);
});
