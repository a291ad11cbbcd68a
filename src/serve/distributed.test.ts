/** A service whose content Citus distributes over two workers, beside one with a single PostgreSQL. */
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateApiKey } from '../api-key.ts';
import { creditPayment } from '../database/accounts.ts';
import { createDatabase, createMaintenancePool, createPool, type Database } from '../database/database.ts';
import { distribute } from '../database/distribution.ts';
import { citusPostgres, startCitus } from '../embedded-postgres/testing/citus.ts';
import { isUnavailable } from '../errors.ts';
import { createStemMemory } from '../indexing/stems.ts';
import { createSearch } from '../search/search.ts';
import { startTestService, type TestService } from './testing/test-service.ts';

/** A worker's start, and new connections to it. */
const SOON = { timeout: 20_000, interval: 50 };
const KNOWLEDGE_BASES = 8;
const DOCUMENTS = 12;
const QUERIES = 1_000;
const AT_ONCE = 4;

const SENTENCES = [
  'The lighthouse keeper writes down each ship that passes the harbour at night.',
  'Bridges of steel carry trains over the river, and ships pass below them.',
  'Bakers mix flour, water and salt, and let the dough rest for a night.',
  'Die Bäckerin mischt Mehl und Wasser und lässt den Teig über Nacht ruhen.',
  'Der Leuchtturm zeigt den Schiffen in der Nacht den Weg zum Hafen.',
  '灯塔在夜里为船只指明通往港口的航线。',
  '面包师把面粉和水混合在一起，让面团静置一夜。',
  'Маяк ночью показывает кораблям дорогу в гавань.',
  'Invoices must be paid within thirty days after they have been received.',
  'Rechnungen sind innerhalb von dreißig Tagen nach Erhalt zu bezahlen.',
];
const WORDS = [
  ...new Set(SENTENCES.flatMap((sentence) => sentence.match(/\p{Script=Han}{2}|\p{L}{4,}/gu) ?? [])),
];

/** The document `number` of the knowledge base `index`: some of the sentences, in an order of its own. */
function textOf(index: number, number: number): { title: string; content: string } {
  const chosen = SENTENCES.map((_, i) => SENTENCES[(i * (number + 1) + index) % SENTENCES.length]);
  return { title: `Text ${index} ${number}`, content: chosen.slice(0, 2 + (number % 4)).join('\n\n') };
}

/** The query `number`: some words, now and then with a typing error. */
function queryOf(number: number): string {
  const words = [0, 7, 31]
    .slice(0, 1 + (number % 3))
    .map((step) => WORDS[(number * 3 + step) % WORDS.length]);
  const query = words.join(' ');
  return number % 10 === 9 ? query.replace(/(\p{Script=Latin})(\p{Script=Latin})/u, '$2$1') : query;
}

test.each([
  'could not commit transaction for shard 102009 on any active node',
  'failure on connection marked as essential: 10.0.0.2:5432',
  'failed to complete COPY on 10.0.0.2:5432',
])('503 SERVICE_UNAVAILABLE: Citus’s %s', (message) => {
  expect(isUnavailable(Object.assign(new Error(message), { code: 'XX000' }))).toBe(true);
});

