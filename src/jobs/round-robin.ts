/**
 * Chooses whose job is next: round robin over the accounts. The index of jobs has the accounts in the order of their
 * ids. So finding the next job costs as much with a million jobs as with one, and enqueuing costs nothing more.
 */
import { MAX, NIL } from 'uuid';
import type { AccountRange } from '../database/rows/jobs.ts';

/** An id as a number, so that ranges of ids can be calculated; their order is the same. */
const numberOf = (accountId: string): bigint => BigInt(`0x${accountId.replaceAll('-', '')}`);
/** PostgreSQL also reads a UUID without hyphens. */
const idOf = (number: bigint): string => number.toString(16).padStart(32, '0');

const FIRST = numberOf(NIL);
const LAST = numberOf(MAX);

/** Numbers from `first` to `last`, both included. */
type Range = { first: bigint; last: bigint };

/** Returns `range` without the `excluded` accounts, as ranges in ascending order. */
function splitAt({ first, last }: Range, excluded: bigint[]): Range[] {
  const ranges: Range[] = [];
  let bottom = first;
  for (const account of excluded.filter((each) => each >= first && each <= last)) {
    if (account > bottom) ranges.push({ first: bottom, last: account - 1n });
    bottom = account + 1n;
  }
  if (bottom <= last) ranges.push({ first: bottom, last });
  return ranges;
}

/** Returns all accounts without the `excluded` ones, in round-robin order: those after `served`, then up to it. */
function roundAfter(served: bigint, excluded: bigint[]): Range[] {
  const ascending = excluded.toSorted((a, b) => (a < b ? -1 : 1));
  return [
    { first: served + 1n, last: LAST },
    { first: FIRST, last: served },
  ].flatMap((range) => splitAt(range, ascending));
}

export type RoundRobin = {
  /**
   * Returns the accounts to search for the next job, in this order. Accounts with less than half of the workers come
   * first. Empty when no worker is free.
   */
  nextAccounts(): AccountRange[];
  /** Records that a worker has begun a job of this account. */
  take(accountId: string): void;
  /** Records that a worker has finished a job of this account. */
  leave(accountId: string): void;
};

/**
 * Distributes `workers` over the accounts. One account may have all of them while no other one waits. When others come,
 * they get each worker that becomes free, until the first account has half of them, rounded up. The `extra` workers
 * serve only accounts without a worker: an account is served at once, although another one has all workers.
 */
export function createRoundRobin(workers: number, extra: number): RoundRobin {
  const held = new Map<bigint, number>();
  const half = Math.ceil(workers / 2);
  let taken = 0;
  let served = FIRST;
  const next = (): Range[] => {
    if (taken >= workers + extra) return [];
    if (taken >= workers) return roundAfter(served, [...held.keys()]);
    const halves = [...held].filter(([, count]) => count >= half).map(([account]) => account);
    return [...roundAfter(served, halves), ...halves.map((account) => ({ first: account, last: account }))];
  };
  return {
    nextAccounts: () => next().map(({ first, last }) => ({ first: idOf(first), last: idOf(last) })),
    take(accountId) {
      const account = numberOf(accountId);
      held.set(account, (held.get(account) ?? 0) + 1);
      taken++;
      served = account;
    },
    leave(accountId) {
      const account = numberOf(accountId);
      const count = (held.get(account) ?? 0) - 1;
      if (count > 0) held.set(account, count);
      else held.delete(account);
      taken--;
    },
  };
}
