/** Part `overload`: what is left of the good answers when ten times as many searches come as the service can answer. */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { call, createKnowledgeBase, type RunningService, withService } from '../service-process.ts';
import { percentile, type Report } from './figures.ts';
import { observe } from './open-loop.ts';
import { readResidentBytes } from './processes.ts';
import { createRandom, makeQuery, makeText } from './texts.ts';

/** What is searched: enough that a search costs more than its request. */
const TEXTS = 300;
const TEXT_CHARACTERS = 3_000;
const QUERY_WORDS = 4;
const SEED = 300;

/** Keeps service and database busy, without a queue. */
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 4;
const ROUND_SECONDS = 8;
/** Peak and overload by turns, for the machine changes its speed. */
const ROUNDS = 3;
const TIMES = 10;
const TARGET_SHARE = 0.9;
const TARGET_REFUSAL_MS = 20;
const TARGET_MEMORY_MB = 512;

type Answered = { status: number; ms: number };
type Search = () => Promise<Answered>;

/** Sends searches over as many connections as are needed; no client library in between, which would cost more than the service. */
function createSearch({ address, apiKey }: RunningService): Search {
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true });
  const random = createRandom(SEED);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const target = { hostname, port, path: '/v1/query', method: 'POST', headers, agent };
  return () =>
    new Promise((resolve, reject) => {
      const sentAtMs = performance.now();
      const sent = request(target, (response) => {
        const ms = performance.now() - sentAtMs;
        response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, ms }));
      });
      sent.on('error', reject).end(JSON.stringify({ query: makeQuery(QUERY_WORDS, random) }));
    });
}

/** Good answers a second of clients that wait for each before they send the next. */
async function measurePeak(search: Search, seconds: number): Promise<number> {
  const endMs = performance.now() + 1000 * seconds;
  let good = 0;
  const client = async () => {
    while (performance.now() < endMs) if ((await search()).status === 200) good++;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return good / seconds;
}

type Round = { goodPerSecond: number; goodMs: number[]; refusalMs: number[]; largestBytes: number };

/** Searches that arrive at this rate, whatever becomes of the ones before. */
async function measureOverload({ pid }: RunningService, search: Search, perSecond: number): Promise<Round> {
  const answers: Answered[] = [];
  let largestBytes = 0;
  const timer = setInterval(() => {
    largestBytes = Math.max(largestBytes, readResidentBytes(pid));
  }, 200);
  const send = async () => answers.push(await search());
  const startedAtMs = performance.now();
  let inTime = 0;
  const ended = delay(1000 * ROUND_SECONDS).then(() => {
    inTime = answers.filter(({ status }) => status === 200).length / (performance.now() - startedAtMs);
  });
  await observe(send, { perSecond, ended });
  clearInterval(timer);
  const others = answers.filter(({ status }) => status !== 200 && status !== 503);
  if (others.length > 0) throw new Error(`a search answered ${others[0]?.status}`);
  const msOf = (wanted: number) => answers.filter(({ status }) => status === wanted).map(({ ms }) => ms);
  return { goodPerSecond: 1000 * inTime, goodMs: msOf(200), refusalMs: msOf(503), largestBytes };
}

async function fill(service: RunningService): Promise<void> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'Searched');
  for (let i = 0; i < TEXTS; i++) {
    const content = makeText('english', TEXT_CHARACTERS, SEED + i);
    await call(service, 'importTextContent', { knowledgeBaseId, title: `Text ${i}`, content });
  }
}

function addFigures(report: Report, peaks: number[], rounds: Round[]): void {
  const figure = (
    name: string,
    value: number,
    unit: string,
    target?: { atLeast: number } | { atMost: number },
  ) => report.figure({ name, value, unit, ...(target && { target }) });
  const good = rounds.map(({ goodPerSecond }) => goodPerSecond);
  const shares = good.map((value, round) => value / (peaks[round] ?? Number.NaN));
  const refusals = rounds.flatMap(({ refusalMs }) => refusalMs);
  figure('good answers at the peak', percentile(peaks, 0.5), '/s');
  figure(`good answers at ${TIMES} times the peak`, percentile(good, 0.5), '/s');
  figure('share of the peak', percentile(shares, 0.5), '', { atLeast: TARGET_SHARE });
  figure('refusals', refusals.length / rounds.length / ROUND_SECONDS, '/s');
  figure('refusals: median', percentile(refusals, 0.5), 'ms', { atMost: TARGET_REFUSAL_MS });
  figure('refusals: 99 %', percentile(refusals, 0.99), 'ms');
  const waits = rounds.flatMap(({ goodMs }) => goodMs);
  figure('good answers under overload: median', percentile(waits, 0.5), 'ms');
  const largest = Math.max(...rounds.map(({ largestBytes }) => largestBytes)) / 1024 ** 2;
  figure('memory of the server', largest, 'MiB', { atMost: TARGET_MEMORY_MB });
}

/** Measures peak and overload by turns. */
export async function measureOverloadShare(report: Report): Promise<void> {
  await withService(async (service) => {
    report.progress(`imports ${TEXTS} texts`);
    await fill(service);
    const search = createSearch(service);
    await measurePeak(search, WARM_UP_SECONDS);
    const peaks: number[] = [];
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      report.progress(`round ${round} of ${ROUNDS}`);
      const peak = await measurePeak(search, ROUND_SECONDS);
      peaks.push(peak);
      rounds.push(await measureOverload(service, search, TIMES * peak));
    }
    addFigures(report, peaks, rounds);
    report.note('The load comes from this process, on the same cores as service and database.');
  });
}
