/** Imports a collection through the public API and runs its queries, with a progress bar. */

import {
  call,
  callWhole,
  createKnowledgeBase,
  type RunningService,
} from '../../contract-tests/harness/service/service-process.ts';
import type { QueryRequest, SearchResultsEnvelope } from '../../generated/types.gen.ts';
import { inParallel } from '../../src/concurrency/in-parallel.ts';
import { showProgress } from '../../src/terminal/progress.ts';
import type { Collection, Excerpt } from './collection.ts';
import type { Run } from './measures.ts';

/** Concurrent requests, as from a busy client. */
const CONCURRENCY = 4;
/** The maximum number of a query's passages. */
const PASSAGES_PER_QUERY = 50;
/** Chroma's evaluation uses the first five. */
const JUDGED_PASSAGES = 5;
const CONTENT_LIMIT = 1_000_000;
const TITLE_LIMIT = 256;
const QUERY_LIMIT = 8192;

/** `collectionId`: the service's document id → the collection's. */
export type ImportedCorpus = { knowledgeBaseId: string; collectionId: Map<string, string> };

const cut = (text: string, limit: number) => Array.from(text).slice(0, limit).join('');

/** Runs `act` on every item, a few at once, with a progress bar. */
async function workThrough<Item>(
  label: string,
  items: Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const progress = showProgress(label, items.length);
  await inParallel(items, CONCURRENCY, async (item) => {
    await act(item);
    progress.advance(1);
  });
  progress.end();
}

/**
 * Imports the corpus, by default into a new knowledge base.
 * Documents without text are left out, because any service refuses them.
 */
export async function importCorpus(
  service: RunningService,
  { name, corpus }: Collection,
  into?: string,
): Promise<ImportedCorpus> {
  const knowledgeBaseId = into ?? (await createKnowledgeBase(service, name));
  const collectionId = new Map<string, string>();
  const readable = corpus.filter(({ text, title }) => `${title}${text}`.trim() !== '');
  await workThrough(`${name}: importing`, readable, async ({ id, title, text }) => {
    const document = await call<{ id: string }>(service, 'importTextContent', {
      knowledgeBaseId,
      // A title is required. An id as the title would add meaningless text.
      title: cut(title.trim() === '' ? '-' : title, TITLE_LIMIT),
      content: cut(text.trim() === '' ? title : text, CONTENT_LIMIT),
    });
    collectionId.set(document.id, id);
  });
  return { knowledgeBaseId, collectionId };
}

/**
 * Runs every query. A document's score is its best passage's score. `warned`: how many answers had a warning: a model
 * did not answer, and the words did.
 */
export async function answerQueries(
  service: RunningService,
  { name, queries }: Collection,
  { knowledgeBaseId, collectionId }: ImportedCorpus,
  options: Pick<QueryRequest, 'mode'> = {},
): Promise<{ run: Run; answers: Map<string, Excerpt[]>; warned: number }> {
  const run: Run = new Map();
  const answers = new Map<string, Excerpt[]>();
  let warned = 0;
  await workThrough(`${name}: querying`, queries, async ({ id, text }) => {
    const { data: results, warnings } = await callWhole<SearchResultsEnvelope>(service, 'query', {
      query: cut(text, QUERY_LIMIT),
      knowledgeBaseIds: [knowledgeBaseId],
      limit: PASSAGES_PER_QUERY,
      ...options,
    });
    if (warnings !== undefined) warned++;
    const scores = new Map<string, number>();
    for (const { document_id, score } of results) {
      const document = collectionId.get(document_id) ?? document_id;
      scores.set(document, Math.max(score, scores.get(document) ?? 0));
    }
    run.set(id, scores);
    const judged = results.slice(0, JUDGED_PASSAGES).map(({ document_id, location }) => ({
      document: collectionId.get(document_id) ?? document_id,
      start: location?.start ?? 0,
      end: location?.end ?? 0,
    }));
    answers.set(id, judged);
  });
  return { run, answers, warned };
}
