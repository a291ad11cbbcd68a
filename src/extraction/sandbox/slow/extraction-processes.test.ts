/** A process reads several plain files, all of one account. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import {
  documentsMissing,
  readSharedDocument,
  sharedDocuments,
} from '../../../../contract-tests/harness/documents/shared-documents.ts';
import { unpackText } from '../../../indexing/split/extracted-text.ts';
import { typeByName } from '../../detect-type.ts';
import { PLAIN_FORMATS } from '../../extraction-limits.ts';
import { createExtractionPool, type ExtractionPool } from '../extraction-pool.ts';

const hostile = fileURLToPath(new URL('../../testing/hostile-process.ts', import.meta.url));

const pools: ExtractionPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

/** Extracts an empty file in a process that misbehaves as the name says. A text names all files of its process. */
function openHostile() {
  const maxMsFor = (type: string) => (type === 'xml' ? 2_000 : 60_000);
  const pool = createExtractionPool({ program: hostile, maxMsFor });
  pools.push(pool);
  return async (fileName: string, accountId = 'a') => {
    const read = await pool.extract({ accountId, fileName, readBytes: async () => new Uint8Array() });
    return 'extracted' in read ? unpackText(read.extracted).text : read.failure.code;
  };
}

test('a process reads the files of one account, never those of two', async () => {
  const extract = openHostile();
  expect(await extract('answer,1')).toBe('answer,1');
  expect(await extract('answer,2')).toBe('answer,1 answer,2');
  expect(await extract('answer,b1', 'b')).toBe('answer,b1');
  expect(await extract('answer,3')).toBe('answer,1 answer,2 answer,3');
  expect(await extract('answer,b2', 'b')).toBe('answer,b1 answer,b2');
});

test('files of several accounts at a time stay apart', async () => {
  const extract = openHostile();
  const names = Array.from({ length: 60 }, (_, i) => ({ accountId: 'abc'.charAt(i % 3), i }));
  const texts = await Promise.all(
    names.map(async ({ accountId, i }) => ({
      accountId,
      text: await extract(`answer,${accountId}${i}`, accountId),
    })),
  );
  for (const { accountId, text } of texts)
    for (const name of text.split(' ')) expect(name).toMatch(new RegExp(`^answer,${accountId}`));
});

test('a file of another kind ends its process, by its name or by its content', async () => {
  const extract = openHostile();
  await extract('answer,1');
  expect(await extract('answer as a pdf,2.pdf')).toBe('answer as a pdf,2.pdf');
  expect(await extract('answer,3')).toBe('answer,1 answer,3');
  expect(await extract('answer as a pdf')).toBe('answer,1 answer,3 answer as a pdf');
  expect(await extract('answer,4')).toBe('answer,4');
});

test('a file that exceeds a limit fails alone, among many', async () => {
  const extract = openHostile();
  const names = ['answer,1', 'answer,2', 'loop as xml', 'answer,3', 'flood', 'answer,4'];
  const read: string[] = [];
  for (const name of names) read.push(await extract(name));
  expect(read).toEqual([
    'answer,1',
    'answer,1 answer,2',
    'FILE_TOO_COMPLEX',
    'answer,3',
    'FILE_TOO_COMPLEX',
    'answer,4',
  ]);
});

test.each([
  'answer twice',
  'answer the next file too',
  'answer the last file again',
  'announce no outcome',
  'chat',
])('a process that answers wrongly ends, and no other file gets its answer: %s', async (how) => {
  const extract = openHostile();
  await extract('answer,1');
  await expect(extract(how)).rejects.toThrow('returned an invalid result');
  expect(await extract('answer,2')).toBe('answer,2');
});

test.each(['answer later again', 'answer and end'])(
  'a process that does something between two files gets no further one: %s',
  async (how) => {
    const extract = openHostile();
    expect(await extract(how)).toBe(how);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await extract('answer,2')).toBe('answer,2');
  },
);

test('a process ends after many files', async () => {
  const extract = openHostile();
  let most = 0;
  let last = 0;
  for (let i = 0; i < 520; i++) {
    last = (await extract('answer')).split(' ').length;
    most = Math.max(most, last);
  }
  expect(most).toBe(500);
  expect(last).toBe(20);
});

const plain = sharedDocuments.filter(({ file }) => {
  const type = typeByName(file);
  return type !== undefined && PLAIN_FORMATS.has(type);
});

test.skipIf(documentsMissing)(
  'a plain file has the same text whatever its process has read before',
  async () => {
    const pool = createExtractionPool();
    pools.push(pool);
    const readAll = async (accountId: string, documents: typeof plain) => {
      const texts = new Map<string, unknown>();
      for (const { file } of documents) {
        const readBytes = async () => Uint8Array.from(await readSharedDocument(file));
        const read = await pool.extract({ accountId, fileName: file, readBytes });
        texts.set(file, 'extracted' in read ? { ...read, extracted: unpackText(read.extracted).text } : read);
      }
      return texts;
    };
    expect(plain.length).toBeGreaterThan(0);
    expect(await readAll('a', plain)).toEqual(await readAll('b', plain.toReversed()));
  },
);
