/** What an account is charged for its index is proportional to what that takes of the disk, in every script. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireStorage } from '../../database/rows/limits/storage-limit.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';
import { mergeFrequencyDeltas } from '../postings/document-frequencies.ts';
import { createPendingEntriesMover } from '../postings/pending-entries.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** Returns whole numbers below `count`, the same ones in each run (Numerical Recipes' generator). */
function createDraw(): (count: number) => number {
  let state = 7;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}
const draw = createDraw();

const lettersOf = (alphabet: string, length: number): string => {
  const letters = Array.from(alphabet);
  return Array.from({ length }, () => letters[draw(letters.length)]).join('');
};

/** Words of an alphabet; the n-th is drawn as often as 1/n, as in languages (Zipf). */
function wordsOf(alphabet: string, { length, blank }: { length: number; blank: string }): string {
  const words = Array.from({ length: 8_000 }, () => lettersOf(alphabet, 2 + draw(length)));
  return Array.from(
    { length: 12_000 },
    () => words[Math.floor(words.length ** (draw(10_000) / 10_000)) - 1],
  ).join(blank);
}

const range = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => String.fromCodePoint(from + i)).join('');

const TEXTS: Record<string, () => string> = {
  English: () => wordsOf('etaoinshrdlu', { length: 9, blank: ' ' }),
  German: () => wordsOf('enisratdhulcgmobwfkzäöü', { length: 14, blank: ' ' }),
  Chinese: () => wordsOf(range(0x4e00, 3_000), { length: 2, blank: '' }),
  Thai: () => wordsOf(range(0x0e01, 44), { length: 4, blank: '' }),
  'random ideographs': () => lettersOf(range(0x20000, 42_000), 40_000),
  base64: () => Buffer.from(Array.from({ length: 75_000 }, () => draw(256))).toString('base64'),
  numbers: () => Array.from({ length: 10_000 }, () => draw(1_000_000_000)).join(' '),
};

const TABLES = ['passages', 'passage_lexemes', 'document_frequencies'];

async function readBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes FROM unnest(${TABLES}::text[]) AS name`.execute(
    suite.database,
  );
  return rows[0]?.bytes ?? 0;
}

/** The bytes charged beyond the free ones, as a refusal tells them. */
async function readCharged(accountId: string): Promise<number> {
  const defaults = { storageLimitBytes: -1, knowledgeBaseLimit: 1 };
  const checked = suite.database
    .transaction()
    .execute((transaction) =>
      requireStorage(transaction, { accountId, knowledgeBaseId: randomUUID(), defaults }, 0),
    );
  const { data } = await checked.then(
    () => ({ data: { used: 0 } }),
    (error) => error as { data: { used: number } }, // STORAGE_LIMIT_EXCEEDED
  );
  return data.used;
}

/** Passages and lexemes that are charged in full, so that the free ones of the account do not matter. */
const FREE = { lexemes: 1_000_000, bytes: 38 * 1_000_000 - 4 * 2 ** 20 };

/** What the tables and indexes take is this multiple of what is charged. */
const MULTIPLE = 7;

test.skipIf(process.env.CITUS_URL)(
  'each takes seven times what it is charged, within a factor of two',
  async () => {
    const multiples: Record<string, number> = {};
    for (const [name, makeText] of Object.entries(TEXTS)) {
      const owned = await makeKnowledgeBase(suite.database);
      const before = await readBytes();
      await importText(suite.database, owned, { title: name, content: makeText() });
      while ((await mergeFrequencyDeltas(suite.database)).areFound);
      await createPendingEntriesMover(suite.database)();
      const stored = (await readBytes()) - before;
      await sql`
      UPDATE knowledge_base_statistics SET distinct_lexemes = ${FREE.lexemes} + (
        SELECT count(*) FROM document_frequencies WHERE knowledge_base_id = ${owned.knowledgeBaseId})
      WHERE knowledge_base_id = ${owned.knowledgeBaseId}`.execute(suite.database);
      multiples[name] = stored / ((await readCharged(owned.accountId)) - FREE.bytes);
    }
    // 5.0 for numbers to 9.5 for German, whose long lexemes have an index more.
    for (const [name, multiple] of Object.entries(multiples)) {
      expect([name, multiple > MULTIPLE / 2, multiple < 2 * MULTIPLE]).toEqual([name, true, true]);
    }
  },
);
