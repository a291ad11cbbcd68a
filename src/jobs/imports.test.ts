/** Every accepted document gets the status processed, failed or timeout, the latter two with a reason. */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { countWaitingLocks } from '../database/testing/waiting-locks.ts';
import { packText } from '../indexing/split/extracted-text.ts';
import { sumOverLexemeIndexes } from '../indexing/testing/lexeme-indexes.ts';
import { startTestService } from '../serve/testing/test-service.ts';
import { useUnattendedImports } from '../serve/testing/unattended-imports.ts';
import { storeUnavailable } from '../terms/errors.ts';
import { parseDocumentId } from '../terms/ids.ts';
import { giveUpImport, importFile } from './importing/import-file.ts';
import { endOverdueImports, mergeIntervalMs } from './imports.ts';
import { attempt } from './testing/attempt.ts';

const suite = useUnattendedImports();
const { importPending, statusOf, search } = suite;

const NO_TIME = { importTimeoutSeconds: 0, importWaitSeconds: 0 };

/** Simulates that `seconds` have passed: moves a document's times into the past. */
async function letPass(documentId: string, seconds: number): Promise<void> {
  const { knowledgeBaseId, id } = parseDocumentId(documentId, undefined);
  const { database } = suite.service;
  const earlier = (time: Date) => new Date(time.getTime() - seconds * 1000);
  const { created_at, processing_since } = await database
    .selectFrom('documents')
    .select(['created_at', 'processing_since'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await database
    .updateTable('documents')
    .set({
      created_at: earlier(created_at),
      processing_since: processing_since && earlier(processing_since),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .execute();
}

test('an import waits while the file store is unavailable, and then resumes in the same try', async () => {
  const id = await importPending('stork.txt', 'The stork is away in winter.');
  const { files } = suite.service;
  let looks = 0;
  const isStoreAvailable = async () => ++looks > 2;
  const read: typeof files.read = async (...object) => {
    if (looks < 2) throw storeUnavailable(new Error('silence'));
    return await files.read(...object);
  };
  await importFile({ ...suite.service, files: { ...files, read }, isStoreAvailable }, attempt(id));
  expect((await statusOf(id)).status).toBe('processed');
  expect(looks).toBe(3);
});

test('a processed document is searchable, and a repeated job changes nothing', async () => {
  const id = await importPending('animals.md', '# Zebras\n\nA zebra drinks water.');
  expect((await statusOf(id)).status).toBe('pending');
  await importFile(suite.service, attempt(id));
  await importFile(suite.service, attempt(id));
  expect((await statusOf(id)).status).toBe('processed');
  expect(await search('zebra')).toEqual(['# Zebras\n\nA zebra drinks water.']);
});

test('after an import, index maintenance empties the pending list and merges the deltas', async () => {
  const { service, call, close } = await startTestService();
  const { database } = service;
  await sql`CREATE EXTENSION IF NOT EXISTS pageinspect`.execute(database);
  const readUpkeep = async () => {
    const { rows } = await sql`SELECT count(*) AS changes FROM document_frequency_deltas`.execute(database);
    const pendingPages = await sumOverLexemeIndexes(
      database,
      (index) => `(gin_metapage_info(get_raw_page(${index}, 0))).n_pending_pages`,
    );
    return { ...(rows[0] as object), pendingPages };
  };
  const content = 'A zebra drinks water.';
  const { body } = await call('createKnowledgeBase', { name: 'Maintained' });
  await call('importTextContent', { knowledgeBaseId: body.data.id, title: 'Zebras', content });
  await vi.waitFor(async () => expect(await readUpkeep()).toEqual({ pendingPages: 0, changes: 0 }));
  expect((await call('query', { query: 'zebra' })).body.data).toMatchObject([{ content }]);
  await close();
});

test('a file of an unsupported format fails with UNSUPPORTED_FILE_TYPE', async () => {
  const id = await importPending('program.txt', Buffer.from('\x7fELF\x02\x01\x01\0\0', 'latin1'));
  await importFile(suite.service, attempt(id));
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'UNSUPPORTED_FILE_TYPE' } });
});

test('a file without text fails with NO_TEXT_EXTRACTED', async () => {
  const id = await importPending('empty.txt', ' \n\t\n');
  await importFile(suite.service, attempt(id));
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
});

test('the status shows the page count and the warnings of the extraction, also when it has failed', async () => {
  const warning = { code: 'PAGES_WITHOUT_TEXT', message: 'Page 2 holds no text.' } as const;
  const facts = { type: 'pdf', pageCount: 3, warnings: [warning] } as const;
  const text = { text: 'Page one.', headings: [], pages: [], verbatim: [], tables: [] };
  const extracted = packText(text);
  const failure = { code: 'FILE_ENCRYPTED', message: 'The file needs a password.' } as const;
  const reading = (outcome: { extracted: typeof extracted } | { failure: typeof failure }) => ({
    ...suite.service,
    extract: async () => ({ ...facts, warnings: [...facts.warnings], ...outcome }),
  });
  const [good, bad] = [await importPending('a.pdf', 'a'), await importPending('b.pdf', 'b')];
  await importFile(reading({ extracted }), attempt(good));
  await importFile(reading({ failure }), attempt(bad));
  const expectedFacts = { pageCount: 3, warnings: [warning] };
  expect(await statusOf(good)).toMatchObject({ status: 'processed', passageCount: 1, ...expectedFacts });
  expect(await statusOf(bad)).toMatchObject({
    status: 'failed',
    passageCount: 0,
    ...expectedFacts,
    error: failure,
  });
});

test('passages of subtitles have the time of their first cue, also after the title has changed', async () => {
  const times = [{ offset: 0, seconds: 765.48 }];
  const text = { text: 'A zebra drinks.', headings: [], pages: [], times, verbatim: [], tables: [] };
  const documentId = await importPending('talk.vtt', 'a');
  const extract = async () => ({ type: 'vtt' as const, warnings: [], extracted: packText(text) });
  await importFile({ ...suite.service, extract }, attempt(documentId));
  const expected = [{ location: { passage: 1, headings: [], start: 0, end: 15, time: 765.48 } }];
  expect((await suite.call(`listPassages?documentId=${documentId}`)).body.data).toMatchObject(expected);
  await suite.call('updateDocument', { documentId, title: 'The talk' });
  const request = { query: 'zebra', knowledgeBaseIds: [suite.knowledgeBaseId] };
  expect((await suite.call('query', request)).body.data).toMatchObject(expected);
});

test('a match is cited by the page and the cue that it stands in, also after the title has changed', async () => {
  const words = 'A zebra drinks. An okapi sleeps.';
  const text = {
    ...{ text: words, headings: [], verbatim: [], tables: [] },
    pages: [0, 16].map((offset, i) => ({ offset, page: i + 7 })),
    times: [0, 16].map((offset) => ({ offset, seconds: offset / 2 })),
  };
  const documentId = await importPending('talk.vtt', 'a');
  // A page of its own, as one long page: the second one is not.
  const long = { ...text, text: words + ' The herd moves on.'.repeat(60) };
  const extract = async () => ({ type: 'vtt' as const, warnings: [], extracted: packText(long) });
  await importFile({ ...suite.service, extract }, attempt(documentId));
  await suite.call('updateDocument', { documentId, title: 'The talk' });
  const request = { query: 'okapi', knowledgeBaseIds: [suite.knowledgeBaseId], highlight: true };
  expect((await suite.call('query', request)).body.data).toMatchObject([
    {
      location: { passage: 1, page: 7, lastPage: 8, time: 0 },
      highlights: [{ start: 19, end: 24, page: 8, time: 8 }],
    },
  ]);
});

test('a fault of the service fails the document only after the last try, without details', async () => {
  const id = await importPending('a.txt', 'some text');
  const broken = { ...suite.service, extract: () => Promise.reject(new Error('disk on fire')) };
  await expect(importFile(broken, attempt(id))).rejects.toThrow('disk on fire');
  expect((await statusOf(id)).status).toBe('processing');
  await giveUpImport(broken, attempt(id));
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR' } });
  expect(JSON.stringify(await statusOf(id))).not.toContain('fire');
});

test('a file that the store does not have fails after the last try, and its reason says so', async () => {
  const id = await importPending('a.txt', 'some text');
  const { files } = suite.service;
  await files.remove(suite.knowledgeBaseId);
  await expect(importFile(suite.service, attempt(id))).rejects.toMatchObject({ status: 503 });
  expect((await statusOf(id)).status).toBe('processing');
  await giveUpImport(suite.service, attempt(id));
  const message = expect.stringMatching(/^The bytes of this file are missing in the store/);
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR', message } });
});

test('a document past its deadline gets the status timeout, and its late job makes nothing searchable', async () => {
  const id = await importPending('late.txt', 'a late zebra');
  const { service } = suite;
  const late = {
    ...service,
    extract: async (file: Parameters<typeof service.extract>[0]) => {
      await endOverdueImports(service.database, NO_TIME);
      return await service.extract(file);
    },
  };
  await importFile(late, attempt(id));
  expect(await statusOf(id)).toMatchObject({ status: 'timeout', error: { code: 'PROCESSING_TIMEOUT' } });
  expect(await search('zebra')).toEqual([]);
});

test('the import timeout begins with the first try, not in the queue, and includes later tries', async () => {
  const { service } = suite;
  const endOverdue = () =>
    endOverdueImports(service.database, { importTimeoutSeconds: 30, importWaitSeconds: 3600 });
  const id = await importPending('late.txt', 'a text that waits');
  await letPass(id, 60);
  await endOverdue();
  expect((await statusOf(id)).status).toBe('pending');
  const broken = { ...service, extract: () => Promise.reject(new Error('disk on fire')) };
  for (const status of ['processing', 'timeout']) {
    await expect(importFile(broken, attempt(id))).rejects.toThrow('disk on fire');
    await letPass(id, 20);
    await endOverdue();
    expect((await statusOf(id)).status).toBe(status);
  }
  expect((await statusOf(id)).error).toMatchObject({ message: expect.stringContaining('30 seconds') });
});

test('a file that waits in the queue for too long gets the status timeout with its reason', async () => {
  const id = await importPending('forgotten.txt', 'a text that is never extracted');
  await letPass(id, 60);
  await endOverdueImports(suite.service.database, { importTimeoutSeconds: 600, importWaitSeconds: 30 });
  expect(await statusOf(id)).toMatchObject({ status: 'timeout', error: { code: 'PROCESSING_TIMEOUT' } });
  expect((await statusOf(id)).error).toMatchObject({ message: expect.stringContaining('waited') });
});

test('a document that is put into the queue again while overdue ones end is not overdue any more', async () => {
  const { database } = suite.service;
  const retried = await importPending('a.txt', 'once more');
  await letPass(retried, 60);
  const retrying = await database.startTransaction().execute();
  await sql`
    UPDATE documents SET status = 'pending', queued_at = now()
    WHERE id = ${parseDocumentId(retried, undefined).id}`.execute(retrying);
  // An attempt waits a tenth of a second for the lock, which a busy machine may not see: there are more of them.
  const endOverdue = () => endOverdueImports(database, { importTimeoutSeconds: 600, importWaitSeconds: 30 });
  const endUntilCommitted = async () => {
    while (!retrying.isCommitted) await endOverdue();
  };
  const ending = endUntilCommitted();
  await vi.waitUntil(async () => (await countWaitingLocks(database)) > 0, { interval: 1 });
  await retrying.commit().execute();
  await ending;
  expect((await statusOf(retried)).status).toBe('pending');
});

test.each([
  ['rests after the last deltas', 0, 2, 250],
  ['rests longer the longer it took', 0, 20, 600],
  ['rests no longer than two seconds', 0, 1_000, 2_000],
  ['takes half of the time while some are left', 5_000_000, 1_000, 1_000],
  ['takes all of the time while many are left', 7_000_000, 1_000, 0],
  ['takes all of the time while more are left than are counted', Number.POSITIVE_INFINITY, 1_000, 0],
])('merging %s', (_, bytesLeft, tookMs, expected) => {
  expect(mergeIntervalMs({ bytesLeft, tookMs })).toBe(expected);
});

test('a service that stops does not wait for a merge of document frequencies', async () => {
  const { database, connection, close } = await createTestDatabase();
  const { call, close: stop } = await startTestService({ connection });
  await database.transaction().execute(async (holding) => {
    await sql`LOCK TABLE document_frequencies IN EXCLUSIVE MODE`.execute(holding);
    const { body } = await call('createKnowledgeBase', { name: 'Merged' });
    const text = { knowledgeBaseId: body.data.id, title: 'Ibex', content: 'The ibex climbs.' };
    expect((await call('importTextContent', text)).status).toBe(200);
    const findMerge = async () => {
      const { rows } = await sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%MERGE INTO%'
          AND wait_event_type = 'Lock'`.execute(database);
      return rows.length;
    };
    await expect.poll(findMerge, { timeout: 60_000 }).toBe(1);
    await stop();
    expect(await findMerge()).toBe(0);
  });
  await close();
});