describe.skipIf(citusPostgres === undefined)('content on two workers', () => {
  let citus: Awaited<ReturnType<typeof startCitus>>;
  let single: TestService;
  let distributed: TestService;
  let maintenance: Database;
  /** The ids of the knowledge bases, in the same order for both services. */
  const ids = { single: [] as string[], distributed: [] as string[] };

  beforeAll(async () => {
    citus = await startCitus();
    const startOn = (url: string) =>
      startTestService({
        connection: { connectionString: url },
        settings: { DATABASE_URL: url, BOOTSTRAP_API_KEY: generateApiKey() },
      });
    // Both on the same PostgreSQL: another version stems some words in another way.
    single = await startOn(citus.plainUrl);
    distributed = await startOn(citus.url);
    maintenance = createDatabase(createMaintenancePool({ connectionString: citus.url }, () => {}));
    for (let index = 0; index < KNOWLEDGE_BASES; index++) {
      for (const [name, service] of [
        ['single', single],
        ['distributed', distributed],
      ] as const) {
        const { body } = await service.call('createKnowledgeBase', { name: `${index}` });
        ids[name].push(String(body.data.id));
      }
    }
  }, 120_000);
  afterAll(async () => {
    await maintenance?.destroy();
    await distributed?.close();
    await single?.close();
    await citus?.remove();
  });

  const importInto = async (name: keyof typeof ids, index: number, number: number) =>
    await { single, distributed }[name].call('importTextContent', {
      knowledgeBaseId: ids[name][index],
      ...textOf(index, number),
    });

  test('a filled database is distributed while servers import and search: requests succeed, or get 503', async () => {
    for (let number = 0; number < DOCUMENTS / 2; number++)
      for (let index = 0; index < KNOWLEDGE_BASES; index++)
        for (const name of ['single', 'distributed'] as const) await importInto(name, index, number);
    let isOver = false;
    const statuses = new Set<number>();
    const keepSearching = async () => {
      while (!isOver) statuses.add((await distributed.call('query', { query: 'lighthouse' })).status);
    };
    const keepImporting = async () => {
      for (let number = DOCUMENTS / 2; number < DOCUMENTS; number++)
        for (let index = 0; index < KNOWLEDGE_BASES; index++) {
          let status = 0;
          while (status !== 200) {
            ({ status } = await importInto('distributed', index, number));
            statuses.add(status);
          }
        }
    };
    const load = [keepSearching(), keepSearching(), keepImporting()];
    expect(await distribute(maintenance, () => {})).toBe(true);
    await load[2];
    isOver = true;
    await Promise.all(load);
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
    for (let number = DOCUMENTS / 2; number < DOCUMENTS; number++)
      for (let index = 0; index < KNOWLEDGE_BASES; index++) await importInto('single', index, number);
    const counted = await Promise.all([single, distributed].map((service) => service.call('getUsage')));
    expect(counted.map(({ body }) => body.data.documentCount)).toEqual([96, 96]);
    expect(await distribute(maintenance, () => {})).toBe(false);
  }, 120_000);

  test('a thousand searches have the results and scores of one server', async () => {
    const search = async (name: keyof typeof ids, number: number) => {
      // One knowledge base, three of them, or all of the account.
      const named = [ids[name].slice(number % 8, (number % 8) + 1), ids[name].slice(2, 5), undefined][
        number % 3
      ];
      const request = {
        query: queryOf(number),
        limit: 20,
        ...(named && { knowledgeBaseIds: named }),
        ...(number % 4 === 1 && { maxPerDocument: 1 }),
        ...(number % 5 === 1 && {
          filter: { type: 'contains', key: '$title', value: '3' },
        }),
        ...(number % 7 === 1 && { prefix: true, highlight: true, explain: true, contextPassages: 1 }),
      };
      const { status, body } = await { single, distributed }[name].call('query', request);
      expect([status, body.message]).toEqual([200, undefined]);
      return (body.data as unknown as { title: string; score: number }[]).map(({ title, score }) => ({
        title,
        score,
      }));
    };
    let [next, found] = [0, 0];
    const compare = async () => {
      const number = next++;
      if (number >= QUERIES) return;
      const [expected, actual] = await Promise.all([search('single', number), search('distributed', number)]);
      expect({ number, found: actual }).toEqual({ number, found: expected });
      found += Math.min(1, actual.length);
      await compare();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, compare));
    expect(found).toBeGreaterThan(QUERIES * 0.9);
  }, 300_000);

  test('each statement of a search of one knowledge base is one task at its shard', async () => {
    const pool = createPool({ connectionString: citus.url }, 1, () => {});
    const tasks: string[] = [];
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>;
      const explain = async (statement: pg.QueryConfig) => {
        const { rows } = await send({ text: `EXPLAIN ${statement.text}`, values: statement.values });
        const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
        tasks.push(`${statement.name}: ${plan.match(/Task Count: \d+|Distributed Subplan/g) ?? 'local'}`);
      };
      client.query = (async (statement: pg.QueryConfig, ...rest: unknown[]) => {
        if (statement.name !== undefined) await explain(statement);
        return await send(statement, ...rest);
      }) as typeof client.query;
    });
    const database = createDatabase(pool);
    const { account_id: accountId } = await database
      .selectFrom('accounts')
      .select('id as account_id')
      .executeTakeFirstOrThrow();
    const details = { highlight: true, explain: true, contextPassages: 1 };
    await createSearch(
      database,
      createStemMemory(),
      creditPayment,
    )({
      ...{ accountId, knowledgeBaseIds: ids.distributed.slice(0, 1), limit: 10, price: 1, details },
      query: 'lighthuose night',
    });
    await database.destroy();
    expect([...new Set(tasks)].sort()).toEqual([
      'ranked_passages_unpaid: Task Count: 1',
      'read_context_passages: Task Count: 1',
      'read_matches: Task Count: 1',
      'search_check: local',
      'search_payment: local',
      'statistics_of_few_unpaid: Task Count: 1',
      'vocabulary_of_few: Task Count: 1',
    ]);
  });

  /** The position of the first knowledge base whose shard is at this worker. */
  async function findAt({ port }: { port: number }): Promise<number> {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM unnest(${ids.distributed}::uuid[]) WITH ORDINALITY AS given (id, number)
        JOIN pg_dist_placement AS placement
          ON placement.shardid = get_shard_id_for_distribution_column('knowledge_bases', id)
        JOIN pg_dist_node USING (groupid)
      WHERE nodeport = ${port} ORDER BY number LIMIT 1`.execute(maintenance);
    return ids.distributed.indexOf(rows[0]?.id ?? '');
  }

  test('while a worker is away, only requests about its knowledge bases get 503, until it is back', async () => {
    const [first, second] = citus.workers;
    if (first === undefined || second === undefined) throw new Error('there are two workers');
    // Ids are random: seldom, one worker has all knowledge bases.
    while ((await findAt(first)) < 0 || (await findAt(second)) < 0) {
      const { body } = await distributed.call('createKnowledgeBase', { name: 'one more' });
      ids.distributed.push(String(body.data.id));
    }
    const [lost, kept] = [await findAt(first), await findAt(second)];
    const useOne = async (index: number) => {
      const knowledgeBaseId = ids.distributed[index];
      const imported = await importInto('distributed', index, DOCUMENTS);
      const documentId = String(imported.body.data.id ?? '');
      const answers = [
        imported,
        await distributed.call('query', { query: 'lighthouse', knowledgeBaseIds: [knowledgeBaseId] }),
        await distributed.call(`listDocuments?knowledgeBaseId=${knowledgeBaseId}`),
        ...(documentId ? [await distributed.call('deleteDocument', { documentId })] : []),
      ];
      return answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`);
    };
    await first.end();
    expect(new Set(await useOne(lost))).toEqual(new Set(['503 1']));
    expect(await useOne(kept)).toEqual(Array(4).fill('200 null'));
    await first.start();
    await expect.poll(() => useOne(lost), SOON).toEqual(Array(4).fill('200 null'));
  }, 120_000);
});
