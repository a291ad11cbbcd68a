/** Receives the result of an extraction process, within limits of time and size. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { DocumentType } from '../../../generated/types.gen.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { TOO_MUCH_MEMORY } from '../extraction-error.ts';
import { RESULT_HEAD_MAX, RESULT_MAX } from '../extraction-limits.ts';
import type { ResultHead } from './extraction-process.ts';
import { watchMemory } from './extraction-watchdog.ts';

/** The last characters of standard error that are kept. They explain why a process ended. */
const STDERR_MAX_LENGTH = 4_000;

/** Messages of V8 and the C++ library for exhausted memory. */
const OUT_OF_MEMORY = /out of memory|allocation failed|failed to allocate|bad_alloc/i;

/**
 * The result of a process. The process is always dead afterwards.
 * `maxMsFor` returns the time limit, from now on, for a file of a type.
 * @throws Error when the process ended without a result and no limit is the cause, or its result is invalid: a bug
 */
export async function receiveResult(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
  maxMsFor: (type: DocumentType) => number,
): Promise<Extraction<PackedText>> {
  const lastErrors = lastOf(child.stderr);
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
    else if (result.isTooLong()) end("The file's text is larger than the service accepts.");
  });
  const [code, signal] = await once(child, 'close').finally(() => {
    deadline.clear();
    endWatch();
  });
  if (fault) throw new Error('the extraction process returned an invalid result', { cause: fault });
  if (result.isWhole()) return result.extraction();
  if (exceeded === undefined && OUT_OF_MEMORY.test(lastErrors())) exceeded = TOO_MUCH_MEMORY;
  if (exceeded === undefined)
    throw new Error(`the extraction process ended with ${signal ?? code}: ${lastErrors()}`);
  return { type: 'unknown', failure: { code: 'FILE_TOO_COMPLEX', message: exceeded } };
}

/** The deadline's clock ticks at this interval, and counts no interval for more than two. */
const TICK_MS = 1_000;

/**
 * Calls `end` after `maxMs`. `set` changes that limit, counted from the start. Time during which this process itself did
 * not run does not count, since the extraction may have ended meanwhile: while the server was paused, another worker has
 * taken over the import, and the document must not fail by this one.
 */
export function startDeadline(maxMs: number, end: (reason: string) => void) {
  let [limitMs, spentMs, tickedAtMs] = [maxMs, 0, performance.now()];
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(tick, Math.min(TICK_MS, limitMs - spentMs));
  };
  const tick = () => {
    const nowMs = performance.now();
    spentMs += Math.min(nowMs - tickedAtMs, 2 * TICK_MS);
    tickedAtMs = nowMs;
    if (spentMs < limitMs) wait();
    else end(`Extracting the file's text took longer than ${Math.round(limitMs / 1000)} seconds.`);
  };
  wait();
  const set = (ms: number) => {
    limitMs = ms;
    wait();
  };
  return { set, clear: () => clearTimeout(timer) };
}

/** Keeps the last output of a stream. */
function lastOf(stream: Readable): () => string {
  let last = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    last = (last + piece).slice(-STDERR_MAX_LENGTH);
  });
  return () => last;
}

/**
 * Assembles a result: first the file's type and the head (lines), then the packed text, in memory of the announced
 * size.
 * `add` throws for an invalid result.
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
    const [message, rest] = [JSON.parse(line.toString('utf8', 0, newline)), line.subarray(newline + 1)];
    if (typeof message === 'string' && !isTypeKnown) {
      isTypeKnown = true;
      onType(message as DocumentType); // extraction-process.ts wrote it, or the type is unknown to `onType`
      line = Buffer.alloc(0);
      add(rest);
      return;
    }
    head = checkHead(message);
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

/** `message` is a head unless another program than extraction-process.ts wrote it. */
function checkHead(message: ResultHead): ResultHead {
  if (!Number.isSafeInteger(message.textBytes) || message.textBytes < 0)
    throw new TypeError('the head of the result has no valid size');
  return message;
}
