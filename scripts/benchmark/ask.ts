/** Sends queries over HTTP as a client does, with key and validation, and measures the time of each. */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { RunningService } from '../../contract-tests/harness/service-process.ts';
import type { SearchResult } from '../../generated/types.gen.ts';
import { inParallel, showProgress } from '../progress.ts';

/** The answer to a query. `milliseconds`: from sending the request to the parsed answer. */
export type Answer = { results: SearchResult[]; milliseconds: number };

/** Without `knowledgeBaseIds`: all of the account. */
export type Search = { query: string; knowledgeBaseIds?: string[] };

/** Keeps connections open, as clients with many queries do, and closes idle ones before the service does (65 s). */
const agent = new Agent({ keepAlive: true, timeout: 60_000 });

/** Sends one query with limit 10. `fetch` would take about 0.2 ms more of the client's own time. */
export async function ask({ address, apiKey }: RunningService, search: Search): Promise<Answer> {
  const body = JSON.stringify(search);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const start = performance.now();
  const { status, answer } = await new Promise<{ status: number | undefined; answer: unknown }>(
    (resolve, reject) => {
      const sent = request(`${address}/v1/query`, { method: 'POST', agent, headers }, (response) => {
        json(response).then((answer) => resolve({ status: response.statusCode, answer }), reject);
      });
      sent.on('error', reject).end(body);
    },
  );
  const milliseconds = performance.now() - start;
  if (status !== 200) throw new Error(`query answered ${status}: ${JSON.stringify(answer)}`);
  return { results: (answer as { data: SearchResult[] }).data, milliseconds }; // the contract's envelope
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
