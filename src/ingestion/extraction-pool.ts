/** Reads the text of uploaded files, each in a process of its own that is bounded, niced, and killed at its end. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { PackedText } from '../retrieval/extracted-text.ts';
import type { Extraction, UploadedFile } from './extract.ts';
import { HEAP_MAX, MEMORY_MAX, READING_MAX_MS, RESERVED_MEMORY_MAX } from './extraction-limits.ts';
import { receiveResult } from './extraction-result.ts';

/** A file whose bytes are fetched once it is its turn: those that wait take no memory. */
export type StoredFile = { fileName: string; readBytes: () => Promise<Uint8Array> };

/**
 * Never throws for what is wrong with the file: that comes back as a failure with its reason.
 * @throws what `readBytes` throws, our own faults, and when `signal` aborts, which kills the process
 */
export type ExtractFile = (file: StoredFile, signal?: AbortSignal) => Promise<Extraction<PackedText>>;

export type ExtractionPool = { extract: ExtractFile; close(): void };

/** A spare process that had nothing to do for this long ends. */
const SPARE_MAX_IDLE_MS = 60_000;

/**
 * One processor stays free for the server, and half of the memory: not one file after another may take all of it.
 * Where a container is given less memory than the machine has, that counts.
 */
const PROCESSES_MAX = Math.max(
  1,
  Math.min(
    availableParallelism() - 1,
    Math.floor(Math.min(process.constrainedMemory() || totalmem(), totalmem()) / 2 / MEMORY_MAX),
  ),
);

/**
 * Starts no process yet. The options are for tests.
 * `close` kills what runs; its job is tried again by the next server.
 */
export function createExtractionPool({
  readingMaxMs = READING_MAX_MS,
  program = PROGRAM,
} = {}): ExtractionPool {
  const processes = createProcesses(program);
  const turns = createTurns(PROCESSES_MAX);
  return {
    async extract({ fileName, readBytes }, signal) {
      await turns.take();
      try {
        const bytes = await readBytes();
        signal?.throwIfAborted();
        const child = processes.take();
        if (child.pid === undefined) await once(child, 'spawn'); // rejects with the reason: nothing was started
        signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
        sendFile(child, { fileName, bytes });
        return await receiveResult(child, readingMaxMs);
      } finally {
        turns.pass();
      }
    },
    close: processes.kill,
  };
}

/**
 * Processes, each to be used once. When one is taken, the next is started, so that files that follow each other do
 * not wait for it: a start takes 150 ms, a small file 5.
 */
function createProcesses(program: string) {
  const alive = new Set<ChildProcessWithoutNullStreams>();
  let spare: ChildProcessWithoutNullStreams | undefined;
  let idle: NodeJS.Timeout | undefined;
  const start = () => {
    const child = startProcess(program);
    const forget = () => {
      alive.delete(child);
      if (spare === child) spare = undefined;
    };
    alive.add(child);
    // Where none could be started, 'close' may never come.
    child.once('close', forget).on('error', forget);
    return child;
  };
  const startSpare = () => {
    try {
      spare = start();
    } catch {
      spare = undefined; // without memory for a process, spawn throws; the next file tries again
    }
  };
  const endSpare = () => {
    const idler = spare;
    spare = undefined; // at once: it takes a while to end, and must get no file
    idler?.kill('SIGKILL');
  };
  return {
    take() {
      const child = spare ?? start();
      startSpare();
      clearTimeout(idle);
      idle = setTimeout(endSpare, SPARE_MAX_IDLE_MS).unref();
      return child;
    },
    kill() {
      clearTimeout(idle);
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

/** Lets at most `max` have a turn at the same time; others wait, first come, first served. */
function createTurns(max: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async take(): Promise<void> {
      if (taken < max) taken++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    pass(): void {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    },
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./extraction-process.ts', import.meta.url));

/**
 * The process may read the program's files and nothing else, write none, and start no process (Node's permission
 * model); its environment is empty. Its own thread is the watchdog.
 */
const NODE_FLAGS = [
  `--max-old-space-size=${HEAP_MAX / 2 ** 20}`,
  '--permission',
  ...['src', 'generated', 'node_modules', 'package.json'].map((name) => `--allow-fs-read=${root}${name}`),
  '--allow-worker',
  '--disable-warning=SecurityWarning',
];

/**
 * What no flag of Node's does: the kernel's bound on memory, in kilobytes (`ulimit -d`), no core dumps, and, for
 * all threads, a tenth of the server's claim on a processor. Not less: a busy server would let every file run out of time.
 */
const BOUNDED_START = 'ulimit -c 0; ulimit -d "$1"; shift; exec nice -n 10 "$@"';

/** In a process group of its own: Ctrl-C is the server's, which lets files be read to their end. */
function startProcess(program: string): ChildProcessWithoutNullStreams {
  const command = [process.execPath, ...NODE_FLAGS, program, String(process.pid)];
  const [name = '', ...args] =
    process.platform === 'win32'
      ? command
      : ['/bin/sh', '-c', BOUNDED_START, 'sh', String(RESERVED_MEMORY_MAX / 2 ** 10), ...command];
  return spawn(name, args, { env: {}, stdio: 'pipe', detached: true });
}

function sendFile({ stdin }: ChildProcessWithoutNullStreams, { fileName, bytes }: UploadedFile): void {
  // A process that ends before it has read everything tells why by its end.
  stdin.on('error', () => {});
  stdin.write(`${JSON.stringify(fileName)}\n`);
  stdin.end(bytes);
}
