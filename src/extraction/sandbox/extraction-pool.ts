/** Reads the text of uploaded files, each in a process of its own that is bounded, niced, and killed at its end. */
import { type ChildProcessWithoutNullStreams, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { onlyOnce } from '../../concurrency/only-once.ts';
import { createShares } from '../../concurrency/shares.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction, UploadedFile } from '../extract.ts';
import { HEAP_MAX, MACHINE_MEMORY, MEMORY_MAX, readingMaxMsFor } from '../extraction-limits.ts';
import { openModules } from './extraction-modules.ts';
import { receiveResult } from './extraction-result.ts';
import { findSandbox, type Sandbox } from './extraction-sandbox.ts';

/** An account's file, whose bytes are fetched shortly before it is its turn: those that wait longer take no memory. */
export type StoredFile = { accountId: string; fileName: string; readBytes: () => Promise<Uint8Array> };

/**
 * Never throws for what is wrong with the file: that comes back as a failure with its reason.
 * @throws what `readBytes` throws, our own faults, and when `signal` aborts, which kills the process
 */
export type ExtractFile = (file: StoredFile, signal?: AbortSignal) => Promise<Extraction<PackedText>>;

export type ExtractionPool = { extract: ExtractFile; close(): void };

/** Spare processes that had nothing to do for this long end. */
const SPARE_MAX_IDLE_MS = 60_000;

/**
 * One processor stays free for the server, and half of the memory: not one file after another may take all of it.
 */
const MEMORY_FOR = Math.floor(MACHINE_MEMORY / 2 / MEMORY_MAX);
const PROCESSES_MAX = Math.max(1, Math.min(availableParallelism() - 1, MEMORY_FOR));

/**
 * Processes beside those, for accounts of which no file is being read: a file may take its process for two minutes, and
 * who comes meanwhile would wait for that. They share the processors; where there is no memory for them, he waits.
 */
const VISITING_PROCESSES_MAX = Math.max(0, Math.min(2, MEMORY_FOR - PROCESSES_MAX));

/** One is starting while another is ready: starts one after the other would be what bounds small files. */
const SPARES = Math.max(1, Math.min(2, MEMORY_FOR));

/**
 * Starts no process yet. `tell` hears, with the first file, which bounds this system does not allow; the other options
 * are for tests.
 * `close` kills what runs; its job is tried again by the next server.
 */
export function createExtractionPool({
  readingMaxMs = readingMaxMsFor,
  program = PROGRAM,
  tell = (_lacks: string[]): void => {},
} = {}): ExtractionPool {
  const processes = createProcesses(program, tell);
  const turns = createShares(PROCESSES_MAX, undefined, VISITING_PROCESSES_MAX);
  // A slow store keeps nobody else from the processes, and one account's files not those of another one.
  const fetches = createShares(PROCESSES_MAX, undefined, 1);
  const read = async (file: UploadedFile, onSent: () => void, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    const child = processes.take();
    if (child.pid === undefined) await once(child, 'spawn'); // rejects with the reason: nothing was started
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    const size = file.bytes.byteLength;
    sendFile(child, file).then(onSent);
    return await receiveResult(child, (type) => readingMaxMs(type, size));
  };
  return {
    async extract({ accountId, fileName, readBytes }, signal) {
      const wait = signal && { signal };
      await processes.prepare();
      await fetches.take(accountId, wait);
      const leaveFetches = onlyOnce(() => fetches.leave(accountId));
      try {
        const file = { fileName, bytes: await readBytes() };
        await turns.take(accountId, wait);
        return await read(file, leaveFetches, signal).finally(() => turns.leave(accountId));
      } finally {
        leaveFetches();
      }
    },
    close: processes.close,
  };
}

/**
 * Processes, each to be used once. When one is taken, the next are started, so that files that follow each other do
 * not wait for them: a start takes 65 ms of a processor, a small file 5.
 */
function createProcesses(program: string, tell: (lacks: string[]) => void) {
  const alive = new Set<ChildProcessWithoutNullStreams>();
  /** Undefined also where they could not be prepared: each process strips its modules itself then. */
  let modules: number | undefined;
  let sandbox: Sandbox | undefined;
  let preparing: Promise<unknown> | undefined;
  const spares = new Set<ChildProcessWithoutNullStreams>();
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  const start = () => {
    const child = startProcess(sandbox?.command([...COMMAND, program]) ?? [], modules);
    const forget = () => {
      alive.delete(child);
      spares.delete(child);
    };
    alive.add(child);
    // Where none could be started, 'close' may never come.
    child.once('close', forget).on('error', forget);
    return child;
  };
  const startSpares = () => {
    try {
      while (spares.size < SPARES) spares.add(start());
    } catch {
      // Without memory for a process, spawn throws; the next file tries again.
    }
  };
  const endSpares = () => {
    const idlers = [...spares];
    spares.clear(); // at once: they take a while to end, and must get no file
    for (const idler of idlers) idler.kill('SIGKILL');
  };
  const takeSpare = (): ChildProcessWithoutNullStreams | undefined => {
    const [oldest] = spares;
    if (oldest) spares.delete(oldest);
    return oldest;
  };
  return {
    /** Before the first process is taken. */
    prepare: (): Promise<unknown> => {
      preparing ??= Promise.all([
        openModules().then(
          (opened) => {
            modules = opened;
          },
          () => {},
        ),
        findSandbox(program).then((found) => {
          sandbox = found;
          if (found.lacks.length > 0) tell(found.lacks);
        }),
      ]).catch((error) => {
        preparing = undefined;
        throw error;
      });
      return preparing;
    },
    take() {
      if (isClosed) throw new Error('the server closes, and reads no more files');
      const child = takeSpare() ?? start();
      startSpares();
      clearTimeout(idle);
      idle = setTimeout(endSpares, SPARE_MAX_IDLE_MS).unref();
      return child;
    },
    close() {
      isClosed = true;
      clearTimeout(idle);
      for (const child of alive) child.kill('SIGKILL');
      preparing?.then(() => modules && closeSync(modules));
    },
  };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./extraction-process.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('./extraction-loader.cjs', import.meta.url));

/**
 * The process may read the program's files and nothing else, write none, start neither processes nor threads (Node's
 * permission model), and make no code of strings; its environment is empty. The rest is the operating system's: see
 * extraction-sandbox.ts.
 */
const COMMAND = [
  process.execPath,
  `--max-old-space-size=${Math.floor(HEAP_MAX / 2 ** 20)}`,
  '--permission',
  ...['src', 'generated', 'node_modules', 'package.json'].map((name) => `--allow-fs-read=${root}${name}`),
  '--disallow-code-generation-from-strings',
  // It opens any file, whatever the permission model says.
  '--no-experimental-sqlite',
  `--require=${LOADER}`,
];

/**
 * In a process group of its own: Ctrl-C is the server's, which lets files be read to their end. `modules` is what
 * `openModules` gave; with undefined the loader finds an empty file.
 */
function startProcess(
  [name = '', ...args]: string[],
  modules: number | undefined,
): ChildProcessWithoutNullStreams {
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', modules ?? 'ignore'];
  // The first three are pipes, which the types do not see in a list of four.
  return spawn(name, args, { env: {}, stdio, detached: true }) as ChildProcessWithoutNullStreams;
}

/** Resolves once the process has taken everything, or has ended; the bytes are forgotten then. */
async function sendFile({ stdin }: ChildProcessWithoutNullStreams, file: UploadedFile): Promise<void> {
  stdin.write(`${JSON.stringify(file.fileName)}\n`);
  stdin.end(file.bytes);
  // A process that ends before it has read everything tells why by its end.
  await finished(stdin).catch(() => {});
  file.bytes = new Uint8Array();
}
