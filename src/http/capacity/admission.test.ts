/** The order in which requests get permits: by lane and account, and after `withoutPermit`. */
import { PassThrough } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ServiceError } from '../../terms/errors.ts';
import { readSpec } from '../contract/spec.ts';
import { type Admission, createAdmission as createSharedAdmission } from './admission.ts';
import { type LaneName, laneOf } from './admission-lanes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const MEBIBYTE = 1024 ** 2;

/** The key is the account. */
const createAdmission = (count: number) => createSharedAdmission(count, (key) => key);

/** A client that stays until it is destroyed. */
const newClient = () => new PassThrough();

/** Sends `count` requests. Returns the numbers of those that got a permit, in that order, and the refusals. */
function admitMany(admission: Admission, count: number, lane: LaneName = 'others', key = 'a') {
  const [admitted, refused]: [number[], ServiceError[]] = [[], []];
  const clients = Array.from({ length: count }, newClient);
  clients.forEach((client, number) => {
    admission.admit(lane, { key, client }).then(
      () => admitted.push(number),
      (error) => refused.push(error),
    );
  });
  return { admitted, refused, clients };
}

const admitOne = (admission: Admission, lane: LaneName = 'others', key = 'a') =>
  admission.admit(lane, { key, client: newClient() });

test('the paths of the lanes are operations of the spec', () => {
  const { paths } = readSpec() as unknown as { paths: object }; // OpenAPI
  const lanes = Object.keys(paths).map(laneOf);
  expect(lanes.filter((lane) => lane === 'imports')).toHaveLength(6);
  expect(lanes.filter((lane) => lane === 'lookUps')).toHaveLength(1);
});

test('a permit admits one request; its release admits the next one, in order of arrival', async () => {
  const admission = createAdmission(2);
  const first = await admitOne(admission);
  const { admitted, refused } = admitMany(admission, 3);
  await nextIteration();
  expect([admitted, refused]).toEqual([[0], []]);
  first.release();
  first.release();
  await nextIteration();
  expect(admitted).toEqual([0, 1]);
});

test('look-ups have 32 permits of their own, however many requests work', async () => {
  const admission = createAdmission(1);
  await admitOne(admission);
  const { admitted } = admitMany(admission, 33, 'lookUps');
  await nextIteration();
  expect(admitted).toHaveLength(32);
});

