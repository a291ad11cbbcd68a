/** Sends generated requests to a service of its own. Then checks its answers, memory and data. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Answer } from '../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS, type OperationId } from '../../src/contract-check/spec/routes.ts';
import { readHoldings } from '../harness/calls/expect-refusal.ts';
import {
  goodRequests,
  otherRequests,
  type RoutedRequest,
  toSent,
} from '../harness/contract/good-requests.ts';
import {
  exchangeChecked,
  type FuzzSettings,
  findProblems,
  readFuzzSettings,
  sampleAt,
} from '../harness/fuzz/fuzz.ts';
import { mutatedRequest } from '../harness/fuzz/hostile-requests.ts';
import { readResidentBytes } from '../harness/machine/processes.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { keepService } from '../harness/service/kept-service.ts';
import type { RunningService } from '../harness/service/service-process.ts';
import { createFixtures, type Fixtures, readKnowledgeBase } from './fuzz/fixtures.ts';
import { watchHeap } from './fuzz/live-heap.ts';
import { type RawRequest, rawRequest } from './fuzz/raw-requests.ts';
import { sendChecked } from './fuzz/send-raw.ts';
import { validRequest } from './fuzz/valid-requests.ts';

const METRICS_TOKEN = 'a token for the fuzzer';
const MEBIBYTE = 1024 ** 2;
/** The live heap may grow by this many bytes: caches fill, and code is compiled late. */
const LIVE_GROWTH = 16 * MEBIBYTE;
/** The resident memory may grow by this many bytes: V8 keeps room for several bodies of 12 MB at a time. */
const RESIDENT_GROWTH = 256 * MEBIBYTE;
/** The share of the requests before the first measurement of memory. */
const WARM_UP_SHARE = 0.2;
/** In runs of at least this many requests, each operation must succeed at least once. */
const FULL_RUN = 5_000;

/** Statuses that a request which matches the schemas never gets, since they mean that it does not. */
const NEVER_FOR_VALID = [400, 401, 405, 408, 410, 413, 415, 422, 431];

type GeneratedRequest =
  | { kind: 'valid'; request: RoutedRequest }
  | { kind: 'mutated'; request: RoutedRequest }
  | { kind: 'raw'; request: RawRequest };

/** A request of any of the three kinds. */
function anyRequest({ mine, idsOf, target }: Fixtures): fc.Arbitrary<GeneratedRequest> {
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
    { weight: 3, arbitrary: valid.map((request): GeneratedRequest => ({ kind: 'valid', request })) },
    {
      weight: 5,
      arbitrary: mutatedRequest(goods).map((request): GeneratedRequest => ({ kind: 'mutated', request })),
    },
    {
      weight: 2,
      arbitrary: rawRequest(goods).map((request): GeneratedRequest => ({ kind: 'raw', request })),
    },
  );
}

/** How often each kind got each status. The keys are like `valid 200`. */
type Tally = Map<string, number>;

const count = (tally: Tally, name: string) => void tally.set(name, (tally.get(name) ?? 0) + 1);

function requireAccepted(request: RoutedRequest, { status, text }: Answer): void {
  if (NEVER_FOR_VALID.includes(status) || text.includes('"NOT_FOUND"'))
    throw new Error(`a valid request was refused: ${status} ${text}\n${JSON.stringify(request)}`);
}

type Run = { address: string; fixtures: Fixtures; succeeded: Set<OperationId>; tally: Tally };

async function send(
  { address, fixtures, succeeded, tally }: Run,
  generated: GeneratedRequest,
): Promise<void> {
  if (generated.kind === 'raw') {
    const answers = await sendChecked(address, generated.request);
    const ends = typeof answers === 'string' ? [answers] : answers.map(({ status }) => String(status));
    for (const end of ends.length === 0 ? ['silent'] : ends) count(tally, `raw ${end}`);
    return;
  }
  const { route, sent } = generated.request;
  const answer = await exchangeChecked(address, generated.request);
  count(tally, `${generated.kind} ${answer.status}`);
  if (generated.kind === 'mutated') return;
  requireAccepted(generated.request, answer);
  if (route === undefined || route === 'page' || route === 'any') return;
  if (answer.status === 200) succeeded.add(route);
  fixtures.learn(route, answer, String(sent.body));
}

type Heap = ReturnType<typeof watchHeap>;

/** Data that no request may change: the other account's, and the kept knowledge base of this account. */
async function readUntouchable({ mine, other, kept, foreign }: Fixtures) {
  return {
    // The queries of readKnowledgeBase change the balance.
    holdings: { ...(await readHoldings(other)), balance: undefined },
    kept: [
      await readKnowledgeBase(mine, kept.knowledgeBaseId),
      await readKnowledgeBase(other, foreign.knowledgeBaseId),
    ],
  };
}

/** In bytes: the live heap after a full collection, and the resident memory of the process. */
type Memory = { live: number; resident: number };

/** Sends all requests. Returns the problems, and the memory after the warm-up and at the end. */
async function sendAll({ seed, from, count: total }: FuzzSettings, run: Run, measure: () => Promise<Memory>) {
  const anything = anyRequest(run.fixtures);
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

/** Sends `settings.count` requests, then checks answers, memory and data. */
async function testRequests(settings: FuzzSettings, service: RunningService, heap: Heap): Promise<void> {
  const fixtures = await createFixtures(service);
  const untouched = await readUntouchable(fixtures);
  const { address, pid, dataDirectory } = service;
  const run: Run = { address, fixtures, succeeded: new Set(), tally: new Map() };
  const measure = async () => ({ live: await heap.readLiveBytes(), resident: readResidentBytes(pid) });
  const { problems, before, after } = await sendAll(settings, run, measure);
  const figures = describeFigures(run.tally, [before, after]);
  process.stdout.write(`${figures}\n`);
  expect(problems.slice(0, 5), `${problems.length} problems`).toEqual([]);
  expect(after.live - before.live, figures).toBeLessThan(LIVE_GROWTH);
  expect(after.resident - before.resident, figures).toBeLessThan(RESIDENT_GROWTH);
  if (settings.count >= FULL_RUN) expect([...run.succeeded].toSorted()).toEqual(OPERATION_IDS.toSorted());
  expect(await readUntouchable(fixtures)).toEqual(untouched);
  expect(await runCommand(dataDirectory, 'fsck')).toBe('0 problems');
}

/** FUZZ_SEED, FUZZ_FROM and FUZZ_COUNT choose other requests. A single number sends the same request again. */
const settings = readFuzzSettings(inject('isLong') ? 100_000 : 10_000);
const heap = watchHeap();
const service = await keepService({ settings: { METRICS_TOKEN }, ...heap });

test(
  `${settings.count} valid, mutated and raw requests, from number ${settings.from} of seed ${settings.seed}: ` +
    'no 5xx, no undocumented answer, no missing answer, no unreadable refusal, no lost data, no memory leak',
  { timeout: 3_600_000 },
  () => testRequests(settings, service, heap),
);
