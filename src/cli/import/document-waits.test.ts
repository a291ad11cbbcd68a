/** The ends of many imports are found by few requests. */
import { expect, test } from 'vitest';
import type { Document, DocumentStatusReport } from '../../../generated/types.gen.ts';
import { createDocumentWaits } from './document-waits.ts';

type Listed = Pick<Document, 'id' | 'status'>;

/**
 * A service whose newest documents are `listed`. It notes the requests for lists, and those for single documents, which
 * it answers when `answerAlone` is called.
 */
function fakeService(listed: () => Listed[]) {
  const asked = { lists: 0, alone: [] as string[] };
  const answer = Promise.withResolvers<void>();
  const client = {
    listDocuments: ({ limit }: { limit: number }) => {
      asked.lists += 1;
      return Promise.resolve({ data: listed().slice(0, limit) });
    },
    pollDocumentStatus: async (id: string) => {
      asked.alone.push(id);
      await answer.promise;
      if (id.startsWith('bad')) throw new Error(`${id} has failed`);
      return { id, status: 'processed', warnings: [] } as unknown as DocumentStatusReport;
    },
  };
  const wait = createDocumentWaits(client as never, 'k'); // the two functions are all that it uses
  return { wait, asked, answerAlone: answer.resolve };
}

test('a hundred documents take a few lists; the first are asked for alone', async () => {
  const ids = Array.from({ length: 100 }, (_, i) => `${i}`);
  const { wait, asked, answerAlone } = fakeService(() => ids.map((id) => ({ id, status: 'processed' })));
  const waits = ids.map(wait);
  await Promise.all(waits.slice(2));
  answerAlone();
  await Promise.all(waits);
  expect(asked.alone).toEqual(['0', '1']);
  expect(asked.lists).toBeLessThan(5);
});

test('what OCR has read of a document that is asked for alone is told, and that it has ended', async () => {
  const told: unknown[] = [];
  const client = {
    pollDocumentStatus: async (_: string, { onReport }: { onReport(report: object): void }) => {
      onReport({ status: 'processing' });
      onReport({ status: 'processing', recognition: { done: 3, of: 20 } });
      return { status: 'processed' };
    },
  };
  const wait = createDocumentWaits(client as never, 'k', (id, pages) => told.push([id, pages])); // all that it uses
  await wait('scan');
  expect(told).toEqual([
    ['scan', undefined],
    ['scan', { done: 3, of: 20 }],
    ['scan', undefined],
  ]);
});

test('a failed document, and one that is none of the newest, are asked for alone', async () => {
  let processing = true;
  const { wait, asked, answerAlone } = fakeService(() => [
    { id: 'new', status: processing ? 'processing' : 'processed' },
    { id: 'bad', status: 'failed' },
  ]);
  const first = ['1', '2'].map(wait);
  const others = ['new', 'bad', 'old'].map(wait);
  const settled = Promise.allSettled(others);
  await expect.poll(() => asked.alone).toEqual(['1', '2', 'bad', 'old']);
  processing = false;
  answerAlone();
  await Promise.all(first);
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await expect(others[1]).rejects.toThrow('bad has failed');
});
