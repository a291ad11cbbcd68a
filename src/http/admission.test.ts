/** The order in which requests get permits: lanes, and requests that give a permit up and take it again. */
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ServiceError } from '../errors.ts';
import { type Admission, createAdmission as createSharedAdmission } from './admission.ts';
import { type LaneName, laneOf } from './admission-lanes.ts';
import { readSpec } from './spec.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const MEBIBYTE = 1024 ** 2;

/** The key is the account. */
const createAdmission = (count: number) => createSharedAdmission(count, (key) => key);

/** A client that stays until it is destroyed. */
const newClient = () => new PassThrough();

/** Enters `count` times. Returns the numbers of the requests that got their turn, in that order, and the refusals. */
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

test('the paths of the imports’ lane are operations of the spec', () => {
  const { paths } = readSpec() as unknown as { paths: object }; // OpenAPI
  expect(Object.keys(paths).filter((path) => laneOf(path) === 'imports')).toHaveLength(4);
});

test('as many work as there are permits; the next begins when one leaves, in the order of coming', async () => {
  const admission = createAdmission(2);
  const first = await admitOne(admission);
  const { admitted, refused } = admitMany(admission, 3);
  await turn();
  expect([admitted, refused]).toEqual([[0], []]);
  first.release();
  first.release();
  await turn();
  expect(admitted).toEqual([0, 1]);
});

