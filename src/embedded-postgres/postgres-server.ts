/** Supervises the server of a cluster: waits until it is ready, restarts it when it dies, ends it within seconds. */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../concurrency/timeout.ts';
import { type Ballast, hasLostConnection, isOutOfSpace } from './ballast.ts';
import { shutDown } from './postgres-pidfile.ts';
import { type Launch, reportedLines, startProgram } from './postgres-programs.ts';

/** How long a start retries while processes of a killed server still hold the cluster's memory. */
const retryMilliseconds = 10_000;
const retryPauseMilliseconds = 100;

/** Pauses between restarts double from the first to the last, and start over after a server that ran long enough. */
const firstPauseMilliseconds = 100;
const lastPauseMilliseconds = 5_000;
const lastingMilliseconds = 60_000;

/** PostgreSQL's messages (sysv_shmem.c, miscinit.c) while processes of a dead postmaster are still ending. */
const remains = /pre-existing shared memory block|lock file ".*" already exists/;

/**
 * `beforeStart` runs before each start and may reject. `watch` receives the process id of each server, and returns a
 * function that is called when the server has ended. `onLog` receives the server's log lines, and this module's.
 */
export type ServerOptions = {
  launch: Launch;
  postgres: string;
  args: string[];
  beforeStart(): Promise<void>;
  watch(pid: number): () => void;
  /** Given up when the server ends for lack of space; undefined: there is none. */
  ballast?: Ballast | undefined;
  onLog(line: string): void;
};

/** A supervised server. `stop` resolves when the server has ended, and never rejects. */
export type Supervised = { stop(): Promise<void> };

type Server = {
  /** Resolves when the server accepts connections; rejects with its last lines if it ends before. */
  ready: Promise<void>;
  exited: Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Whether its last lines say that the disk is full. */
  lacksSpace(): boolean;
};

/** The current or last server, and the end of its supervision. */
type Supervision = { server: Server; stopping: AbortController };

/** Starts the server and resolves when it accepts connections. @throws with its last lines if it does not start */
export async function superviseServer(options: ServerOptions): Promise<Supervised> {
  const supervision: Supervision = { server: await startFirst(options), stopping: new AbortController() };
  const ended = keepRunning(supervision, options).then(() => true);
  return {
    async stop() {
      supervision.stopping.abort();
      const down = await shutDown(
        (name) => supervision.server.signal(name),
        (milliseconds) => withTimeout(ended, milliseconds, () => false),
      );
      if (!down) options.onLog('PostgreSQL does not end, not even after SIGKILL');
    },
  };
}

const diskIsFull =
  'the disk of DATA_DIR is full: PostgreSQL cannot go on without space for its write-ahead log. Free some space.';

const connectionsEnd =
  'the disk of DATA_DIR is full: connections to PostgreSQL cannot begin without space for their ' +
  'caches. They get that ' +
  'of its ballast, to answer meanwhile. Free some space.';

/** Gives the ballast up if the server has ended for lack of space. Returns whether it can start now. */
function makeSpace(server: Server, { ballast, onLog }: ServerOptions): boolean {
  if (!server.lacksSpace()) return false;
  const hadSpace = ballast?.giveUp() ?? false;
  onLog(hadSpace ? `${diskIsFull} It gets the space of its ballast, to answer meanwhile` : diskIsFull);
  return hadSpace;
}

async function startFirst(options: ServerOptions): Promise<Server> {
  const deadline = performance.now() + retryMilliseconds;
  for (;;) {
    const server = await launchServer(options);
    try {
      await server.ready;
      return server;
    } catch (error) {
      if (makeSpace(server, options)) continue;
      if (performance.now() > deadline || !remains.test(String(error))) throw error;
      await delay(retryPauseMilliseconds);
    }
  }
}

/** Restarts the server each time it dies. Resolves when it has ended after `stop`. */
async function keepRunning(supervision: Supervision, options: ServerOptions): Promise<void> {
  const stopping = supervision.stopping.signal;
  let pauseMilliseconds = 0;
  for (;;) {
    const startedAt = performance.now();
    const reason = await supervision.server.exited;
    if (stopping.aborted) return;
    const hasSpaceNow = makeSpace(supervision.server, options);
    if (hasSpaceNow || performance.now() - startedAt > lastingMilliseconds) pauseMilliseconds = 0;
    options.onLog(`PostgreSQL ended unexpectedly (${reason}), restarting it in ${pauseMilliseconds} ms`);
    // Rejects when stop() aborts the pause.
    await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    pauseMilliseconds = Math.min(
      Math.max(2 * pauseMilliseconds, firstPauseMilliseconds),
      lastPauseMilliseconds,
    );
    supervision.server = await relaunchServer(options);
    // stop() was called meanwhile, and has signalled only the previous server.
    if (stopping.aborted) supervision.server.signal('SIGINT');
  }
}

/** Never throws: a failure to start resolves `exited`, like a server that dies. */
async function relaunchServer(options: ServerOptions): Promise<Server> {
  try {
    const server = await launchServer(options);
    server.ready.catch(() => undefined);
    return server;
  } catch (error) {
    const exited = Promise.resolve(String(error));
    const lacksSpace = () => isOutOfSpace(String(error));
    return { ready: Promise.resolve(), exited, signal: () => undefined, lacksSpace };
  }
}

async function launchServer(options: ServerOptions): Promise<Server> {
  await options.beforeStart();
  const lines: string[] = [];
  const readiness = Promise.withResolvers<void>();
  const { child, exited } = startProgram(options.launch, options.postgres, {
    args: options.args,
    // A new session: Ctrl-C signals all processes of the terminal, but requests must be drained first.
    detached: true,
    onLine(line) {
      options.onLog(line);
      if (hasLostConnection(line) && options.ballast?.giveUp()) options.onLog(connectionsEnd);
      lines.push(line);
      if (lines.length > reportedLines) lines.shift();
      if (line.includes('database system is ready to accept connections')) readiness.resolve();
    },
  });
  const endWatch = child.pid === undefined ? () => {} : options.watch(child.pid);
  const signal = (name: NodeJS.Signals) => child.kill(name);
  // The server must also end when this process ends without stop(), by process.exit or an uncaught error.
  const endWithProcess = () => signal('SIGINT');
  process.once('exit', endWithProcess);
  exited.then((reason) => {
    process.off('exit', endWithProcess);
    endWatch();
    readiness.reject(new Error(`PostgreSQL did not start (${reason}):\n${lines.join('\n')}`));
  });
  return { ready: readiness.promise, exited, signal, lacksSpace: () => lines.some(isOutOfSpace) };
}
