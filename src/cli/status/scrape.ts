/** Fetches the metrics of one server. */

import { readBoundedText } from '../../serve/discovery/bounded-text.ts';
import { toVisibleLine } from '../../terminal/terminal.ts';
import { reasonOf } from '../../terms/problem.ts';
import { explainScheme } from '../service/service-address.ts';
import { ExpositionError, parseExposition, type Sample } from './exposition.ts';

/** The metrics of a server at one moment. `atMs`: of `performance.now()`. */
export type Scrape = { address: string; atMs: number; samples: Sample[] };

/** A server whose metrics could not be read, and a sentence for the operator. */
export type Unreachable = { address: string; reason: string };

const TIMEOUT_MS = 10_000;
/** A server's metrics have about 50 KB. */
const TEXT_MAX_BYTES = 8 * 2 ** 20;

/** A foreign server may put anything into labels, and they reach the terminal: names of operations, tables, errors. */
const toVisibleLabels = (sample: Sample): Sample => ({
  ...sample,
  labels: Object.fromEntries(
    Object.entries(sample.labels).map(([name, value]) => [name, toVisibleLine(value)]),
  ),
});

const isOurs = ({ name }: Sample): boolean => name.startsWith('knowledge_retrieval_');

/** @throws an error when there are more than TEXT_MAX_BYTES */
async function readText(response: Response): Promise<string> {
  const text = await readBoundedText(response, TEXT_MAX_BYTES);
  if (text === undefined) throw new ExpositionError('the answer is too long');
  return text;
}

/** @throws a sentence for statuses that are no success */
function requireSuccess(address: string, { status }: Response): void {
  if (status === 200) return;
  if (status === 401)
    throw new Error(
      `${address} refuses the token: give that server's METRICS_TOKEN or the content of its ` +
        'DATA_DIR/metrics-token, by --token or METRICS_TOKEN.',
    );
  throw new Error(
    `${address}/metrics answers with status ${status}: is that a server or worker of this version?`,
  );
}

/** Explains why there are no metrics. */
async function explain(address: string, error: unknown): Promise<string> {
  if (error instanceof ExpositionError)
    return `${address}/metrics is not the metrics of a knowledge retrieval server: ${error.message}.`;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `${address} has not answered within ${TIMEOUT_MS / 1000} s.`;
  if (error instanceof TypeError)
    // of fetch
    return (await explainScheme(address, error)) ?? `No server answers at ${address}: ${reasonOf(error)}.`;
  return reasonOf(error);
}

/** Returns the metrics, or why there are none. */
export async function scrape(address: string, token: string): Promise<Scrape | Unreachable> {
  try {
    const response = await fetch(`${address}/metrics`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    requireSuccess(address, response);
    const samples = parseExposition(await readText(response)).map(toVisibleLabels);
    if (!samples.some(isOurs)) throw new ExpositionError('it has other metrics');
    return { address, atMs: performance.now(), samples };
  } catch (error) {
    return { address, reason: await explain(address, error) };
  }
}
