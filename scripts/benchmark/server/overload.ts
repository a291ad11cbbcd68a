/** Part `overload`: the share of good answers that remains at ten times as many searches as the service can answer. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, makeQuery, makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Figure, Report, Target } from '../measuring/figures.ts';
import { observe } from '../measuring/open-loop.ts';

/**
 * Numbers of searched texts, each of four passages.
 * Each search comes with ten refusals. The more a search costs, the smaller their share of the peak.
 */
const SIZES = [300, 2_500];
const TEXT_CHARACTERS = 3_000;
const QUERY_WORDS = 4;
const SEED = 300;

/** Keeps service and database busy, without a queue. */
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 4;
const ROUND_SECONDS = 6;
/** Peak and overload alternate, because the machine's speed changes. */
const ROUNDS = 5;
const TIMES = 10;
/** The number of connected clients. A request that is due while all of them wait for an answer is not sent. */
const CLIENTS = 600;
const TARGET_SHARE = 0.9;
const TARGET_REFUSAL_MS = 20;
const TARGET_MEMORY_MB = 512;

type Answered = { status: number; ms: number };
type Search = () => Promise<Answered | undefined>;

/** A connection for one request at a time. */
type Connection = { ask(request: string): Promise<Answered> };

/** Uses no client library, which would take more of the two cores than a refusal does. */
async function openConnection(address: string): Promise<Connection> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  socket.on('error', () => {}); // 'close' follows
  let received = '';
  let take = (_answer: string) => {};
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    const headEnd = received.indexOf('\r\n\r\n');
    const [, length] = /content-length: (\d+)/i.exec(received) ?? [];
    if (headEnd < 0 || received.length < headEnd + 4 + Number(length)) return;
    take(received);
    received = '';
  });
  const broken = new Promise<never>((_, reject) => socket.once('close', () => reject(new Error('cut off'))));
  broken.catch(() => {}); // each waiting request rejects with it
  return {
    async ask(request) {
      const answered = new Promise<string>((resolve) => {
        take = resolve;
      });
      const sentAtMs = performance.now();
      socket.write(request);
      const answer = await Promise.race([answered, broken]);
      return {
        status: Number(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
        ms: performance.now() - sentAtMs,
      };
    },
  };
}

