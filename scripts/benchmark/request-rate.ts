/** Part `get`: how many validated GET requests a second the server answers on one core of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { createKnowledgeBase, type RunningService, withService } from '../service-process.ts';
import { percentile, type Report } from './figures.ts';
import { findDescendants, findTwoCores, pinTo, readCpuSeconds } from './processes.ts';

/** The operations, with the most ordinary parameters. */
const REQUESTS = ['getBalance', 'listKnowledgeBases?limit=10'];
/** More than a page of ten. */
const KNOWLEDGE_BASES = 12;
/** Keeps the server busy while answers are on their way, without a queue that would only add latency. */
const CONNECTIONS = 32;
/** Until V8 has compiled what is hot. */
const WARM_UP_SECONDS = 4;
const ROUND_SECONDS = 5;
const ROUNDS = 3;
const TARGET_PER_SECOND = 5_000;
/** Below this share of its core the server has waited for somebody else, and the rate is not its own. */
const BUSY_SHARE = 0.9;

/** One round: requests answered, seconds that it took, and seconds of processor time. */
type Round = { requests: number; seconds: number; serverCpu: number; databaseCpu: number; p99Ms: number };
/** The fields of autocannon's JSON that are used here. */
type AutocannonResult = {
  requests: { total: number };
  latency: { p99: number };
  duration: number;
  errors: number;
  non2xx: number;
};

const autocannon = createRequire(import.meta.url).resolve('autocannon/autocannon.js');

/** Fires requests from a process of its own, on `core` if there is one. */
async function fire(
  { address, apiKey }: RunningService,
  operation: string,
  { seconds, core }: { seconds: number; core: number | undefined },
): Promise<AutocannonResult> {
  const load = ['-c', String(CONNECTIONS), '-d', String(seconds), '-H', `x-api-key=${apiKey}`];
  const command = [
    process.execPath,
    autocannon,
    '--json',
    '--no-progress',
    ...load,
    `${address}/v1/${operation}`,
  ];
  const [program = '', ...args] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const result = JSON.parse(output) as AutocannonResult; // autocannon's documented result
  if (result.errors + result.non2xx > 0) {
    throw new Error(`${operation}: ${result.non2xx} refusals and ${result.errors} errors`);
  }
  return result;
}

async function measureRound(
  service: RunningService,
  operation: string,
  load: { seconds: number; core: number | undefined },
): Promise<Round> {
  const database = findDescendants(service.pid);
  const before = { server: readCpuSeconds([service.pid]), database: readCpuSeconds(database) };
  const { requests, duration, latency } = await fire(service, operation, load);
  return {
    requests: requests.total,
    seconds: duration,
    serverCpu: readCpuSeconds([service.pid]) - before.server,
    databaseCpu: readCpuSeconds(database) - before.database,
    p99Ms: latency.p99,
  };
}

function addFigures(report: Report, operation: string, rounds: Round[]): void {
  const median = (read: (round: Round) => number) => percentile(rounds.map(read), 0.5);
  const microseconds = (cpuSeconds: number, requests: number) => (cpuSeconds / requests) * 1e6;
  const busy = median(({ serverCpu, seconds }) => serverCpu / seconds);
  const target = { atLeast: TARGET_PER_SECOND };
  const figure = (name: string, value: number, unit: string) =>
    report.figure({ name: `${operation}: ${name}`, value, unit });

  const rate = median(({ requests, seconds }) => requests / seconds);
  report.figure({ name: `${operation}: answered`, value: rate, unit: '/s', target });
  figure(
    '99 % of the answers within',
    median(({ p99Ms }) => p99Ms),
    'ms',
  );
  if (!(busy > 0)) return;
  const ratePerCpu = median(({ requests, serverCpu }) => requests / serverCpu);
  report.figure({
    name: `${operation}: per CPU second of the server`,
    value: ratePerCpu,
    unit: '/s',
    target,
  });
  figure(
    'server CPU a request',
    median((round) => microseconds(round.serverCpu, round.requests)),
    'µs',
  );
  figure(
    'PostgreSQL CPU a request',
    median((round) => microseconds(round.databaseCpu, round.requests)),
    'µs',
  );
  if (busy < BUSY_SHARE) {
    const share = Math.round(busy * 100);
    report.note(
      `${operation}: the server had only ${share} % of a core; its rate is limited by its surroundings.`,
    );
  }
}

/** Gives the server one core, and PostgreSQL and the load the other one; the latter is returned. */
function separate(service: RunningService, report: Report): number | undefined {
  const cores = findTwoCores();
  if (cores === undefined) {
    report.note('Nothing was pinned: there are no two cores, or there is no taskset.');
    return undefined;
  }
  pinTo(cores[0], [service.pid]);
  pinTo(cores[1], findDescendants(service.pid));
  report.note(
    `The server was pinned to core ${cores[0]}; PostgreSQL and the load (autocannon) to core ${cores[1]}.`,
  );
  return cores[1];
}

/** Measures the operations one after the other, each in several rounds of which the medians count. */
export async function measureRequestRate(report: Report): Promise<void> {
  await withService(async (service) => {
    const core = separate(service, report);
    for (let i = 0; i < KNOWLEDGE_BASES; i++) await createKnowledgeBase(service, `Knowledge base ${i}`);
    for (const operation of REQUESTS) {
      report.progress(`${operation}: ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_SECONDS} s`);
      await fire(service, operation, { seconds: WARM_UP_SECONDS, core });
      const rounds: Round[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        rounds.push(await measureRound(service, operation, { seconds: ROUND_SECONDS, core }));
      }
      addFigures(report, operation, rounds);
    }
  });
}
