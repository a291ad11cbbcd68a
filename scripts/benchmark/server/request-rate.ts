/**
 * Part `get`: how many validated GET requests a second the server answers on a core of its own, and what each costs
 * against one of a bare `node:http`, which measures the machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { findDescendants } from '../../../contract-tests/harness/machine/processes.ts';
import {
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report, Target } from '../measuring/figures.ts';
import { findTwoCores, pinTo, readProcessorUse } from '../measuring/processor-use.ts';

/** The operations with ordinary parameters, in the order of the figures. */
const REQUESTS = ['getBalance', 'getUsage', 'listKnowledgeBases?limit=10'] as const;
/** The first operation again, at a service with a rate limit that the load never reaches. */
const LIMITED = `${REQUESTS[0]} with a rate limit`;
const RATE_LIMIT = { RATE_LIMIT_PER_MINUTE: '100000000' };
/** More than a page of ten. */
const KNOWLEDGE_BASES = 12;
/** Keeps the server busy while answers are in transit, without a queue that would only add latency. */
const CONNECTIONS = 32;
/** By then V8 has compiled the hot code. A time would not do: on a busy machine, a server answers fewer in it. */
const WARM_UP_REQUESTS = 20_000;
const ROUND_SECONDS = 5;
const ROUNDS = 3;
const TARGET_PER_SECOND = 5_000;
/** Below this share of its core, the server has waited for another process, and the rate is not its own. */
const BUSY_SHARE = 0.9;

/** A measured operation of a service. */
type Subject = { name: string; url: string; apiKey: string; pid: number };
/** One round: answered requests, its seconds, and seconds of processor time. */
type Round = { requests: number; seconds: number; serverCpu: number; databaseCpu: number; p99Ms: number };
/** The fields of autocannon's JSON that this script uses. */
type AutocannonResult = {
  requests: { total: number };
  latency: { p99: number };
  duration: number;
  errors: number;
  non2xx: number;
};

const autocannon = createRequire(import.meta.url).resolve('autocannon/autocannon.js');

/** How much is sent, as an option of autocannon, and the core that sends it, if there is one. */
type Load = { amount: ['-d' | '-a', number]; core: number | undefined };

/** Sends requests from a separate process. */
async function fire({ name, url, apiKey }: Subject, { amount, core }: Load): Promise<AutocannonResult> {
  const load = ['-c', String(CONNECTIONS), ...amount.map(String), '-H', `x-api-key=${apiKey}`];
  const command = [process.execPath, autocannon, '--json', '--no-progress', ...load, url];
  const [program = '', ...args] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const result = JSON.parse(output) as AutocannonResult; // autocannon's documented result
  if (result.errors + result.non2xx > 0) {
    throw new Error(`${name}: ${result.non2xx} refusals and ${result.errors} errors`);
  }
  return result;
}

async function measureRound(subject: Subject, core: number | undefined): Promise<Round> {
  const before = readProcessorUse([subject.pid]);
  const { requests, duration, latency } = await fire(subject, { amount: ['-d', ROUND_SECONDS], core });
  const after = readProcessorUse([subject.pid]);
  return {
    requests: requests.total,
    seconds: duration,
    serverCpu: after.servers - before.servers,
    databaseCpu: after.database - before.database,
    p99Ms: latency.p99,
  };
}

/** The median of the rounds. */
const median = (rounds: Round[], read: (round: Round) => number): number => percentile(rounds.map(read), 0.5);

const ratePerSecond = ({ requests, seconds }: Round): number => requests / seconds;
const ratePerCpuSecond = ({ requests, serverCpu }: Round): number => requests / serverCpu;
const busyShare = ({ serverCpu, seconds }: Round): number => serverCpu / seconds;
/** The server's cost of one request: processor time where it is known, else elapsed time. */
const secondsOf = ({ requests, seconds, serverCpu }: Round): number => (serverCpu || seconds) / requests;
/** Adds the cost of a request relative to the cost of another request, which is measured at the same time. */
function addRatio(
  report: Report,
  name: string,
  { rounds, other, target }: { rounds: Round[]; other: Round[]; target?: Target },
): void {
  const value = median(rounds, secondsOf) / median(other, secondsOf);
  report.figure({ name, value, unit: 'times', ...(target && { target }) });
}

const TARGET: Target = { atLeast: TARGET_PER_SECOND };

const BARE = 'bare node:http';
/** A GET may cost this many times as much processor time of the server as one of `BARE`. */
const COST_TARGET: Target = { atMost: 8 };