describe('requests that are refused when they cannot be answered soon', () => {
  test('a burst of up to a thousand requests waits; the rest is refused immediately', async () => {
    const { refused } = admitMany(createAdmission(1), 1_100);
    await nextIteration();
    expect(refused).toHaveLength(99);
    expect(refused[0]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  test('a long queue takes no more requests while its first one has waited for more than a second', async () => {
    const admission = createAdmission(1);
    const working = await admitOne(admission);
    const { admitted } = admitMany(admission, 31);
    vi.advanceTimersByTime(1_100);
    const { refused } = admitMany(admission, 3);
    await nextIteration();
    expect(refused).toHaveLength(2);
    working.release();
    expect(admitted).toEqual([]);
  });

  test('a slow queue holds at most the number of requests that it serves in a second', async () => {
    vi.advanceTimersByTime(60_000);
    const admission = createAdmission(10);
    const permits = await Promise.all(Array.from({ length: 10 }, () => admitOne(admission)));
    admitMany(admission, 50);
    for (const permit of permits) {
      vi.advanceTimersByTime(20);
      permit.release();
    }
    // 40 requests wait, and 50 a second are served.
    const { refused } = admitMany(admission, 30);
    await nextIteration();
    expect(refused).toHaveLength(20);
  });

  test('even a few requests are refused after a wait of two seconds', async () => {
    const admission = createAdmission(1);
    await admitOne(admission);
    const { refused } = admitMany(admission, 2);
    vi.advanceTimersByTime(2_000);
    await nextIteration();
    expect(refused).toHaveLength(2);
  });
});

describe('imports', () => {
  test('at most a thousand imports wait, for up to fifty seconds', async () => {
    const admission = createAdmission(1);
    await admitOne(admission, 'imports');
    const { refused } = admitMany(admission, 600, 'imports');
    vi.advanceTimersByTime(49_000);
    const late = admitMany(admission, 401, 'imports');
    await nextIteration();
    expect([refused.length, late.refused.length]).toEqual([0, 1]);
    vi.advanceTimersByTime(1_000);
    await nextIteration();
    expect([refused.length, late.refused.length]).toEqual([600, 1]);
  });

  test('the waits of one import, for a permit and for memory, take fifty seconds together at most', async () => {
    const admission = createAdmission(2);
    const first = await admitOne(admission, 'imports');
    const second = admitOne(admission, 'imports');
    await nextIteration();
    vi.advanceTimersByTime(30_000);
    first.release();
    const permit = await second;
    expect(permit.remainingWait.leftMs).toBe(20_000);
    const [eldest, other] = [(await admitOne(admission, 'others', 'b')).body(), permit.body()];
    await eldest.hold(48 * MEBIBYTE);
    const held = other.hold(MEBIBYTE);
    held.catch(() => {});
    vi.advanceTimersByTime(20_000);
    await expect(held).rejects.toMatchObject({ status: 503 });
  });

  test('imports take turns with other requests, and fill neither their queue nor all permits', async () => {
    const admission = createAdmission(4);
    const imports = await Promise.all([1, 2, 3].map(() => admitOne(admission, 'imports')));
    const waiting = admitMany(admission, 100, 'imports');
    const other = await admitOne(admission);
    expect([admission.isFull('imports', 'a'), admission.isFull('others', 'a')]).toEqual([false, false]);
    const others = admitMany(admission, 2);
    for (const permit of [...imports, other]) permit.release();
    await nextIteration();
    expect([waiting.admitted, others.admitted]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  test('a request leaves the queue when its client hangs up', async () => {
    const admission = createAdmission(1);
    const working = await admitOne(admission, 'imports');
    const { admitted, clients } = admitMany(admission, 1_000, 'imports');
    expect(admission.isFull('imports', 'a')).toBe(true);
    clients[0]?.destroy();
    await nextIteration();
    expect(admission.isFull('imports', 'a')).toBe(false);
    working.release();
    await nextIteration();
    expect(admitted).toEqual([1]);
  });

  test('waiting imports are refused within two seconds during shutdown', async () => {
    const admission = createAdmission(1);
    await admitOne(admission, 'imports');
    const before = admitMany(admission, 3, 'imports');
    admission.shortenWaits();
    const after = admitMany(admission, 3, 'imports');
    vi.advanceTimersByTime(2_000);
    await nextIteration();
    expect([...before.refused, ...after.refused].map(({ status }) => status)).toEqual(Array(6).fill(503));
  });
});

test('a request without its permit lets another one work, and gets it back before new requests', async () => {
  const admission = createAdmission(1);
  const permit = await admitOne(admission);
  const outside = Promise.withResolvers<void>();
  let isBack = false;
  const back = permit
    .withoutPermit(() => outside.promise)
    .then(() => {
      isBack = true;
    });
  const other = await admitOne(admission);
  const { admitted } = admitMany(admission, 1);
  outside.resolve();
  await nextIteration();
  expect([isBack, admitted]).toEqual([false, []]);
  other.release();
  await back;
  expect(admitted).toEqual([]);
  permit.release();
  await nextIteration();
  expect(admitted).toEqual([0]);
});

test('nested calls of withoutPermit acquire the permit once', async () => {
  const admission = createAdmission(2);
  const permit = await admitOne(admission);
  await permit.withoutPermit(() => permit.withoutPermit(async () => {}));
  permit.release();
  const { admitted } = admitMany(admission, 3);
  await nextIteration();
  expect(admitted).toEqual([0, 1]);
});

test('a request whose client hangs up while it has no permit does not get it back', async () => {
  const admission = createAdmission(1);
  const client = newClient();
  const permit = await admission.admit('imports', { key: 'a', client });
  const gone = permit.withoutPermit(async () => void client.destroy());
  const other = await admitOne(admission);
  await expect(gone).rejects.toMatchObject({ errorCode: 'MALFORMED_REQUEST' });
  permit.release();
  const { admitted } = admitMany(admission, 1);
  await nextIteration();
  expect(admitted).toEqual([]);
  other.release();
  await nextIteration();
  expect(admitted).toEqual([0]);
});

test('two thousand requests of one account do not delay another account', async () => {
  const admission = createAdmission(4);
  await admitOne(admission, 'others', 'b').then((permit) => permit.release());
  const lanes = ['imports', 'lookUps', 'others'] as const;
  for (const lane of lanes) admitMany(admission, 2_000, lane, 'a');
  const others = lanes.map((lane) => admitMany(admission, 1, lane, 'b'));
  await nextIteration();
  expect(others.map(({ admitted }) => admitted)).toEqual([[0], [0], [0]]);
  expect([admission.isFull('others', 'a'), admission.isFull('others', 'b')]).toEqual([true, false]);
});

test.each(['imports', 'others'] as const)(
  'lane %s: an account that has been away waits for no other one that holds all permits',
  async (lane) => {
    const admission = createAdmission(4);
    const all = admitMany(admission, 5, lane, 'a');
    await nextIteration();
    expect(all.admitted).toHaveLength(lane === 'imports' ? 3 : 4);
    const [first, second] = [admitMany(admission, 2, lane, 'b'), admitMany(admission, 1, lane, 'c')];
    await nextIteration();
    expect([first.admitted, second.admitted]).toEqual([[0], []]);
  },
);

describe('memory for bodies', () => {
  const CHUNK = MEBIBYTE / 4;

  /** Sends one body for each of these owners, all at the same time. Returns the mebibytes read of each. */
  async function arrive(admission: Admission, owners: string[], mebibytes: number) {
    const permits = await Promise.all(owners.map((owner) => admitOne(admission, 'others', owner)));
    const taken = owners.map(() => 0);
    const send = async (number: number) => {
      const body = permits[number]?.body();
      for (let sent = 0; sent < mebibytes * MEBIBYTE; sent += CHUNK) {
        await body?.hold(CHUNK);
        taken[number] = (taken[number] ?? 0) + CHUNK / MEBIBYTE;
      }
    };
    owners.forEach((_, number) => void send(number));
    for (let i = 0; i < 200; i++) await nextIteration();
    return { permits, taken };
  }

  test('bodies wait for memory until others are released; the eldest body never waits', async () => {
    const { permits, taken } = await arrive(createAdmission(8), Array(5).fill('a'), 11);
    expect(taken[0]).toBe(11);
    expect(taken.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(48);
    for (const permit of permits.slice(0, 3)) permit.release();
    for (let i = 0; i < 200; i++) await nextIteration();
    expect(taken.slice(3)).toEqual([11, 11]);
  });

  test('an account with too many bodies is refused, and another account is not', async () => {
    const admission = createAdmission(2_000);
    const enterAll = (owner: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => admitOne(admission, 'others', owner)));
    const own = await enterAll('a', 990);
    const [other] = await enterAll('b', 1);
    for (const permit of own.slice(0, 500)) permit.body();
    other?.body();
    expect(() => own[500]?.body()).toThrow('More requests');
  });

  test('an account that has filled its half leaves the other half to other accounts', async () => {
    const admission = createAdmission(16);
    const b = await admitOne(admission, 'others', 'b');
    await b.body().hold(CHUNK);
    const { taken } = await arrive(admission, Array(5).fill('a'), 11);
    expect(taken.reduce((sum, bytes) => sum + bytes)).toBe(11 + 12);
    const others = await arrive(admission, ['b', 'b', 'b'], 6);
    expect(others.taken.reduce((sum, bytes) => sum + bytes)).toBe(12);
  });
});