/** Connects all clients. The returned function sends a search by the next idle one; undefined if none is idle. */
async function createSearch({ address, apiKey }: RunningService): Promise<Search> {
  const random = createRandom(SEED);
  const idle: Connection[] = [];
  for (let i = 0; i < CLIENTS; i++) idle.push(await openConnection(address));
  return async () => {
    const body = JSON.stringify({ query: makeQuery(QUERY_WORDS, random) });
    const connection = idle.shift();
    if (connection === undefined) return undefined;
    const answered = await connection.ask(
      `POST /v1/query HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    idle.push(connection);
    return answered;
  };
}

/** Good answers a second, and the number of cores that the load itself kept busy, which the service did not have. */
type Rate = { goodPerSecond: number; loadCores: number };

/** The returned function returns the number of cores that this process has kept busy since this call. */
function countOwnCores(): () => number {
  const [before, startedAtMs] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (performance.now() - startedAtMs);
  };
}

/** The rate of clients that wait for each answer before they send the next request. */
async function measurePeak(search: Search, seconds: number): Promise<Rate> {
  const endMs = performance.now() + 1000 * seconds;
  const ownCores = countOwnCores();
  let good = 0;
  const client = async () => {
    while (performance.now() < endMs) {
      const answered = await search();
      // The last answers arrive after the measured time.
      if (answered?.status === 200 && performance.now() < endMs) good++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return { goodPerSecond: good / seconds, loadCores: ownCores() };
}

type Round = Rate & {
  unsent: number;
  goodMs: number[];
  refusalMs: number[];
  largestBytes: number;
};

/** Measures searches that arrive at this rate, whether or not earlier ones have been answered. */
async function measureOverload({ pid }: RunningService, search: Search, perSecond: number): Promise<Round> {
  const answers: Answered[] = [];
  let [largestBytes, unsent] = [0, 0];
  const timer = setInterval(() => {
    largestBytes = Math.max(largestBytes, readResidentBytes(pid));
  }, 200);
  const send = async () => {
    const answered = await search();
    if (answered === undefined) unsent++;
    else answers.push(answered);
  };
  const ownCores = countOwnCores();
  const startedAtMs = performance.now();
  let rate: Rate = { goodPerSecond: 0, loadCores: 0 };
  const ended = delay(1000 * ROUND_SECONDS).then(() => {
    const good = answers.filter(({ status }) => status === 200).length;
    rate = { goodPerSecond: (1000 * good) / (performance.now() - startedAtMs), loadCores: ownCores() };
  });
  await observe(send, { perSecond, ended });
  clearInterval(timer);
  const others = answers.filter(({ status }) => status !== 200 && status !== 503);
  if (others.length > 0) throw new Error(`a search answered ${others[0]?.status}`);
  const msOf = (wanted: number) => answers.filter(({ status }) => status === wanted).map(({ ms }) => ms);
  return { ...rate, unsent, goodMs: msOf(200), refusalMs: msOf(503), largestBytes };
}

async function fill(service: RunningService, texts: number): Promise<void> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'Searched');
  for (let i = 0; i < texts; i++) {
    const content = makeText('english', TEXT_CHARACTERS, SEED + i);
    await call(service, 'importTextContent', { knowledgeBaseId, title: `Text ${i}`, content });
  }
}

/** The rate that the service would reach if the load took none of the cores. */
const withoutLoad = ({ goodPerSecond, loadCores }: Rate): number =>
  goodPerSecond / (1 - loadCores / availableParallelism());

/** Reports two shares of the peak, since a load from another machine would take none of the cores. */
function addShares(report: Report, peaks: Rate[], rounds: Round[]): void {
  const share = (read: (rate: Rate) => number) =>
    percentile(
      rounds.map((round, i) => read(round) / read(peaks[i] ?? round)), // one peak each
      0.5,
    );
  const cores = (rates: Rate[]) =>
    percentile(
      rates.map(({ loadCores }) => loadCores),
      0.5,
    );
  report.figure({ name: 'share of the peak', value: share(({ goodPerSecond }) => goodPerSecond), unit: '' });
  report.figure({ name: 'cores that the load takes, at the peak', value: cores(peaks), unit: '' });
  report.figure({ name: `cores that the load takes, at ${TIMES} times`, value: cores(rounds), unit: '' });
  report.figure({
    name: 'share of the peak, of what the load leaves',
    value: share(withoutLoad),
    unit: '',
    target: { atLeast: TARGET_SHARE },
  });
}

function addFigures(report: Report, peaks: Rate[], rounds: Round[]): void {
  const figure = (name: string, value: number, unit: string, target?: Target) =>
    report.figure({ name, value, unit, ...(target && { target }) });
  const good = (rates: Rate[]) =>
    percentile(
      rates.map(({ goodPerSecond }) => goodPerSecond),
      0.5,
    );
  const refusals = rounds.flatMap(({ refusalMs }) => refusalMs);
  figure('good answers at the peak', good(peaks), '/s');
  figure(`good answers at ${TIMES} times the peak`, good(rounds), '/s');
  addShares(report, peaks, rounds);
  figure('refusals', refusals.length / rounds.length / ROUND_SECONDS, '/s');
  figure(
    'due while all clients waited',
    rounds.reduce((sum, { unsent }) => sum + unsent, 0) / rounds.length / ROUND_SECONDS,
    '/s',
  );
  figure('refusals: median', percentile(refusals, 0.5), 'ms', { atMost: TARGET_REFUSAL_MS });
  figure('refusals: 99 %', percentile(refusals, 0.99), 'ms');
  const waits = rounds.flatMap(({ goodMs }) => goodMs);
  figure('good answers under overload: median', percentile(waits, 0.5), 'ms');
  const largest = Math.max(...rounds.map(({ largestBytes }) => largestBytes)) / 1024 ** 2;
  figure('memory of the server', largest, 'MiB', { atMost: TARGET_MEMORY_MB });
}

/** Measures peak and overload in turn, on this many texts. */
async function measureSize(report: Report, texts: number): Promise<void> {
  await withService(async (service) => {
    report.progress(`imports ${texts} texts`);
    await fill(service, texts);
    const search = await createSearch(service);
    await measurePeak(search, WARM_UP_SECONDS);
    const peaks: Rate[] = [];
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      report.progress(`${texts} texts: round ${round} of ${ROUNDS}`);
      const peak = await measurePeak(search, ROUND_SECONDS);
      peaks.push(peak);
      rounds.push(await measureOverload(service, search, TIMES * peak.goodPerSecond));
    }
    const named = (figure: Figure) => report.figure({ ...figure, name: `${texts} texts: ${figure.name}` });
    addFigures({ ...report, figure: named }, peaks, rounds);
  });
}

/** Measures all sizes, each in a service of its own. */
export async function measureOverloadShare(report: Report): Promise<void> {
  for (const texts of SIZES) await measureSize(report, texts);
  report.note('The load comes from this process, on the same cores as service and database.');
}
