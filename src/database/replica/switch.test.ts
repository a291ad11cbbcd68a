/** The switch between replica and primary acts at once, and reports what lasts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSwitch, LASTING_MS, type ReplicaUse } from './switch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const USED: ReplicaUse = { state: 'used' };
const BEHIND: ReplicaUse = { state: 'behind' };
const FAILED: ReplicaUse = { state: 'failed', reason: 'it does not answer' };

function startSwitch() {
  const told: ReplicaUse[] = [];
  const replica = createSwitch((use) => told.push(use));
  /** Sets the state again and again, as checks do. */
  const keep = (use: ReplicaUse, forMs: number) => {
    for (let passedMs = 0; passedMs < forMs; passedMs += 250) {
      replica.set(use);
      vi.advanceTimersByTime(250);
    }
  };
  return { replica, told, keep };
}

test('a replica that is late for moments is set aside, and not reported', () => {
  const { replica, told, keep } = startSwitch();
  for (let i = 0; i < 10; i++) {
    keep(BEHIND, LASTING_MS - 250);
    expect(replica.isOn()).toBe(false);
    keep(USED, 250);
    expect(replica.isOn()).toBe(true);
  }
  keep(USED, 2 * LASTING_MS);
  expect(told).toEqual([]);
});

test('what lasts is reported once, and its end too', () => {
  const { told, keep } = startSwitch();
  keep(BEHIND, 5 * LASTING_MS);
  expect(told).toEqual([BEHIND]);
  keep(USED, LASTING_MS - 250);
  keep(BEHIND, LASTING_MS);
  expect(told).toEqual([BEHIND]);
  keep(USED, 2 * LASTING_MS);
  expect(told).toEqual([BEHIND, USED]);
});

test('a late replica that fails is reported again, and not each time that its state changes', () => {
  const { told, keep } = startSwitch();
  keep(BEHIND, LASTING_MS);
  for (let i = 0; i < 5; i++) {
    keep(FAILED, LASTING_MS);
    keep(BEHIND, LASTING_MS);
  }
  keep(USED, LASTING_MS);
  expect(told).toEqual([BEHIND, FAILED, USED]);
});

test('a replica that is late and silent in turn is reported', () => {
  const { told, keep } = startSwitch();
  for (let i = 0; i < 20; i++) {
    keep(BEHIND, 250);
    keep(FAILED, 250);
  }
  expect(told.at(-1)).toEqual(FAILED);
});