function addFigures(report: Report, subject: string, rounds: Round[]): void {
  const busy = median(rounds, busyShare);
  const figure = (name: string, value: number, unit: string, target?: Target) =>
    report.figure({ name: `${subject}: ${name}`, value, unit, ...(target && { target }) });
  figure('answered', median(rounds, ratePerSecond), '/s', TARGET);
  figure(
    '99 % of the answers within',
    median(rounds, ({ p99Ms }) => p99Ms),
    'ms',
  );
  if (!(busy > 0)) return;
  figure('per CPU second of the server', median(rounds, ratePerCpuSecond), '/s', TARGET);
  const microseconds = (read: (round: Round) => number) =>
    median(rounds, (round) => (read(round) / round.requests) * 1e6);
  figure(
    'server CPU a request',
    microseconds(({ serverCpu }) => serverCpu),
    'µs',
  );
  figure(
    'PostgreSQL CPU a request',
    microseconds(({ databaseCpu }) => databaseCpu),
    'µs',
  );
  if (busy >= BUSY_SHARE) return;
  const share = Math.round(busy * 100);
  report.note(`${subject}: the server had only ${share} % of a core; other processes limited its rate.`);
}

/** Runs `use` while a bare `node:http` answers. */
async function withBareServer(use: (bare: Subject) => Promise<void>): Promise<void> {
  const file = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { value: port } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    if (child.pid === undefined || port === undefined) throw new Error(`${BARE} did not start`);
    await use({ name: BARE, url: `http://127.0.0.1:${port}/`, apiKey: '-', pid: child.pid });
  } finally {
    child.kill('SIGTERM');
  }
}

/** Pins the servers to one core, and PostgreSQL and the load to the other, which is returned. */
function separate(services: RunningService[], bare: Subject, report: Report): number | undefined {
  const cores = findTwoCores();
  if (cores === undefined) {
    report.note('Nothing was pinned: there are no two cores, or there is no taskset.');
    return undefined;
  }
  const pids = services.map(({ pid }) => pid);
  pinTo(cores[0], [...pids, bare.pid]);
  pinTo(cores[1], pids.flatMap(findDescendants));
  report.note(
    `The server was pinned to core ${cores[0]}; PostgreSQL and the load (autocannon) to core ${cores[1]}.`,
  );
  return cores[1];
}

/** Measures the subjects in turn, one round each, so that other load on the machine affects all alike. */
async function measureRounds(
  report: Report,
  subjects: Subject[],
  core: number | undefined,
): Promise<Round[][]> {
  for (const subject of subjects) {
    report.progress(`${subject.name}: warming up`);
    await fire(subject, { amount: ['-a', WARM_UP_REQUESTS], core });
  }
  const rounds = subjects.map((): Round[] => []);
  for (let i = 0; i < ROUNDS; i++) {
    report.progress(`round ${i + 1} of ${ROUNDS}: ${CONNECTIONS} connections, ${ROUND_SECONDS} s each`);
    for (const [own, subject] of subjects.entries()) {
      rounds[own]?.push(await measureRound(subject, core));
    }
  }
  return rounds;
}

/** Measures the operations, and a service with a rate limit, in several rounds. The medians count. */
async function measureServices(
  report: Report,
  service: RunningService,
  { limited, bare }: { limited: RunningService; bare: Subject },
): Promise<void> {
  const core = separate([service, limited], bare, report);
  const toSubject = ({ address, apiKey, pid }: RunningService, operation: string, name = operation) => {
    return { name, url: `${address}/v1/${operation}`, apiKey, pid };
  };
  const operations = REQUESTS.map((operation) => toSubject(service, operation));
  const subjects = [bare, toSubject(limited, REQUESTS[0], LIMITED), ...operations];
  const [ofBare = [], ofLimited = [], ...ofOperations] = await measureRounds(report, subjects, core);
  REQUESTS.forEach((operation, i) => {
    const rounds = ofOperations[i] ?? [];
    addFigures(report, operation, rounds);
    addRatio(report, `${operation}: cost against ${BARE}`, { rounds, other: ofBare, target: COST_TARGET });
  });
  addFigures(report, LIMITED, ofLimited);
  const [unlimited = []] = ofOperations;
  addRatio(report, `${LIMITED}: cost against no limit`, { rounds: ofLimited, other: unlimited });
}

/** Starts all that is measured. */
export async function measureRequestRate(report: Report): Promise<void> {
  await withService(async (service) => {
    for (let i = 0; i < KNOWLEDGE_BASES; i++) await createKnowledgeBase(service, `Knowledge base ${i}`);
    await withBareServer((bare) =>
      withService((limited) => measureServices(report, service, { limited, bare }), { settings: RATE_LIMIT }),
    );
  });
}
