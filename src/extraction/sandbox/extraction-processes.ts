/** The processes that extract files: how they start, which one a file gets, and when each ends. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentType } from '../../../generated/types.gen.ts';
import { MACHINE_MEMORY, MACHINE_MEMORY_ARGUMENT } from '../../config/machine-memory.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import { isPlainByName } from '../detect-type.ts';
import type { Extraction } from '../extract.ts';
import { PLAIN_FORMATS } from '../extraction-limits.ts';
import type { FileToExtract } from '../reader-context.ts';
import type { LanguageData } from '../recognition/ocr-languages.ts';
import type { RecognisedPages } from '../recognition/recognition.ts';
import type { FileHead } from './extraction-process.ts';
import { findExtractionProgram } from './extraction-program.ts';
import { receiveResult } from './extraction-result.ts';
import { findSandbox, NODE_COMMAND } from './extraction-sandbox.ts';
import { memoryOf } from './extraction-watchdog.ts';

/** Processes that were idle for this long end. Another account's files never get them. */
const SPARE_MAX_IDLE_MS = 60_000;
const KEPT_MAX_IDLE_MS = 5_000;

/**
 * What one process reads before it ends, so that nothing can add up in it: files, their bytes, and its seconds of work.
 * A process takes 65 ms of a processor to start, and the file after that 5; the next ones take 1.
 */
const KEPT_MAX_FILES = 500;
const KEPT_MAX_BYTES = 32 * 2 ** 20;
const KEPT_MAX_WORK_MS = 60_000;
/** Bytes of the largest file after which a process reads another one. */
const KEPT_MAX_FILE_BYTES = 2 ** 20;
/** A process with more memory than this after a file reads no other. A new one has 70 MiB. */
const KEPT_MAX_MEMORY = 192 * 2 ** 20;

/** A process, and what it has read so far. `accountId`: whose files; undefined: none yet. */
export type ExtractionProcess = {
  readonly child: ChildProcessWithoutNullStreams;
  accountId: string | undefined;
  files: number;
  bytes: number;
  workMs: number;
};

/** Whether the process may read one more file of its account. */
const mayReadMore = ({ child, files, bytes, workMs }: ExtractionProcess): boolean =>
  !child.killed &&
  files < KEPT_MAX_FILES &&
  bytes < KEPT_MAX_BYTES &&
  workMs < KEPT_MAX_WORK_MS &&
  (memoryOf(child.pid ?? 0) ?? 0) < KEPT_MAX_MEMORY;

type Options = {
  /** Another program, for tests. */
  program: string | undefined;
  /** Called once with the bounds that this system does not allow. */
  onLacks(lacks: string[]): void;
  /** Processes that start ahead of their file. */
  spareCount: number;
  /** Processes that wait for further files, of all accounts together. */
  keptMost: number;
};

export type ExtractionProcesses = ReturnType<typeof createExtractionProcesses>;

/** Creates the function that finds out how processes start, once for all of them. */
function createPrepare({ program: given, onLacks }: Pick<Options, 'program' | 'onLacks'>) {
  let command: string[] = [];
  let preparing: Promise<void> | undefined;
  const prepare = async () => {
    const program = given ?? (await findExtractionProgram());
    const sandbox = await findSandbox(program);
    command = sandbox.command([...NODE_COMMAND, program, `${MACHINE_MEMORY_ARGUMENT}${MACHINE_MEMORY}`]);
    if (sandbox.lacks.length > 0) onLacks(sandbox.lacks);
  };
  return {
    command: () => command,
    prepare: (): Promise<void> => {
      preparing ??= prepare().catch((error) => {
        preparing = undefined;
        throw error;
      });
      return preparing;
    },
  };
}

/** Processes that start ahead of their files. `start`: starts one. */
function createSpares(
  spareCount: number,
  start: (onEnd: (process: ExtractionProcess) => void) => ExtractionProcess,
) {
  const spares = new Set<ExtractionProcess>();
  let idle: NodeJS.Timeout | undefined;
  const startOne = () => start((process) => spares.delete(process));
  const startSpares = () => {
    try {
      while (spares.size < spareCount) spares.add(startOne());
    } catch {
      // Without memory for a process, spawn throws. The next file tries again.
    }
  };
  const endSpares = () => {
    const idlers = [...spares];
    spares.clear(); // at once: they take a while to end, and must get no file
    for (const { child } of idlers) child.kill('SIGKILL');
  };
  return {
    take(): ExtractionProcess {
      const [oldest] = spares;
      if (oldest) spares.delete(oldest);
      const taken = oldest ?? startOne();
      startSpares();
      clearTimeout(idle);
      idle = setTimeout(endSpares, SPARE_MAX_IDLE_MS).unref();
      return taken;
    },
    close: () => clearTimeout(idle),
  };
}

