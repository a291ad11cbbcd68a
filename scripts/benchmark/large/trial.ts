/** What the measurements of a large service share: its queries, its documents, and searches beside other work. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import type { RunningService } from '../../../contract-tests/harness/service/service-process.ts';
import type { Document, QueryRequest } from '../../../generated/types.gen.ts';
import { readPages } from '../../../src/contract-check/requests/read-pages.ts';
import type { Filled } from '../corpus/filled-service.ts';
import type { MixedQuery } from '../corpus/query-mix.ts';
import { send } from '../load/deployment.ts';
import { ANSWERED } from '../load/loops.ts';
import type { Report } from '../measuring/figures.ts';
import { observe } from '../measuring/open-loop.ts';

/** A measurement on a filled directory. `seconds`: duration of each loop of queries. */
export type Trial = Filled & { report: Report; queries: Iterator<MixedQuery, never>; seconds: number };

const DOCUMENTS_OF_A_PAGE = 1_000;
const RETRY_MS = 1_000;
/** Searches a second beside other work. */
const SEARCHES_PER_SECOND = 5;

export async function timed<T>(act: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await act();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** The ids that a query names: one knowledge base by its id, many by naming none. */
const scopeOf = ({ ids }: Filled) => (ids.length === 1 ? { knowledgeBaseIds: ids } : {});

/** The next query of the corpus, over all its knowledge bases. */
export const nextSearch = (trial: Trial): QueryRequest => ({
  query: trial.queries.next().value.text,
  ...scopeOf(trial),
});

/** All documents of a knowledge base, the newest first. */
export async function readDocuments(
  { address, apiKey }: RunningService,
  knowledgeBaseId: string,
): Promise<string[]> {
  const pages = await readPages<Document>(async ({ cursor }) => {
    const parameters = new URLSearchParams({ knowledgeBaseId, limit: String(DOCUMENTS_OF_A_PAGE) });
    if (cursor !== undefined) parameters.set('cursor', cursor);
    const response = await fetch(`${address}/v1/listDocuments?${parameters}`, {
      headers: { 'x-api-key': apiKey },
    });
    return (await response.json()) as Awaited<ReturnType<Parameters<typeof readPages<Document>>[0]>>;
  });
  return pages.flat().map(({ id }) => id);
}

/** Deletes a document; while the service is overloaded, again and again. */
export async function deleteDocument(service: RunningService, documentId: string): Promise<void> {
  for (;;) {
    const code = await send(service, 'deleteDocument', { documentId });
    if (code === ANSWERED) return;
    if (code !== 'SERVICE_UNAVAILABLE') throw new Error(`a deletion ended with ${code}`);
    await delay(RETRY_MS);
  }
}

/** Searches at a fixed rate while `act` works, and adds the figures `name`. */
export async function searchBeside<T>(
  { trial: { report }, service }: { trial: Trial; service: RunningService },
  { name, next }: { name: string; next: () => QueryRequest },
  act: () => Promise<T>,
): Promise<T> {
  const acting = act();
  const codes: string[] = [];
  const search = async () => void codes.push(await send(service, 'query', next()));
  const times = await observe(search, { perSecond: SEARCHES_PER_SECOND, ended: acting });
  for (const [percent, share] of Object.entries({ p50: 0.5, p95: 0.95, p99: 0.99, longest: 1 }))
    report.figure({ name: `${name}: ${percent}`, value: percentile(times, share), unit: 'ms' });
  const failed = codes.filter((code) => code !== ANSWERED);
  if (failed.length > 0)
    report.note(`${name}: ${failed.length} of ${codes.length} failed: ${[...new Set(failed)]}.`);
  return await acting;
}

/** The same for as long as a loop, with nothing beside. */
export const searchAlone = (
  place: { trial: Trial; service: RunningService },
  search: { name: string; next: () => QueryRequest },
): Promise<void> => searchBeside(place, search, () => delay(1000 * place.trial.seconds));
