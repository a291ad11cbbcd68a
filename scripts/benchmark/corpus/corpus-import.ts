/** Imports the search corpus through the public API, and waits for the end of index maintenance. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  requireUninterrupted,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Attributes } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { makeDocument, planDocuments } from './corpus.ts';

/** Clients that import at the same time. */
const CLIENTS = 8;
/** The service merges document frequencies in the background. After this time something is wrong. */
const MERGE_TIMEOUT_MS = 600_000;
const POLL_MS = 100;
/** The pause before a text that a busy service has refused is sent again. */
const RETRY_MS = 500;

/** A document ready to be sent. Its body is made beforehand, so that this takes no time of the import. */
type Shipment = { body: Buffer; passages: number };

/** An account of a service. */
export type Account = Pick<RunningService, 'address' | 'apiKey'>;

/** `knowledgeBaseIds`: in the order of their passages. `seconds`: from the first request to the last answer. */
export type ImportedCorpus = { knowledgeBaseIds: string[]; seconds: number };

/** The attributes of the document with this number, counted from 0 in each knowledge base. */
export type AttributesOf = (document: number) => Attributes;

/** A corpus, spread evenly over knowledge bases, by default one; `attributesOf`: by default its documents have none. */
type CorpusPlan = { passages: number; knowledgeBases?: number; attributesOf?: AttributesOf };

/** Makes the documents of passages `first` to `end`, which belong to one knowledge base. */
function makeShipments(
  knowledgeBaseId: string,
  [first, end]: [number, number],
  attributesOf: AttributesOf | undefined,
): Shipment[] {
  return planDocuments(first, end).map((plan, i) => ({
    body: Buffer.from(
      JSON.stringify({ knowledgeBaseId, ...makeDocument(plan), attributes: attributesOf?.(i) }),
    ),
    passages: plan.passages,
  }));
}

/** Passages `first` to `end` of the sequence, spread evenly over these knowledge bases in their order. */
export type Stretch = { first: number; end: number; knowledgeBaseIds: string[] };

/** Imports a text; while a busy service refuses it, again and again. */
async function importPatiently(account: Account, body: string): Promise<void> {
  for (;;) {
    requireUninterrupted();
    try {
      return void (await call(account, 'importTextContent', body));
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('SERVICE_UNAVAILABLE'))) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Makes the documents of all knowledge bases. */
function prepare(
  { first, end, knowledgeBaseIds }: Stretch,
  attributesOf: AttributesOf | undefined,
): Shipment[] {
  const progress = showProgress('making texts', end - first);
  const partStart = (i: number) => first + Math.floor((i * (end - first)) / knowledgeBaseIds.length);
  const shipments: Shipment[] = [];
  knowledgeBaseIds.forEach((knowledgeBaseId, i) => {
    const part: [number, number] = [partStart(i), partStart(i + 1)];
    for (const shipment of makeShipments(knowledgeBaseId, part, attributesOf)) shipments.push(shipment);
    progress.advance(part[1] - part[0]);
  });
  progress.end();
  return shipments;
}

/**
 * Creates this many knowledge bases. Adds each id to `ids` at once, so that the caller has them after a failure too.
 */
export async function createParts(account: Account, count: number, ids: string[] = []): Promise<string[]> {
  for (let i = 1; i <= count; i++) {
    requireUninterrupted();
    ids.push(await createKnowledgeBase(account, `Part ${i} of ${count}`));
  }
  return ids;
}

/**
 * Makes the texts of a stretch, which keeps this process busy for seconds.
 * @returns the function that imports them, once, and returns the seconds from the first request to the last answer
 */
export function prepareStretch(
  stretch: Stretch,
  attributesOf?: AttributesOf,
): (account: Account) => Promise<number> {
  const shipments = prepare(stretch, attributesOf);
  return async (account) => {
    const progress = showProgress('importing', stretch.end - stretch.first);
    const start = performance.now();
    await inParallel(shipments, CLIENTS, async (shipment) => {
      await importPatiently(account, shipment.body.toString());
      shipment.body = Buffer.alloc(0); // A million passages are a gigabyte.
      progress.advance(shipment.passages);
    });
    progress.end();
    return (performance.now() - start) / 1000;
  };
}

/** Imports a stretch. Returns the seconds from the first request to the last answer. */
export const importStretch = (
  account: Account,
  stretch: Stretch,
  attributesOf?: AttributesOf,
): Promise<number> => prepareStretch(stretch, attributesOf)(account);

/** Imports the first `passages` passages into new knowledge bases. */
export async function importCorpus(
  account: Account,
  { passages, knowledgeBases = 1, attributesOf }: CorpusPlan,
): Promise<ImportedCorpus> {
  const knowledgeBaseIds = await createParts(account, knowledgeBases);
  const stretch = { first: 0, end: passages, knowledgeBaseIds };
  return { knowledgeBaseIds, seconds: await importStretch(account, stretch, attributesOf) };
}

/** The document frequencies that wait to be merged. */
export async function countDeltas(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM document_frequency_deltas');
  return Number(rows[0]?.count);
}

/**
 * Waits until the service has merged its document frequencies, then vacuums.
 * Otherwise autovacuum would start a minute later, during a measurement.
 * @returns the seconds until the document frequencies were merged, and the seconds of the vacuum
 */
export async function settle(client: pg.Client): Promise<{ mergeSeconds: number; vacuumSeconds: number }> {
  const start = performance.now();
  while ((await countDeltas(client)) > 0) {
    if (performance.now() - start > MERGE_TIMEOUT_MS)
      throw new Error('the document frequencies were not merged in time');
    await delay(POLL_MS);
  }
  const merged = performance.now();
  await client.query('VACUUM (ANALYZE) passages, passage_lexemes, document_frequencies, documents');
  const vacuumed = performance.now();
  return { mergeSeconds: (merged - start) / 1000, vacuumSeconds: (vacuumed - merged) / 1000 };
}
