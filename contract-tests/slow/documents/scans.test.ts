/** Scans over the API: how far OCR has read one, who does not wait for it, and what a search says of its passages. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { bytesOf, importBytes, isFinal, untilFinal } from '../../harness/calls/uploading.ts';
import { scanOf, writtenPicture } from '../../harness/documents/scans.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const { api } = await openAccount();

/** Pages of the long scan: minutes of work. The test deletes it long before its end. */
const PAGES = 400;

test('the pages that OCR has read of a long scan are counted; another account’s file is read meanwhile', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Long' });
  const bytes = scanOf(PAGES);
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'long.pdf', bytes });
  onTestFinished(async () => void (await api.deleteKnowledgeBase(knowledgeBaseId)));
  const untilPages = (done: number) =>
    vi.waitUntil(
      async () => {
        const report = await api.getDocumentStatus(id);
        if (isFinal(report.status)) throw new Error(`the import ended: ${JSON.stringify(report)}`);
        return report.recognition !== undefined && report.recognition.done > done && report.recognition;
      },
      { timeout: 120_000, interval: 100 },
    );
  const first = await untilPages(0);
  expect(first.of).toBe(PAGES);

  const other = await openAccount();
  const { id: othersId } = await other.api.createKnowledgeBase({ name: 'Short' });
  const note = { knowledgeBaseId: othersId, fileName: 'note.md', bytes: bytesOf('The okapi sleeps.') };
  const { id: noteId } = await importBytes(other.api, note);
  expect(await untilFinal(other.api, noteId)).toMatchObject({ status: 'processed' });

  // The scan is not interrupted by that, and has not ended either.
  const later = await untilPages(first.done);
  expect(later.done).toBeLessThan(PAGES);
});

test('passages of a picture say how surely they were recognised, and those of typed text do not', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Pictures' });
  const files = [
    { knowledgeBaseId, fileName: 'opening.png', bytes: writtenPicture() },
    { knowledgeBaseId, fileName: 'opening.md', bytes: bytesOf('Typed: the library opens at ten.') },
  ];
  for (const file of files) {
    const { id } = await importBytes(api, file);
    expect(await untilFinal(api, id)).toMatchObject({ status: 'processed' });
  }
  const results = await api.query({ query: 'library opens', knowledgeBaseIds: [knowledgeBaseId] });
  const recognised = Object.fromEntries(results.map(({ type, location }) => [type, location?.recognised]));
  expect(recognised).toEqual({ image: { confidence: expect.any(Number) }, md: undefined });
  expect(recognised.image?.confidence).toBeGreaterThan(0.7);
});
