/** What servers have done in a period: requests, imports and deliveries, from the counters of all of them. */
import type { Sample } from './exposition.ts';
import { quantile, sumBuckets } from './histogram.ts';

/** Percentiles; null: there was no request. 30: half a minute or more, by the last bucket of the metric. */
export type Requests = {
  count: number;
  perSecond: number;
  p50Seconds: number | null;
  p95Seconds: number | null;
  p99Seconds: number | null;
  /** Answers with a status of 500 or more, except 503. */
  faults: number;
};

/** Each answer is counted in one of them. */
export type Answers = {
  successes: number;
  refusals: number;
  rateLimited: number;
  hungUp: number;
  overloaded: number;
  faults: number;
};

export type Period = {
  seconds: number;
  /** All but health checks and scrapes. */
  requests: Requests;
  /** By operation, the most frequent first. */
  operations: ({ operation: string } & Requests)[];
  answers: Answers;
  imports: { processed: number; failed: number; timeout: number; failures: Record<string, number> };
  /** Attempts to deliver events to webhooks. */
  deliveries: { received: number; failed: number };
  /** Queries that asked a model for their meaning. `byWords`: those that it did not answer, by the reason. */
  meaning: { compared: number; byWords: Record<string, number> };
};

const PREFIX = 'knowledge_retrieval_';
const REQUEST = `${PREFIX}request_duration_seconds`;

/** Machines send these all the time. They would hide the others. */
const PROBES = new Set(['livez', 'readyz', 'metrics']);
/** Refusals before the request was read. They are answers, but their time says nothing. */
const REFUSED = 'refused';

/** The kind of answer that a status is. Statuses of the service are from 200 to 503; 499: the client hung up. */
function kindOf(status: number): keyof Answers {
  if (status < 400) return 'successes';
  if (status === 429) return 'rateLimited';
  if (status === 499) return 'hungUp';
  if (status < 500) return 'refusals';
  return status === 503 ? 'overloaded' : 'faults';
}

const named = (samples: Sample[], name: string): Sample[] => samples.filter((sample) => sample.name === name);
const sum = (samples: Sample[]): number => samples.reduce((total, { value }) => total + value, 0);

function groupBy(samples: Sample[], label: string): Map<string, Sample[]> {
  return Map.groupBy(samples, ({ labels }) => labels[label] ?? '');
}

const isFault = ({ labels }: Sample): boolean => kindOf(Number(labels.status)) === 'faults';

/** `counts` and `buckets`: of the operations to summarise. */
function toRequests(counts: Sample[], buckets: Sample[], seconds: number): Requests {
  const count = sum(counts);
  const histogram = sumBuckets(buckets);
  const percentile = (share: number) => quantile(histogram, share) ?? null;
  return {
    count,
    perSecond: count / seconds,
    p50Seconds: percentile(0.5),
    p95Seconds: percentile(0.95),
    p99Seconds: percentile(0.99),
    faults: sum(counts.filter(isFault)),
  };
}

function toAnswers(counts: Sample[]): Answers {
  const answers = { successes: 0, refusals: 0, rateLimited: 0, hungUp: 0, overloaded: 0, faults: 0 };
  for (const { labels, value } of counts) answers[kindOf(Number(labels.status))] += value;
  return answers;
}

function toImports(samples: Sample[]): Period['imports'] {
  const ended = named(samples, `${PREFIX}imports_total`).filter(({ value }) => value > 0);
  const byStatus = groupBy(ended, 'status');
  const count = (status: string) => sum(byStatus.get(status) ?? []);
  const failed = [...groupBy(byStatus.get('failed') ?? [], 'error_code')].map(
    ([code, each]) => [code, sum(each)] as const,
  );
  return {
    processed: count('processed'),
    failed: count('failed'),
    timeout: count('timeout'),
    failures: Object.fromEntries(failed.toSorted(([, left], [, right]) => right - left)),
  };
}

function toMeaning(samples: Sample[]): Period['meaning'] {
  const outcomes = groupBy(named(samples, `${PREFIX}meaning_queries_total`), 'outcome');
  const counts = [...outcomes].map(([outcome, each]) => [outcome, sum(each)] as const);
  const byWords = counts.filter(([outcome, count]) => outcome !== 'compared' && count > 0);
  return {
    compared: sum(outcomes.get('compared') ?? []),
    byWords: Object.fromEntries(byWords.toSorted(([, left], [, right]) => right - left)),
  };
}

/** Summarises the counters of any number of servers: those since their start, or what has been added since. */
export function summarise(samples: Sample[], seconds: number): Period {
  const isShown = ({ labels }: Sample) => !PROBES.has(labels.operation ?? '');
  const isTimed = ({ labels }: Sample) => labels.operation !== REFUSED;
  const counts = named(samples, `${REQUEST}_count`).filter(isShown);
  const buckets = named(samples, `${REQUEST}_bucket`).filter(isShown).filter(isTimed);
  const bucketsOf = groupBy(buckets, 'operation');
  const attempts = groupBy(named(samples, `${PREFIX}webhook_attempts_total`), 'outcome');
  const operations = [...groupBy(counts.filter(isTimed), 'operation')].map(([operation, each]) => ({
    operation,
    ...toRequests(each, bucketsOf.get(operation) ?? [], seconds),
  }));
  return {
    seconds,
    requests: toRequests(counts, buckets, seconds),
    operations: operations.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count),
    answers: toAnswers(counts),
    imports: toImports(samples),
    deliveries: { received: sum(attempts.get('received') ?? []), failed: sum(attempts.get('failed') ?? []) },
    meaning: toMeaning(samples),
  };
}
