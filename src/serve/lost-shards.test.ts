/** While a server of shards is away, only what needs it is refused. Skipped without Citus (CITUS_URL). */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isCitus } from '../database/testing/test-database.ts';
import { isUnavailable } from '../errors.ts';
import { startTestService, type TestService } from './testing/test-service.ts';

test.each([
  'could not commit transaction for shard 102009 on any active node',
  'failure on connection marked as essential: 10.0.0.2:5432',
  'failed to complete COPY on 10.0.0.2:5432',
])('503 SERVICE_UNAVAILABLE: Citus’s %s', (message) => {
  expect(isUnavailable(Object.assign(new Error(message), { code: 'XX000' }))).toBe(true);
});

describe.skipIf(!isCitus)('a server of shards is away', () => {
  let suite: TestService;
  let here: string;
  let away: string;

  const setPort = (from: number, to: number) =>
    sql`UPDATE pg_dist_node SET nodeport = ${to} WHERE nodeport = ${from}`.execute(suite.service.database);

  /** A port where nothing listens. */
  const NO_PORT = 1;
  let lostPort: number;

  /** The port of the server that has a knowledge base. */
  async function portOf(knowledgeBaseId: string): Promise<number> {
    const { rows } = await sql<{ port: number }>`
      SELECT nodeport AS port FROM pg_dist_shard_placement
      WHERE shardid = get_shard_id_for_distribution_column('knowledge_bases', ${knowledgeBaseId}::uuid)`.execute(
      suite.service.database,
    );
    return rows[0]?.port ?? 0;
  }

  beforeAll(async () => {
    suite = await startTestService();
    const byPort = new Map<number, string>();
    while (byPort.size < 2) {
      const { body } = await suite.call('createKnowledgeBase', { name: 'one of many' });
      byPort.set(await portOf(String(body.data.id)), String(body.data.id));
    }
    [[, here], [lostPort, away]] = [...byPort] as [[number, string], [number, string]];
    await setPort(lostPort, NO_PORT);
  });
  afterAll(async () => {
    await setPort(NO_PORT, lostPort);
    await suite.close();
  });

  const text = (knowledgeBaseId: string) => ({ knowledgeBaseId, title: 'Zebras', content: 'Zebras graze.' });

  test('knowledge bases of the other server are read and changed', async () => {
    expect((await suite.call(`getKnowledgeBase?knowledgeBaseId=${here}`)).status).toBe(200);
    const { status, body } = await suite.call('importTextContent', text(here));
    expect([status, body.data.status]).toEqual([200, 'processed']);
    expect((await suite.call(`listDocuments?knowledgeBaseId=${here}`)).status).toBe(200);
    expect((await suite.call('deleteDocument', { documentId: body.data.id })).status).toBe(200);
    const ticket = { knowledgeBaseId: here, fileName: 'a.txt', size: 1 };
    expect((await suite.call('presignUploadUrl', ticket)).status).toBe(200);
  });

  test('503 SERVICE_UNAVAILABLE: for those of this server, and for all together', async () => {
    for (const [operation, body] of [
      [`getKnowledgeBase?knowledgeBaseId=${away}`],
      [`listDocuments?knowledgeBaseId=${away}`],
      ['importTextContent', text(away)],
      ['listKnowledgeBases'],
    ] as const) {
      const answer = await suite.call(operation, body);
      expect([operation, answer.status]).toEqual([operation, 503]);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
  });
});
