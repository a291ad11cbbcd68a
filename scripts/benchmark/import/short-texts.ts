/**
 * Part `texts`: how many short texts a second are imported, one a request, what each costs, and how many SQLite FTS5
 * takes in this process. Both have each text on the disk before they answer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createRandom } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { makePassage } from '../corpus/corpus.ts';
import { countDeltas } from '../corpus/corpus-import.ts';
import type { Report } from '../measuring/figures.ts';
import { readProcessorUse } from '../measuring/processor-use.ts';

/** Clients that import at the same time, each one text after the other. */
const CLIENTS = 8;
/** By then V8 has compiled the hot code, and the service knows the stems of the frequent words. */
const WARM_UP_TEXTS = 1_000;
const TEXTS = 2_000;
const WORDS_MIN = 50;
const WORDS_MAX = 150;
const SEED = 7;
const POLL_MS = 100;
const TARGET_PER_SECOND = 500;

/** Texts of WORDS_MIN to WORDS_MAX words: as bodies of requests, so that making them takes no time of the imports. */
function makeBodies(knowledgeBaseId: string, { first, count }: { first: number; count: number }): string[] {
  const random = createRandom(SEED + first);
  return Array.from({ length: count }, (_, i) => {
    const words = `${makePassage(2 * (first + i))} ${makePassage(2 * (first + i) + 1)}`.split(' ');
    const length = WORDS_MIN + Math.floor(random() * (WORDS_MAX - WORDS_MIN + 1));
    const content = words.slice(0, length).join(' ');
    return JSON.stringify({ knowledgeBaseId, title: words.slice(-3).join(' '), content });
  });
}

/** Imports the texts. Returns the milliseconds of each. */
async function importTexts(service: RunningService, bodies: string[]): Promise<number[]> {
  const milliseconds: number[] = [];
  await inParallel(bodies, CLIENTS, async (body) => {
    const start = performance.now();
    await call(service, 'importTextContent', body);
    milliseconds.push(performance.now() - start);
  });
  return milliseconds;
}

/** How many of the texts SQLite FTS5 takes a second, in a file beside the service's own. */
function measureFts5(service: RunningService, bodies: string[]): number {
  const directory = mkdtempSync(join(service.dataDirectory, 'fts5-'));
  const database = new DatabaseSync(join(directory, 'texts.db'));
  try {
    database.exec(`PRAGMA journal_mode = wal; PRAGMA synchronous = full;
      CREATE VIRTUAL TABLE texts USING fts5(title, content, tokenize = 'porter unicode61')`);
    const insert = database.prepare('INSERT INTO texts (title, content) VALUES (?, ?)');
    const start = performance.now();
    for (const body of bodies) {
      const { title, content } = JSON.parse(body) as Record<'title' | 'content', string>; // as makeBodies wrote it
      insert.run(title, content);
    }
    return (bodies.length / (performance.now() - start)) * 1000;
  } finally {
    database.close();
    rmSync(directory, { recursive: true });
  }
}

/** Waits until the service has merged the document frequencies, so that their processor time counts. */
async function untilMerged(client: pg.Client): Promise<void> {
  while ((await countDeltas(client)) > 0) await delay(POLL_MS);
}

/** Measures imports into one knowledge base. The processor time includes the merge of their document frequencies. */
export async function measureShortTexts(report: Report): Promise<void> {
  await withService(async (service) => {
    const knowledgeBaseId = await createKnowledgeBase(service, 'short texts');
    report.progress(`${WARM_UP_TEXTS} texts to warm up`);
    await importTexts(service, makeBodies(knowledgeBaseId, { first: 0, count: WARM_UP_TEXTS }));
    await withServiceDatabase(service, untilMerged);
    const bodies = makeBodies(knowledgeBaseId, { first: WARM_UP_TEXTS, count: TEXTS });
    const before = readProcessorUse([service.pid]);
    const start = performance.now();
    report.progress(`${TEXTS} texts of ${WORDS_MIN} to ${WORDS_MAX} words by ${CLIENTS} clients`);
    const milliseconds = await importTexts(service, bodies);
    const seconds = (performance.now() - start) / 1000;
    await withServiceDatabase(service, untilMerged);
    const target = { atLeast: TARGET_PER_SECOND };
    report.figure({ name: 'imported', value: TEXTS / seconds, unit: '/s', target });
    const fts5 = measureFts5(service, bodies);
    report.figure({ name: 'SQLite FTS5, a commit for each', value: fts5, unit: '/s' });
    report.figure({ name: 'imported, of what FTS5 takes', value: TEXTS / seconds / fts5, unit: 'times' });
    report.figure({ name: 'median import', value: percentile(milliseconds, 0.5), unit: 'ms' });
    report.figure({ name: '99 % within', value: percentile(milliseconds, 0.99), unit: 'ms' });
    const perText = (cpuSeconds: number) => (cpuSeconds / TEXTS) * 1000;
    const used = readProcessorUse([service.pid]);
    const server = perText(used.servers - before.servers);
    report.figure({ name: 'server CPU a text', value: server, unit: 'ms' });
    const postgres = perText(used.database - before.database);
    report.figure({ name: 'PostgreSQL CPU a text', value: postgres, unit: 'ms' });
  });
}
