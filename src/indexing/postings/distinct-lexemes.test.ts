/** A text of very many distinct lexemes counts by its space in the database, not only by its bytes. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hasTooLargeIndex } from '../../database/rows/limits/storage-limit.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';

let service: TestService;
let knowledgeBaseId: string;
beforeAll(async () => {
  service = await startTestService({ settings: { STORAGE_LIMIT_BYTES: String(2 ** 20) } });
  const { body } = await service.call('createKnowledgeBase', { name: 'hostile' });
  knowledgeBaseId = String(body.data.id);
});
afterAll(() => service.close());

/** The number that is checked against the limit, and the true number. */
async function countLexemes() {
  const { rows } = await sql<{ recorded: number; counted: number; unmerged: number }>`
    SELECT distinct_lexemes AS recorded,
      (SELECT count(*) FROM document_frequencies WHERE knowledge_base_id = ${knowledgeBaseId}) AS counted,
      (SELECT count(*) FROM document_frequency_deltas WHERE knowledge_base_id = ${knowledgeBaseId}) AS unmerged
    FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(
    service.service.database,
  );
  return rows[0] ?? { recorded: 0, counted: 0, unmerged: 0 };
}

const setIndexed = ({ lexemes, passages }: { lexemes: number; passages: number }) =>
  sql`UPDATE knowledge_base_statistics SET distinct_lexemes = ${lexemes}, passage_count = ${passages}
    WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(service.service.database);

const importText = (content: string) =>
  service.call('importTextContent', { knowledgeBaseId, title: 'text', content });

/** Chinese characters in which each pair occurs once. */
const uncommonText = (length: number): string =>
  Array.from({ length }, (_, i) =>
    String.fromCodePoint(0x4e00 + (i % 2 === 0 ? 0 : 9_000) + Math.floor(i / 2)),
  ).join('');

test('the distinct lexemes are counted again after many imports, to within a quarter', async () => {
  for (const [start, end] of [
    [0, 8_000],
    [8_000, 12_000],
  ])
    expect((await importText(uncommonText(12_000).slice(start, end))).status).toBe(200);
  await vi.waitUntil(async () => (await countLexemes()).unmerged === 0, { timeout: 60_000 });
  const { recorded, counted } = await countLexemes();
  expect(counted).toBeGreaterThan(12_000);
  expect(counted - recorded).toBeLessThan(Math.max(10_000, counted / 4));
  expect(recorded).toBeGreaterThan(0);
});

test('lexemes and passages beyond the free ones of an account count to its storage limit: texts, files', async () => {
  const { call, service: running } = service;
  const { account_id: accountId } = await running.database
    .selectFrom('knowledge_bases')
    .select('account_id')
    .executeTakeFirstOrThrow();
  const refusesFiles = () => hasTooLargeIndex(running.database, { accountId, defaults: running.config });
  // 38 bytes a lexeme and 440 a passage, of which 4 MiB are free.
  const [free, limit] = [4 * 2 ** 20, 2 ** 20];
  const lexemes = 20_000;
  const passages = Math.ceil((free + limit - 38 * lexemes) / 440);
  await setIndexed({ lexemes, passages });
  const refused = await importText('more');
  expect([refused.status, refused.body.errorCode]).toEqual([403, 'STORAGE_LIMIT_EXCEEDED']);
  expect(refused.body.data.used).toBe(38 * lexemes + 440 * passages - free);
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 4 };
  expect((await call('presignUploadUrl', ticket)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  expect(await refusesFiles()).toBe(true);
  await setIndexed({ lexemes, passages: Math.floor((free - 38 * lexemes) / 440) });
  expect((await importText('more')).status).toBe(200);
  expect(await refusesFiles()).toBe(false);
});
