/**
 * The server: reads the settings, starts database, service and HTTP, and stops them in reverse order on SIGTERM. With
 * --worker it only imports files, and answers health checks where WORKER_PORT is set. With --no-worker it leaves
 * imports to workers. Only this file listens and exits.
 */
import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type { Logger } from 'pino';
import { type Config, findMistypedSettings, readConfig } from '../config/config.ts';
import { describeMistyped } from '../config/setting-names.ts';
import { explainListening } from '../http/server/listening-errors.ts';
import { drain, listen } from '../http/server/server.ts';
import { createLog } from '../telemetry/log.ts';
import { toReadableLine } from '../telemetry/readable-line.ts';
import { outliveOutput, style, toVisible } from '../terminal/terminal.ts';
import { codeOf } from '../terms/problem.ts';
import { announceServer } from './discovery/running-servers.ts';
import { greet } from './greeting.ts';
import { findDatabase, openDatabase } from './open-database.ts';
import { openService } from './open-service.ts';
import { findTooFewProcesses } from './process-limit.ts';
import { offerSignInCode } from './secrets/sign-in-code.ts';
import type { ServeOptions } from './serve-command.ts';
import { createServiceApp, createWorkerApp } from './service-app.ts';
import { warmUp } from './warm-up.ts';

/** The time for requests in progress, or waiting for a permit, at the signal. */
const DRAIN_TIMEOUT_MS = 6_000;
/** The time for requests and jobs together. Without SHUTDOWN_DELAY_SECONDS the stop takes less than ten seconds. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * Calls `stop` and exits at the first signal. Ignores further signals: under npm, Ctrl-C sends two. If a signal comes
 * before the start has ended, the exit hook of the embedded PostgreSQL stops that.
 */
function endOnSignal(log: Logger, stop: () => Promise<void>): void {
  let isEnding = false;
  const end = async (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    await stop().catch((error) => log.error({ err: error }, 'stopping failed'));
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!isEnding) end(signal);
      isEnding = true;
    });
  }
}

/**
 * Listens at the address in the settings.
 * @throws an error that names the setting to change
 */
async function listenAt(
  handle: RequestListener,
  address: { host: string; port: number; setting: 'PORT' | 'WORKER_PORT' },
): ReturnType<typeof listen> {
  try {
    return await listen(handle, address);
  } catch (error) {
    throw explainListening(error, address);
  }
}

/**
 * Starts a worker. It imports the files that any server of the same database receives.
 * @returns the function that stops it
 */
async function startWorker(config: Config, log: Logger): Promise<() => Promise<void>> {
  const { service, close } = await openService(config, { connection: findDatabase(config), log });
  const ending = new AbortController();
  const { workerPort } = config;
  const healthServer =
    workerPort === undefined
      ? undefined
      : await listenAt(await createWorkerApp(service, ending.signal), {
          host: config.host,
          port: workerPort,
          setting: 'WORKER_PORT',
        });
  const forget = healthServer
    ? await announceServer(config, {
        server: healthServer.server,
        role: 'worker',
        secret: service.proofSecret,
        log,
      })
    : async () => {};
  const health = healthServer ? `, and reports its health at ${healthServer.address}` : '';
  process.stdout.write(`The knowledge retrieval worker is ready${health}\n`);
  return async () => {
    ending.abort();
    await forget();
    await close();
    // Last: until then /livez says that the worker runs, and /readyz that it is not ready.
    if (healthServer) await drain(healthServer.server, 0);
  };
}

/** Prints the greeting. At a terminal it stands out from the log. */
function printGreeting(greeting: string): void {
  const shown = process.stdout.isTTY
    ? `\n${greeting.replace(/^.*/, (first) => style('bold', first))}Ctrl-C ends the service.\n\n`
    : greeting;
  process.stdout.write(shown);
}

/**
 * Starts the server.
 * @returns the function that stops it
 */
async function startServer(config: Config, log: Logger, runsWorkers: boolean): Promise<() => Promise<void>> {
  const { connection, close: closeDatabase } = await openDatabase(config, log);
  const {
    service,
    endWork,
    close: closeService,
  } = await openService(config, { connection, log, runsWorkers });
  const ending = new AbortController();
  const signInCode = await offerSignInCode(service.database, config);
  const app = await createServiceApp(service, ending.signal, signInCode?.redeem);
  const { host, port } = config;
  const { server, address } = await listenAt(app, { host, port, setting: 'PORT' });
  const forget = await announceServer(config, { server, role: 'server', secret: service.proofSecret, log });
  const greeting = { config, signInCode: signInCode?.code };
  printGreeting(await greet(config.baseUrl ?? address, service.database, greeting));
  warmUp().catch((error) => log.warn({ err: error }, 'warming up failed'));
  return async () => {
    ending.abort();
    await forget();
    // A balancer sends requests until its next check of /readyz. They are answered as usual.
    await delay(config.shutdownDelaySeconds * 1000);
    const beganAtMs = performance.now();
    await endWork().catch((error) => log.warn({ err: error }, 'jobs continue until the service closes'));
    service.longPolls.end();
    await drain(server, DRAIN_TIMEOUT_MS);
    await closeService(beganAtMs + STOP_TIMEOUT_MS - performance.now());
    await closeDatabase();
  };
}

/**
 * The heap may grow to twice its live objects before a full garbage collection. V8's default is four times: nearly half
 * of a server's memory was garbage.
 */
const HEAP_GROWING = '--heap-growing-percent=100';

async function start({ worker }: ServeOptions): Promise<void> {
  outliveOutput();
  setFlagsFromString(HEAP_GROWING);
  const config = readConfig();
  const log = process.stderr.isTTY
    ? createLog(config.logLevel, (line) => toVisible(toReadableLine(line)))
    : createLog(config.logLevel);
  log.info({ version: manifest.version, node: process.versions.node }, 'starting');
  for (const mistyped of findMistypedSettings()) log.warn(describeMistyped(mistyped));
  const tooFew = findTooFewProcesses();
  if (tooFew !== undefined) throw new Error(`${tooFew.problem} ${tooFew.remedy}`);
  let stop = async () => {};
  endOnSignal(log, () => stop());
  stop = worker ? await startWorker(config, log) : await startServer(config, log, worker !== false);
}

/** Errors that only a mistake of this project throws. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Codes of a process or thread that could not be started, or has ended before it took its input. */
const NOT_STARTED = ['EPIPE', 'EAGAIN', 'ENOMEM', 'ERR_WORKER_INIT_FAILED', 'ERR_WORKER_OUT_OF_MEMORY'];

/** What shells and the C library say of the same: initdb runs PostgreSQL by a shell. */
const NO_FORK = /cannot fork|fork failed|resource temporarily unavailable/i;

/** Turns an error into text for an operator: user errors print a sentence, bugs a stack. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (NOT_STARTED.includes(codeOf(error)) || NO_FORK.test(error.message))
    return (
      `A process or thread of the service could not be started (${error.message}). Let this user have more processes ` +
      '(ulimit -u, or pids of the container; a server takes about a hundred) or more memory.'
    );
  const isOurs = FAULTS.some((fault) => error instanceof fault);
  return (isOurs && error.stack) || error.message;
}

/** Runs the server until a signal ends the process. A failed start ends it with a sentence; exit code 1. */
export async function run(options: ServeOptions): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}