describe('requests that are refused when they can not be answered soon', () => {
  test('a burst waits, however large up to a thousand; the rest is refused at once', async () => {
    const { refused } = admitMany(createAdmission(1), 1_100);
    await turn();
    expect(refused).toHaveLength(99);
    expect(refused[0]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  test('while the first has waited for more than a second, nobody joins a queue that is long already', async () => {
    const admission = createAdmission(1);
    const working = await admitOne(admission);
    const { admitted } = admitMany(admission, 31);
    vi.advanceTimersByTime(1_100);
    const { refused } = admitMany(admission, 3);
    await turn();
    expect(refused).toHaveLength(2);
    working.release();
    expect(admitted).toEqual([]);
  });

  test('a queue that is known to move slowly grows no longer than what it serves in a second', async () => {
    vi.advanceTimersByTime(60_000);
    const admission = createAdmission(10);
    const permits = await Promise.all(Array.from({ length: 10 }, () => admitOne(admission)));
    admitMany(admission, 50);
    for (const permit of permits) {
      vi.advanceTimersByTime(20);
      permit.release();
    }
    // 40 wait, and fifty a second are served.
    const { refused } = admitMany(admission, 30);
    await turn();
    expect(refused).toHaveLength(20);
  });

  test('few that wait for long are refused as well', async () => {
    const admission = createAdmission(1);
    await admitOne(admission);
    const { refused } = admitMany(admission, 2);
    vi.advanceTimersByTime(2_000);
    await turn();
    expect(refused).toHaveLength(2);
  });
});

describe('imports', () => {
  test('wait for fifty seconds, however slowly they are served; a thousand at the most', async () => {
    const admission = createAdmission(1);
    await admitOne(admission, 'imports');
    const { refused } = admitMany(admission, 600, 'imports');
    vi.advanceTimersByTime(49_000);
    const late = admitMany(admission, 401, 'imports');
    await turn();
    expect([refused.length, late.refused.length]).toEqual([0, 1]);
    vi.advanceTimersByTime(1_000);
    await turn();
    expect([refused.length, late.refused.length]).toEqual([600, 1]);
  });

  test('all waits of one together, for a permit and for memory, end after fifty seconds', async () => {
    const admission = createAdmission(2);
    const first = await admitOne(admission, 'imports');
    const second = admitOne(admission, 'imports');
    await turn();
    vi.advanceTimersByTime(30_000);
    first.release();
    const permit = await second;
    expect(permit.budget.leftMs).toBe(20_000);
    const [eldest, other] = [(await admitOne(admission, 'others', 'b')).body(), permit.body()];
    await eldest.hold(48 * MEBIBYTE);
    const held = other.hold(MEBIBYTE);
    held.catch(() => {});
    vi.advanceTimersByTime(20_000);
    await expect(held).rejects.toMatchObject({ status: 503 });
  });

  test('take turns with other requests, and fill neither their line nor all permits', async () => {
    const admission = createAdmission(4);
    const imports = await Promise.all([1, 2, 3].map(() => admitOne(admission, 'imports')));
    const waiting = admitMany(admission, 100, 'imports');
    const other = await admitOne(admission);
    expect([admission.isFull('imports', 'a'), admission.isFull('others', 'a')]).toEqual([false, false]);
    const others = admitMany(admission, 2);
    for (const permit of [...imports, other]) permit.release();
    await turn();
    expect([waiting.admitted, others.admitted]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  test('a client that hangs up leaves the line', async () => {
    const admission = createAdmission(1);
    const working = await admitOne(admission, 'imports');
    const { admitted, clients } = admitMany(admission, 1_000, 'imports');
    expect(admission.isFull('imports', 'a')).toBe(true);
    clients[0]?.destroy();
    await turn();
    expect(admission.isFull('imports', 'a')).toBe(false);
    working.release();
    await turn();
    expect(admitted).toEqual([1]);
  });

  test('are refused within two seconds when the server is about to end', async () => {
    const admission = createAdmission(1);
    await admitOne(admission, 'imports');
    const before = admitMany(admission, 3, 'imports');
    admission.shortenWaits();
    const after = admitMany(admission, 3, 'imports');
    vi.advanceTimersByTime(2_000);
    await turn();
    expect([...before.refused, ...after.refused].map(({ status }) => status)).toEqual(Array(6).fill(503));
  });
});

test('who steps out lets another one work, and comes back before those who wait', async () => {
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
  await turn();
  expect([isBack, admitted]).toEqual([false, []]);
  other.release();
  await back;
  expect(admitted).toEqual([]);
  permit.release();
  await turn();
  expect(admitted).toEqual([0]);
});

test('who steps out while outside comes back once', async () => {
  const admission = createAdmission(2);
  const permit = await admitOne(admission);
  await permit.withoutPermit(() => permit.withoutPermit(async () => {}));
  permit.release();
  const { admitted } = admitMany(admission, 3);
  await turn();
  expect(admitted).toEqual([0, 1]);
});

test('who hangs up outside does not come back, and takes no permit', async () => {
  const admission = createAdmission(1);
  const client = newClient();
  const permit = await admission.admit('imports', { key: 'a', client });
  const gone = permit.withoutPermit(async () => void client.destroy());
  const other = await admitOne(admission);
  await expect(gone).rejects.toMatchObject({ errorCode: 'MALFORMED_REQUEST' });
  permit.release();
  const { admitted } = admitMany(admission, 1);
  await turn();
  expect(admitted).toEqual([]);
  other.release();
  await turn();
  expect(admitted).toEqual([0]);
});

test('who has its turn for heavy work and finds no permit to come back to gives the turn on', async () => {
  const admission = createAdmission(2);
  const other = await admitOne(admission, 'others', 'b');
  const first = await admitOne(admission);
  const firstWork = Promise.withResolvers<void>();
  const doingFirst = first.runHeavy(() => firstWork.promise);
  await turn();
  const client = newClient();
  const waiting = admission.admit('others', { key: 'a', client });
  first.release();
  const second = (await waiting).runHeavy(() => {});
  await turn();
  await admitOne(admission, 'others', 'c');
  firstWork.resolve();
  await doingFirst;
  await turn();
  await vi.advanceTimersByTimeAsync(1);
  client.destroy();
  await expect(second).rejects.toMatchObject({ errorCode: 'MALFORMED_REQUEST' });
  await turn();
  await vi.advanceTimersByTimeAsync(100);
  other.release();
  const next = await admitOne(admission);
  const done = next.runHeavy(() => 'done').catch((error) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await done).toBe('done');
});

test('of a thousand requests of one account another one notices nothing', async () => {
  const admission = createAdmission(4);
  await admitOne(admission, 'others', 'b').then((permit) => permit.release());
  for (const lane of ['imports', 'others'] as const) admitMany(admission, 2_000, lane, 'a');
  const others = [admitMany(admission, 1, 'imports', 'b'), admitMany(admission, 1, 'others', 'b')];
  await turn();
  expect(others.map(({ admitted }) => admitted)).toEqual([[0], [0]]);
  expect([admission.isFull('others', 'a'), admission.isFull('others', 'b')]).toEqual([true, false]);
});

describe('memory for bodies', () => {
  const CHUNK = MEBIBYTE / 4;

  /** One body for each of these owners, all sending at the same time; returns the mebibytes taken of each. */
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
    for (let i = 0; i < 200; i++) await turn();
    return { permits, taken };
  }

  test('bodies that together are too many are read on once others have ended, the eldest in any case', async () => {
    const { permits, taken } = await arrive(createAdmission(8), Array(5).fill('a'), 11);
    expect(taken[0]).toBe(11);
    expect(taken.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(48);
    for (const permit of permits.slice(0, 3)) permit.release();
    for (let i = 0; i < 200; i++) await turn();
    expect(taken.slice(3)).toEqual([11, 11]);
  });

  test('of a thousand bodies of one account those that are too many are refused, and others are not', async () => {
    const admission = createAdmission(2_000);
    const enterAll = (owner: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => admitOne(admission, 'others', owner)));
    const own = await enterAll('a', 990);
    const [other] = await enterAll('b', 1);
    for (const permit of own.slice(0, 500)) permit.body();
    other?.body();
    expect(() => own[500]?.body()).toThrow('More requests');
  });

  test('an account that fills its half leaves the other half to others', async () => {
    const admission = createAdmission(16);
    const b = await admitOne(admission, 'others', 'b');
    await b.body().hold(CHUNK);
    const { taken } = await arrive(admission, Array(5).fill('a'), 11);
    expect(taken.reduce((sum, bytes) => sum + bytes)).toBe(11 + 12);
    const others = await arrive(admission, ['b', 'b', 'b'], 6);
    expect(others.taken.reduce((sum, bytes) => sum + bytes)).toBe(12);
  });
});
