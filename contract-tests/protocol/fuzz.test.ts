/** The fuzzer's run against a service of its own: what it sends, and what must be so afterwards. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { runCommand } from '../harness/command-line.ts';
import { OPERATION_IDS, type OperationId } from '../harness/contract-check.ts';
import type { Answer } from '../harness/exchange.ts';
import { readHoldings } from '../harness/expect-refusal.ts';
import {
  exchangeChecked,
  type FuzzSettings,
  findProblems,
  readFuzzSettings,
  sampleAt,
} from '../harness/fuzz/fuzz.ts';
import { bentRequest } from '../harness/fuzz/hostile-requests.ts';
import { goodRequests, otherRequests, type RoutedRequest, toSent } from '../harness/good-requests.ts';
import { keepService } from '../harness/kept-service.ts';
import { readResidentBytes } from '../harness/processes.ts';
import type { RunningService } from '../harness/service-process.ts';
import { createThings, readKept, type Things } from './fuzz/fixtures.ts';
import { watchHeap } from './fuzz/live-heap.ts';
import { type RawRequest, rawRequest } from './fuzz/raw-requests.ts';
import { sendChecked } from './fuzz/send-raw.ts';
import { validRequest } from './fuzz/valid-requests.ts';

const METRICS_TOKEN = 'a token for the fuzzer';
const MEBIBYTE = 1024 ** 2;
/** What still lives after a full collection may grow by this: caches that fill, code that is compiled late. */
const LIVE_GROWTH = 16 * MEBIBYTE;
/** What the process has from the system may grow by this: V8 keeps room for bodies of 12 MB, several at a time. */
const RESIDENT_GROWTH = 256 * MEBIBYTE;
/** As many requests of a run come before its memory is measured for the first time. */
const WARM_UP_SHARE = 0.2;
/** From so many requests on, each operation has succeeded at least once. */
const FULL_RUN = 5_000;

/** What no request that keeps to the schemas is answered by: it would be refused as if it did not. */
const NEVER_FOR_VALID = [400, 401, 405, 408, 410, 413, 415, 422, 431];

type Made =
  | { kind: 'valid'; request: RoutedRequest }
  | { kind: 'bent'; request: RoutedRequest }
  | { kind: 'raw'; request: RawRequest };

/** Any request of the three kinds. */
function anyRequest({ mine, idsOf, target }: Things): fc.Arbitrary<Made> {
  const bearer = { authorization: `Bearer ${METRICS_TOKEN}` };
  const others = otherRequests.map((good) => ({
    ...good,
    headers: good.path === '/metrics' ? bearer : good.headers,
  }));
  const goods = () => [...goodRequests(target()), ...others];
  const upload = fc.constant(null).map((): RoutedRequest => {
    const good = goodRequests(target()).at(-1);
    if (good === undefined) throw new Error('there is no upload address');
    return { route: undefined, sent: toSent(good, good.fields) };
  });
  const valid = fc.oneof({ weight: 12, arbitrary: validRequest(mine.apiKey, idsOf) }, upload);
  return fc.oneof(
    { weight: 3, arbitrary: valid.map((request): Made => ({ kind: 'valid', request })) },
    { weight: 5, arbitrary: bentRequest(goods).map((request): Made => ({ kind: 'bent', request })) },
    { weight: 2, arbitrary: rawRequest(goods).map((request): Made => ({ kind: 'raw', request })) },
  );
}

/** How often each kind was answered by each status, as `valid 200`. */
type Tally = Map<string, number>;

const count = (tally: Tally, name: string) => void tally.set(name, (tally.get(name) ?? 0) + 1);

function requireAccepted(request: RoutedRequest, { status, text }: Answer): void {
  if (NEVER_FOR_VALID.includes(status) || text.includes('"NOT_FOUND"'))
    throw new Error(`a valid request was refused: ${status} ${text}\n${JSON.stringify(request)}`);
}

type Run = { address: string; things: Things; succeeded: Set<OperationId>; tally: Tally };