/** Processes that wait for the next file of their account: at most `keptMost`, the oldest ends first. */
function createKept(keptMost: number) {
  /** With what ends each: they wait for files of their accounts. */
  const kept = new Map<ExtractionProcess, { leave(): void }>();
  return {
    leave: (process: ExtractionProcess) => kept.get(process)?.leave(),
    take(accountId: string): ExtractionProcess | undefined {
      const found = kept.keys().find((process) => process.accountId === accountId);
      if (found) kept.get(found)?.leave();
      return found;
    },
    /** Lets a process wait. Until it gets its next file it has nothing to say: if it does, it ends. */
    keep(process: ExtractionProcess): void {
      const { child } = process;
      const end = () => {
        leave();
        child.kill('SIGKILL');
      };
      const timer = setTimeout(end, KEPT_MAX_IDLE_MS).unref();
      const leave = () => {
        kept.delete(process);
        clearTimeout(timer);
        child.stdout.off('data', end);
      };
      child.stdout.on('data', end);
      kept.set(process, { leave });
      const [oldest] = kept.keys();
      if (kept.size > keptMost && oldest) {
        kept.get(oldest)?.leave();
        oldest.child.kill('SIGKILL');
      }
    },
  };
}

/** A process that has read nothing yet. */
const newProcess = (command: string[]): ExtractionProcess => ({
  child: startProcess(command),
  accountId: undefined,
  files: 0,
  bytes: 0,
  workMs: 0,
});

function onceEnded(child: ChildProcessWithoutNullStreams, act: () => void): void {
  child.once('exit', act).on('error', act);
  // If it ends before it has read everything, its exit explains why.
  child.stdin.on('error', () => {});
}

/**
 * The processes of a server. When one is taken, the next ones start, so that successive files do not wait for them. A
 * process that has read a plain file waits for the next plain one of the same account; any other file ends its process.
 */
export function createExtractionProcesses({ spareCount, keptMost, ...options }: Options) {
  const alive = new Set<ChildProcessWithoutNullStreams>();
  const kept = createKept(keptMost);
  const { command, prepare } = createPrepare(options);
  let isClosed = false;
  const start = (onEnd: (process: ExtractionProcess) => void): ExtractionProcess => {
    const started = newProcess(command());
    const { child } = started;
    alive.add(child);
    onceEnded(child, () => {
      alive.delete(child);
      kept.leave(started);
      onEnd(started);
    });
    return started;
  };
  const spares = createSpares(spareCount, start);
  return {
    /** Call it before the first process is taken. */
    prepare,
    /** A process for a file of an account: never one that has read files of another account. */
    take(accountId: string, fileName: string): ExtractionProcess {
      if (isClosed) throw new Error('the server is closing and extracts no more files');
      // A file that is something else than its name says still ends its process, once its type is known.
      const taken = (isPlainByName(fileName) ? kept.take(accountId) : undefined) ?? spares.take();
      taken.accountId = accountId;
      return taken;
    },
    /** Takes back a process that is alive after a file. */
    giveBack(process: ExtractionProcess): void {
      if (!isClosed && alive.has(process.child) && mayReadMore(process)) kept.keep(process);
      else process.child.kill('SIGKILL');
    },
    close() {
      isClosed = true;
      spares.close();
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

/** How a file is read. `languages`: of the text in pictures; empty: they are not read. */
type Reading = {
  maxMsFor(type: DocumentType, bytes: number): number;
  onSent(): void;
  languages?: readonly LanguageData[];
  onPages?: (pages: RecognisedPages) => void;
};

/**
 * Extracts a file in this process. `onSent`: called when the process has all bytes, which are released. `isAlive`:
 * whether the process may read another file.
 */
export async function extractIn(
  process: ExtractionProcess,
  file: FileToExtract,
  { maxMsFor, onSent, languages = [], onPages = () => {} }: Reading,
): Promise<{ extraction: Extraction<PackedText>; isAlive: boolean }> {
  const { child } = process;
  if (child.pid === undefined) await once(child, 'spawn'); // rejects with the reason: nothing was started
  const startedAtMs = performance.now();
  const size = file.bytes.byteLength;
  const number = ++process.files;
  process.bytes += size;
  sendFile(child, { number, languages }, file).then(onSent);
  const received = await receiveResult(child, {
    number,
    maxMsFor: (type) => maxMsFor(type, size),
    onPages,
    endsAfter: (type) => size > KEPT_MAX_FILE_BYTES || !PLAIN_FORMATS.has(type),
  });
  process.workMs += performance.now() - startedAtMs;
  return received;
}

/** The process has its own process group: Ctrl-C reaches only the server, which lets extractions end. */
const startProcess = ([name = '', ...args]: string[]): ChildProcessWithoutNullStreams =>
  spawn(name, args, { env: {}, stdio: 'pipe', detached: true });

/** Resolves once the process has taken everything or has ended. Then the bytes are released. */
async function sendFile(
  { stdin }: ChildProcessWithoutNullStreams,
  { number, languages }: Pick<FileHead, 'number' | 'languages'>,
  file: FileToExtract,
): Promise<void> {
  const { fileName, bytes, charset } = file;
  const head: FileHead = { number, fileName, sizeBytes: bytes.byteLength, charset, languages };
  stdin.write(`${JSON.stringify(head)}\n`);
  await new Promise((resolve) => stdin.write(bytes, resolve));
  file.bytes = new Uint8Array();
}
