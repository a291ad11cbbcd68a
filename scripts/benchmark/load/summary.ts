/** Percentiles, rates and errors of the requests of a loop. */
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { ANSWERED, type Outcome } from './loops.ts';

/** Times of answers in milliseconds, exact: no histogram rounds them. NaN if there were none. */
export type Times = { p50: number; p90: number; p95: number; p99: number; p999: number; longest: number };

/**
 * The requests of a loop. Only answers have times: errors often come sooner.
 *
 * - `errors`: their number by code.
 * - `bySecond`: the times of the requests that were due in each second, from the loop's first to its last.
 */
export type Summary = {
  requests: number;
  answered: number;
  answeredPerSecond: number;
  errors: Record<string, number>;
  ms: Times;
  bySecond: (Pick<Times, 'p50' | 'p95' | 'p99'> & { second: number; answered: number })[];
};

function timesOf(outcomes: Outcome[]): Times {
  const sorted = outcomes.map(({ ms }) => ms);
  const at = (share: number) => percentile(sorted, share);
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), p999: at(0.999), longest: at(1) };
}

const secondOf = ({ dueMs }: Outcome): number => Math.floor(dueMs / 1000);

function bySecondOf(answered: Outcome[]): Summary['bySecond'] {
  return [...Map.groupBy(answered, secondOf)]
    .toSorted(([left], [right]) => left - right)
    .map(([second, outcomes]) => {
      const { p50, p95, p99 } = timesOf(outcomes);
      return { second, answered: outcomes.length, p50, p95, p99 };
    });
}

/** `seconds`: of the loop, over which its rate is taken. */
export function summarise(outcomes: Outcome[], seconds: number): Summary {
  const answered = outcomes.filter(({ code }) => code === ANSWERED);
  const errors = Map.groupBy(
    outcomes.filter(({ code }) => code !== ANSWERED),
    ({ code }) => code,
  );
  return {
    requests: outcomes.length,
    answered: answered.length,
    answeredPerSecond: answered.length / seconds,
    errors: Object.fromEntries([...errors].map(([code, { length }]) => [code, length])),
    ms: timesOf(answered),
    bySecond: bySecondOf(answered),
  };
}
