/** A text that is built to fill the database counts for what it takes there, not only for its bytes. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hasTooManyLexemes } from '../../database/accounts.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';

let service: TestService;
let knowledgeBaseId: string;
beforeAll(async () => {
  service = await startTestService({ settings: { STORAGE_LIMIT_BYTES: String(2 ** 20) } });
  const { body } = await service.call('createKnowledgeBase', { name: 'hostile' });
  knowledgeBaseId = String(body.data.id);
});
afterAll(() => service.close());

/** The number that the limit is checked against, and the true number. */
async function countLexemes() {
  const { rows } = await sql<{ noted: number; counted: number; unmerged: number }>`
    SELECT distinct_lexemes AS noted,
      (SELECT count(*) FROM document_frequencies WHERE knowledge_base_id = ${knowledgeBaseId}) AS counted,
      (SELECT count(*) FROM document_frequency_deltas WHERE knowledge_base_id = ${knowledgeBaseId}) AS unmerged
    FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(
    service.service.database,
  );
  return rows[0] ?? { noted: 0, counted: 0, unmerged: 0 };
}

const noteLexemes = (count: number) =>
  sql`UPDATE knowledge_base_statistics SET distinct_lexemes = ${count}
    WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(service.service.database);

const importText = (content: string) =>
  service.call('importTextContent', { knowledgeBaseId, title: 'text', content });

/** Chinese characters in which each pair occurs once. */
const uncommonText = (length: number): string =>
  Array.from({ length }, (_, place) =>
    String.fromCodePoint(0x4e00 + (place % 2 === 0 ? 0 : 9_000) + Math.floor(place / 2)),
  ).join('');

test('a knowledge base’s lexemes are counted when many have come, to within a quarter', async () => {
  for (const [start, end] of [
    [0, 8_000],
    [8_000, 12_000],
  ])
    expect((await importText(uncommonText(12_000).slice(start, end))).status).toBe(200);
  await vi.waitUntil(async () => (await countLexemes()).unmerged === 0, { timeout: 20_000 });
  const { noted, counted } = await countLexemes();
  expect(counted).toBeGreaterThan(12_000);
  expect(counted - noted).toBeLessThan(Math.max(10_000, counted / 4));
  expect(noted).toBeGreaterThan(0);
});

test('beyond those that each account may have, they count against the storage limit, of texts and of files', async () => {
  const { call, service: parts } = service;
  const { account_id: accountId } = await parts.database
    .selectFrom('knowledge_bases')
    .select('account_id')
    .executeTakeFirstOrThrow();
  const refusesFiles = () => hasTooManyLexemes(parts.database, { accountId, defaults: parts.config });
  const free = (4 * 2 ** 20) / 16;
  const limit = 2 ** 20 / 16;
  await noteLexemes(free + limit + 1);
  const refused = await importText('more');
  expect([refused.status, refused.body.errorCode]).toEqual([403, 'STORAGE_LIMIT_EXCEEDED']);
  expect(refused.body.data.used).toBe(2 ** 20 + 16);
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 4 };
  expect((await call('presignUploadUrl', ticket)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  expect(await refusesFiles()).toBe(true);
  await noteLexemes(free);
  expect((await importText('more')).status).toBe(200);
  expect(await refusesFiles()).toBe(false);
});
