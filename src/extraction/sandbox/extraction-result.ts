/** Takes what the process of a file hands back, within bounds of time and size. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { DocumentType } from '../../../generated/types.gen.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { RESULT_HEAD_MAX, RESULT_MAX } from '../extraction-limits.ts';
import type { ResultHead } from './extraction-process.ts';
import { watchMemory } from './extraction-watchdog.ts';

/** The last of standard error that is kept, to tell why a process ended. */
const COMPLAINT_MAX_LENGTH = 4_000;

/** How V8 and the C++ library say that memory ran out. */
const OUT_OF_MEMORY = /out of memory|allocation failed|failed to allocate|bad_alloc/i;
const TOO_MUCH_MEMORY = 'Reading the file takes more memory than the service gives to one.';

/**
 * The result of a process, which is dead then, whether it wanted to or not. `maxMsFor` tells how long it may take, from
 * now on, for a file of a type.
 * @throws Error when it ended without one and not for a limit, or handed back something else: then the reader has
 * a fault
 */
export async function receiveResult(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
  maxMsFor: (type: DocumentType) => number,
): Promise<Extraction<PackedText>> {
  const complaint = lastOf(child.stderr);
  const result = collectResult((type) => deadline.set(maxMsFor(type)));
  let exceeded: string | undefined;
  let fault: unknown;
  const end = (reason?: string) => {
    exceeded ??= reason;
    child.kill('SIGKILL');
  };
  const deadline = startDeadline(maxMsFor('unknown'), end);
  const endWatch = watchMemory(child.pid ?? 0, () => end(TOO_MUCH_MEMORY));
  child.stdout.on('data', (piece: Buffer) => {
    try {
      result.add(piece);
    } catch (error) {
      fault ??= error;
    }
    if (fault || result.isWhole()) end();
    else if (result.isTooLong()) end('The text of the file is larger than the service takes.');
  });
  const [code, signal] = await once(child, 'close').finally(() => {
    deadline.clear();
    endWatch();
  });
  if (fault) throw new Error('what reading hands back is no result', { cause: fault });
  if (result.isWhole()) return result.extraction();
  if (exceeded === undefined && OUT_OF_MEMORY.test(complaint())) exceeded = TOO_MUCH_MEMORY;
  if (exceeded === undefined) throw new Error(`reading ended with ${signal ?? code}: ${complaint()}`);
  return { type: 'unknown', failure: { code: 'FILE_TOO_COMPLEX', message: exceeded } };
}

/** Calls `end` after `maxMs`; `set` says anew how long it is, from the start on. */
function startDeadline(maxMs: number, end: (reason: string) => void) {
  const startedAtMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const set = (ms: number) => {
    const reason = `Reading the file takes longer than ${Math.round(ms / 1000)} seconds.`;
    clearTimeout(timer);
    timer = setTimeout(end, startedAtMs + ms - performance.now(), reason);
  };
  set(maxMs);
  return { set, clear: () => clearTimeout(timer) };
}

/** Keeps the end of what a stream brings. */
function lastOf(stream: Readable): () => string {
  let last = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    last = (last + piece).slice(-COMPLAINT_MAX_LENGTH);
  });
  return () => last;
}

/**
 * Puts a result together: first the file's type and the head (lines), then, in memory of the announced size, the packed
 * text. `add` throws for what is no result.
 */
function collectResult(onType: (type: DocumentType) => void) {
  let line = Buffer.alloc(0);
  let isTypeKnown = false;
  let head: ResultHead | undefined;
  let text = Buffer.alloc(0);
  let received = 0;
  const addText = (piece: Buffer) => {
    if (received + piece.length <= text.length) piece.copy(text, received);
    received += piece.length;
  };
  const add = (piece: Buffer): void => {
    if (head) {
      addText(piece);
      return;
    }
    line = Buffer.concat([line, piece]);
    const newline = line.indexOf('\n');
    if (newline < 0) return;
    const [told, rest] = [JSON.parse(line.toString('utf8', 0, newline)), line.subarray(newline + 1)];
    if (typeof told === 'string' && !isTypeKnown) {
      isTypeKnown = true;
      onType(told as DocumentType); // of something else than extraction-process.ts none that is known
      line = Buffer.alloc(0);
      add(rest);
      return;
    }
    head = checkHead(told);
    if (head.textBytes <= RESULT_MAX) text = Buffer.allocUnsafeSlow(head.textBytes);
    addText(rest);
  };
  return {
    add,
    isWhole: () => head !== undefined && received === head.textBytes,
    isTooLong: () => (head ? Math.max(head.textBytes, received) > RESULT_MAX : line.length > RESULT_HEAD_MAX),
    extraction(): Extraction<PackedText> {
      const { extraction } = head as ResultHead; // isWhole
      return 'failure' in extraction ? extraction : { ...extraction, extracted: text };
    },
  };
}

/** `told` is a head unless something else than extraction-process.ts wrote it. */
function checkHead(told: ResultHead): ResultHead {
  if (!Number.isSafeInteger(told.textBytes) || told.textBytes < 0)
    throw new TypeError('the head of the result announces no size');
  return told;
}