async function send({ address, things, succeeded, tally }: Run, made: Made): Promise<void> {
  if (made.kind === 'raw') {
    const answers = await sendChecked(address, made.request);
    const ends = typeof answers === 'string' ? [answers] : answers.map(({ status }) => String(status));
    for (const end of ends.length === 0 ? ['silent'] : ends) count(tally, `raw ${end}`);
    return;
  }
  const { route, sent } = made.request;
  const answer = await exchangeChecked(address, made.request);
  count(tally, `${made.kind} ${answer.status}`);
  if (made.kind === 'bent') return;
  requireAccepted(made.request, answer);
  if (route === undefined || route === 'page' || route === 'any') return;
  if (answer.status === 200) succeeded.add(route);
  things.learn(route, answer, String(sent.body));
}

type Heap = ReturnType<typeof watchHeap>;

/** What no request may change: all of the other account, and what this one has kept. */
async function readUntouchable({ mine, other, kept, foreign }: Things) {
  return {
    // The balance pays for the queries that read all this.
    holdings: { ...(await readHoldings(other)), balance: undefined },
    kept: [await readKept(mine, kept.knowledgeBaseId), await readKept(other, foreign.knowledgeBaseId)],
  };
}

/** In bytes: what lives after a collection, and what the process has from the system. */
type Memory = { live: number; resident: number };

/** Sends all of them; gives what is wrong, and the memory behind the warm-up and behind the end. */
async function sendAll({ seed, from, count: total }: FuzzSettings, run: Run, measure: () => Promise<Memory>) {
  const anything = anyRequest(run.things);
  const sendAt = (index: number) => send(run, sampleAt(anything, seed, index));
  const warmUp = Math.ceil(total * WARM_UP_SHARE);
  const early = await findProblems({ seed, from, count: warmUp }, sendAt);
  const before = await measure();
  const late = await findProblems({ seed, from: from + warmUp, count: total - warmUp }, sendAt);
  return { problems: [...early, ...late], before, after: await measure() };
}

const describeFigures = (tally: Tally, memories: Memory[]): string => {
  const inMebibytes = memories.map(({ live, resident }) =>
    [live, resident].map((bytes) => Math.round(bytes / MEBIBYTE)).join(' and '),
  );
  const counts = JSON.stringify(Object.fromEntries([...tally].toSorted()));
  return `${counts} live and resident MiB ${inMebibytes.join(', then ')}`;
};

/** Sends so many requests, and finds everything well behind them. */
async function testRequests(settings: FuzzSettings, service: RunningService, heap: Heap): Promise<void> {
  const things = await createThings(service);
  const untouched = await readUntouchable(things);
  const { address, pid, dataDirectory } = service;
  const run: Run = { address, things, succeeded: new Set(), tally: new Map() };
  const measure = async () => ({ live: await heap.readLiveBytes(), resident: readResidentBytes(pid) });
  const { problems, before, after } = await sendAll(settings, run, measure);
  const figures = describeFigures(run.tally, [before, after]);
  process.stdout.write(`${figures}\n`);
  expect(problems.slice(0, 5), `${problems.length} problems`).toEqual([]);
  expect(after.live - before.live, figures).toBeLessThan(LIVE_GROWTH);
  expect(after.resident - before.resident, figures).toBeLessThan(RESIDENT_GROWTH);
  if (settings.count >= FULL_RUN) expect([...run.succeeded].toSorted()).toEqual(OPERATION_IDS.toSorted());
  expect(await readUntouchable(things)).toEqual(untouched);
  expect(await runCommand(dataDirectory, 'fsck')).toBe('0 problems');
}

/** FUZZ_SEED, FUZZ_FROM and FUZZ_COUNT choose other requests. A single number sends the same request again. */
const settings = readFuzzSettings(inject('isLong') ? 100_000 : 10_000);
const heap = watchHeap();
const service = await keepService({ settings: { METRICS_TOKEN }, ...heap });

test(
  `${settings.count} valid, bent and raw requests, from number ${settings.from} of seed ${settings.seed}: ` +
    'no 5xx, no undocumented answer, no missing answer, no lost data, no memory leak',
  { timeout: 3_600_000 },
  () => testRequests(settings, service, heap),
);
