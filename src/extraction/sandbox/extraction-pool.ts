/**
 * Extracts the text of uploaded files, each in its own process, which has limits, low priority, and is killed at its
 * end.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { onlyOnce } from '../../concurrency/only-once.ts';
import { MACHINE_MEMORY } from '../../config/machine-memory.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { extractionMaxMsFor, HEAP_MAX, MEMORY_MAX } from '../extraction-limits.ts';
import type { UploadedFile } from '../reader-context.ts';
import { findExtractionProgram } from './extraction-program.ts';
import { receiveResult } from './extraction-result.ts';
import { findSandbox } from './extraction-sandbox.ts';

/** An account's file. Its bytes are fetched shortly before its turn, so that waiting files take no memory. */
export type StoredFile = { accountId: string; fileName: string; readBytes: () => Promise<Uint8Array> };

/**
 * Returns errors of the file as failures with a reason.
 * @throws what `readBytes` throws, our own faults, and when `signal` aborts, which kills the process
 */
export type ExtractFile = (file: StoredFile, signal?: AbortSignal) => Promise<Extraction<PackedText>>;

export type ExtractionPool = { extract: ExtractFile; close(): void };

/** Spare processes that were idle for this long end. */
const SPARE_MAX_IDLE_MS = 60_000;

/** One processor stays free for the server. Half of the memory bounds the number of processes. */
const MEMORY_FOR = Math.floor(MACHINE_MEMORY / 2 / MEMORY_MAX);
const PROCESSES_MAX = Math.max(1, Math.min(availableParallelism() - 1, MEMORY_FOR));

/**
 * Additional processes for accounts that have no other file in extraction.
 * A file may take its process for two minutes, and files of other accounts would wait for that.
 * They share the processors. Where there is no memory for them, the files wait.
 */
const VISITING_PROCESSES_MAX = Math.max(0, Math.min(2, MEMORY_FOR - PROCESSES_MAX));

/** One spare starts while another is ready: successive starts would limit the rate of small files. */
const SPARES = Math.max(1, Math.min(2, MEMORY_FOR));

type Options = {
  maxMsFor?: typeof extractionMaxMsFor;
  program?: string;
  tell?: (lacks: string[]) => void;
};

/**
 * Starts no process yet. With the first file it calls `tell` with the bounds that this system does not allow.
 * The other options are for tests. `close` kills running processes; the next server retries their jobs.
 */
export function createExtractionPool({
  maxMsFor = extractionMaxMsFor,
  program,
  tell = () => {},
}: Options = {}): ExtractionPool {
  const processes = createProcesses(program, tell);
  const turns = createFairSemaphore(PROCESSES_MAX, undefined, VISITING_PROCESSES_MAX);
  // A slow store does not keep other files from the processes, nor one account's files those of another account.
  const fetches = createFairSemaphore(PROCESSES_MAX, undefined, 1);
  const read = async (file: UploadedFile, onSent: () => void, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    const child = processes.take();
    if (child.pid === undefined) await once(child, 'spawn'); // rejects with the reason: nothing was started
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    const size = file.bytes.byteLength;
    sendFile(child, file).then(onSent);
    return await receiveResult(child, (type) => maxMsFor(type, size));
  };
  return {
    async extract({ accountId, fileName, readBytes }, signal) {
      const wait = signal && { signal };
      await processes.prepare();
      await fetches.acquire(accountId, wait);
      const leaveFetches = onlyOnce(() => fetches.release(accountId));
      try {
        const file = { fileName, bytes: await readBytes() };
        await turns.acquire(accountId, wait);
        return await read(file, leaveFetches, signal).finally(() => turns.release(accountId));
      } finally {
        leaveFetches();
      }
    },
    close: processes.close,
  };
}

/**
 * Processes for one use each. When one is taken, the next ones start, so that successive files do not wait for them:
 * a start takes 65 ms of a processor, a small file 5.
 */
function createProcesses(givenProgram: string | undefined, tell: (lacks: string[]) => void) {
  const alive = new Set<ChildProcessWithoutNullStreams>();
  let command: string[] = [];
  let preparing: Promise<void> | undefined;
  const spares = new Set<ChildProcessWithoutNullStreams>();
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  const prepare = async () => {
    const program = givenProgram ?? (await findExtractionProgram());
    const sandbox = await findSandbox(program);
    command = sandbox.command([...COMMAND, program]);
    if (sandbox.lacks.length > 0) tell(sandbox.lacks);
  };
  const start = () => {
    const child = startProcess(command);
    const forget = () => {
      alive.delete(child);
      spares.delete(child);
    };
    alive.add(child);
    // If the process could not be started, 'close' may never come.
    child.once('close', forget).on('error', forget);
    return child;
  };
  const startSpares = () => {
    try {
      while (spares.size < SPARES) spares.add(start());
    } catch {
      // Without memory for a process, spawn throws. The next file tries again.
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
    /** Call it before the first process is taken. */
    prepare: (): Promise<void> => {
      preparing ??= prepare().catch((error) => {
        preparing = undefined;
        throw error;
      });
      return preparing;
    },
    take() {
      if (isClosed) throw new Error('the server is closing and extracts no more files');
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
    },
  };
}

const PRELOADED = fileURLToPath(new URL('./extraction-preload.cjs', import.meta.url));

/** `src/` in the checkout, `dist/src/` in the package. */
const code = fileURLToPath(new URL('../../', import.meta.url));
const manifest = createRequire(import.meta.url).resolve('knowledge-retrieval/package.json');
const root = dirname(manifest);

/** The outermost `node_modules`: npm installs dependencies within the package, or beside it. */
const [modules] = /^.*?[\\/]node_modules[\\/]/.exec(root) ?? [join(root, 'node_modules')];

/**
 * Node's permission model limits the process: it may read the program's files only, and write none.
 * It may start neither processes nor threads, nor make code from strings. Its environment is empty.
 * The operating system's limits are in extraction-sandbox.ts.
 */
const COMMAND = [
  process.execPath,
  `--max-old-space-size=${Math.floor(HEAP_MAX / 2 ** 20)}`,
  '--permission',
  ...[code, modules, manifest].map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  // SQLite opens any file, whatever the permission model allows.
  '--no-experimental-sqlite',
  `--require=${PRELOADED}`,
];

/** The process has its own process group: Ctrl-C reaches only the server, which lets extractions end. */
const startProcess = ([name = '', ...args]: string[]): ChildProcessWithoutNullStreams =>
  spawn(name, args, { env: {}, stdio: 'pipe', detached: true });

/** Resolves once the process has taken everything or has ended. Then the bytes are released. */
async function sendFile({ stdin }: ChildProcessWithoutNullStreams, file: UploadedFile): Promise<void> {
  stdin.write(`${JSON.stringify(file.fileName)}\n`);
  stdin.end(file.bytes);
  // If a process ends before it has read everything, its exit explains why.
  await finished(stdin).catch(() => {});
  file.bytes = new Uint8Array();
}
