/** Sends queries over HTTP as a client does, with key and validation, and measures the time of each. */
import type { RunningService } from '../../../contract-tests/harness/service/service-process.ts';
import type { QueryRequest, SearchResult, SearchResultsEnvelope } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { post } from './post.ts';

/**
 * The answer to a query. `milliseconds`: from sending the request to the parsed answer. `isWarned`: a model of the
 * service did not answer, and the words did.
 */
export type Answer = { results: SearchResult[]; milliseconds: number; isWarned: boolean };

/** Without `knowledgeBaseIds`: all of the account. */
export type Search = QueryRequest;

/** Sends one query, by default with limit 10. */
export async function ask({ address, apiKey }: RunningService, search: Search): Promise<Answer> {
  const body = JSON.stringify(search);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const start = performance.now();
  const { status, answer } = await post(`${address}/v1/query`, headers, body);
  const milliseconds = performance.now() - start;
  if (status !== 200) throw new Error(`query answered ${status}: ${JSON.stringify(answer)}`);
  const { data, warnings } = answer as SearchResultsEnvelope; // the contract's
  return { results: data, milliseconds, isWarned: warnings !== undefined };
}

/**
 * Sends all queries, `clients` at a time. Returns the answers in the queries' order, and the seconds for all together.
 */
export async function askAll(
  service: RunningService,
  searches: Search[],
  { clients, label }: { clients: number; label: string },
): Promise<{ answers: Answer[]; seconds: number }> {
  const answers: Answer[] = [];
  const progress = showProgress(label, searches.length);
  const start = performance.now();
  await inParallel(searches, clients, async (search, i) => {
    answers[i] = await ask(service, search);
    progress.advance(1);
  });
  progress.end();
  return { answers, seconds: (performance.now() - start) / 1000 };
}
