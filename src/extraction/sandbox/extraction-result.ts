/** Receives the results of an extraction process, within limits of time and size. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { DocumentType } from '../../../generated/types.gen.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { TOO_MUCH_MEMORY } from '../extraction-error.ts';
import { RESULT_HEAD_MAX, RESULT_MAX } from '../extraction-limits.ts';
import type { RecognisedPages } from '../recognition/recognition.ts';
import { RECOGNITION_MAX_WAIT_MS, RECOGNITION_PAGE_MAX_WAIT_MS } from '../recognition/recognition-limits.ts';
import type { ResultHead } from './extraction-process.ts';
import { watchMemory } from './extraction-watchdog.ts';

/** The last characters of standard error that are kept. They explain why a process ended. */
const STDERR_MAX_LENGTH = 4_000;

/** Messages of V8 and the C++ library for exhausted memory. */
const OUT_OF_MEMORY = /out of memory|allocation failed|failed to allocate|bad_alloc/i;

/** How a process has ended its work on a file without ending itself. */
const ANSWERED = 'an answer';

/**
 * The file that the process is to answer now, by its number in the process. `maxMsFor` returns the time limit, from now
 * on, for a file of a type. `endsAfter`: whether the process has to end after a file of this type.
 */
export type Awaited = {
  number: number;
  maxMsFor: (type: DocumentType) => number;
  endsAfter: (type: DocumentType) => boolean;
  /** Hears how many pages were recognised by OCR. */
  onPages: (pages: RecognisedPages) => void;
};

type Process = ChildProcess & { stdout: Readable; stderr: Readable };

/**
 * What has become of the work on a file. `how` the process has ended: by a signal, with an exit code, or not at all.
 */
type Outcome = { how: string | number | null; exceeded: string | undefined; fault: unknown };

/** The bounds of the work on a file: its time and memory. `end`: ends the process, with the bound that it exceeded. */
function boundWork(child: Process, { maxMsFor, onPages }: Pick<Awaited, 'maxMsFor' | 'onPages'>) {
  let exceeded: string | undefined;
  const end = (reason?: string) => {
    exceeded ??= reason;
    child.kill('SIGKILL');
  };
  const deadline = startDeadline(maxMsFor('unknown'), end);
  const endWatch = watchMemory(child.pid ?? 0, () => end(TOO_MUCH_MEMORY));
  return {
    end,
    exceeded: () => exceeded,
    onType: (type: DocumentType) => deadline.set(maxMsFor(type)),
    onPages: (pages: RecognisedPages) => {
      deadline.extend(RECOGNITION_PAGE_MAX_WAIT_MS);
      onPages(pages);
    },
    clear: () => {
      deadline.clear();
      endWatch();
    },
  };
}

/** Waits until the process has sent its whole result, or has ended: at a limit, or by its own fault. */
async function untilEnded(
  child: Process,
  result: Result,
  { endsAfter, ...awaited }: Omit<Awaited, 'number'>,
): Promise<Outcome> {
  let fault: unknown;
  const ended = Promise.withResolvers<string | number | null>();
  const bounds = boundWork(child, awaited);
  let mayLive = false;
  // Known before the extraction begins: what a file does to the process comes too late to change it.
  const onType = (type: DocumentType) => {
    bounds.onType(type);
    mayLive = !endsAfter(type);
  };
  const onData = (piece: Buffer) => {
    try {
      result.add(piece, { onType, onPages: bounds.onPages });
    } catch (error) {
      fault ??= error;
    }
    if (fault === undefined && bounds.exceeded() === undefined && mayLive && result.isText())
      ended.resolve(ANSWERED);
    else if (fault || result.isWhole()) bounds.end();
    else if (result.isTooLong()) bounds.end("The file's text is larger than the service accepts.");
  };
  const onClose = (code: number | null, signal: string | null) => ended.resolve(signal ?? code);
  child.stdout.on('data', onData);
  child.once('close', onClose).once('error', ended.reject);
  const how = await ended.promise.finally(() => {
    bounds.clear();
    child.stdout.off('data', onData);
    child.off('close', onClose).off('error', ended.reject);
  });
  return { how, exceeded: bounds.exceeded(), fault };
}

/**
 * The result of a process for one file. The process lives on only if it has sent a text in the right form, and
 * `endsAfter` allows it; otherwise it is dead.
 * @throws Error when the process ended without a result and no limit is the cause, or its result is invalid: a bug
 */
export async function receiveResult(
  child: Process,
  { number, ...awaited }: Awaited,
): Promise<{ extraction: Extraction<PackedText>; isAlive: boolean }> {
  const lastErrors = lastOf(child.stderr);
  const result = collectResult(number);
  const { how, exceeded, fault } = await untilEnded(child, result, awaited).finally(lastErrors.end);
  if (fault) throw new Error('the extraction process returned an invalid result', { cause: fault });
  if (result.isWhole()) return { extraction: result.extraction(), isAlive: how === ANSWERED };
  const message = exceeded ?? (OUT_OF_MEMORY.test(lastErrors.read()) ? TOO_MUCH_MEMORY : undefined);
  if (message === undefined)
    throw new Error(`the extraction process ended with ${how}: ${lastErrors.read()}`);
  return { extraction: { type: 'unknown', failure: { code: 'FILE_TOO_COMPLEX', message } }, isAlive: false };
}

/** The deadline's clock ticks at this interval, and counts no interval for more than two. */
const TICK_MS = 1_000;

/**
 * Calls `end` after `maxMs`. `set` changes that limit, counted from the start; `extend` moves it to `ms` from now, if
 * it is sooner, up to the limit for recognition. Time during which this process itself did not run does not count,
 * since the extraction may have ended meanwhile: while the server was paused, another worker has taken over the import,
 * and the document must not fail by this one.
 */
export function startDeadline(maxMs: number, end: (reason: string) => void) {
  let [limitMs, spentMs, tickedAtMs] = [maxMs, 0, performance.now()];
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(tick, Math.max(0, Math.min(TICK_MS, limitMs - spentMs)));
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
  const extend = (ms: number) => set(Math.max(limitMs, Math.min(spentMs + ms, RECOGNITION_MAX_WAIT_MS)));
  return { set, extend, clear: () => clearTimeout(timer) };
}

/** Keeps the last output of a stream, from now on until `end`. */
function lastOf(stream: Readable): { read(): string; end(): void } {
  let last = '';
  const keep = (piece: string) => {
    last = (last + piece).slice(-STDERR_MAX_LENGTH);
  };
  stream.setEncoding('utf8').on('data', keep);
  return { read: () => last, end: () => void stream.off('data', keep) };
}

type Result = ReturnType<typeof collectResult>;

type Listeners = { onType(type: DocumentType): void; onPages(pages: RecognisedPages): void };

/** Splits pieces into lines, until the bytes of a packed text follow. */
function createLines() {
  let line = Buffer.alloc(0);
  return {
    length: () => line.length,
    add(piece: Buffer): void {
      line = Buffer.concat([line, piece]);
    },
    /** The next line as JSON, without its bytes; undefined: it is not whole yet. */
    next(): { message: unknown } | undefined {
      const newline = line.indexOf('\n');
      if (newline < 0) return undefined;
      const message = JSON.parse(line.toString('utf8', 0, newline));
      line = line.subarray(newline + 1);
      return { message };
    },
    /** The bytes after the lines. */
    rest: () => line,
  };
}

/** Collects a packed text after its head, in memory of the announced size. */
function collectText() {
  let head: ResultHead | undefined;
  let text = Buffer.alloc(0);
  let received = 0;
  const isTooLong = (): boolean => head !== undefined && Math.max(head.textBytes, received) > RESULT_MAX;
  const add = (piece: Buffer) => {
    if (received + piece.length <= text.length) piece.copy(text, received);
    received += piece.length;
    if (received > (head?.textBytes ?? 0) && !isTooLong()) throw new RangeError('bytes follow the result');
  };
  const isWhole = (): boolean => head !== undefined && received === head.textBytes;
  return {
    hasBegun: () => head !== undefined,
    begin(found: ResultHead, piece: Buffer): void {
      head = found;
      if (head.textBytes <= RESULT_MAX) text = Buffer.allocUnsafeSlow(head.textBytes);
      add(piece);
    },
    add,
    isTooLong,
    isWhole,
    /** Whether it is whole, and no failure. */
    isText: () => isWhole() && !('failure' in (head as ResultHead).extraction), // isWhole
    extraction(): Extraction<PackedText> {
      const { extraction } = head as ResultHead; // isWhole
      return 'failure' in extraction ? extraction : { ...extraction, extracted: text };
    },
  };
}

/**
 * Assembles the result of the file `number`: first the file's type and the head (lines), then the packed text, in
 * memory of the announced size. `add` calls `onType` once, then `onPages` any number of times, and throws for an
 * invalid result: also for the result of another file, and for bytes after the end.
 */
function collectResult(number: number) {
  const lines = createLines();
  const { hasBegun, begin, add: addText, ...text } = collectText();
  let isTypeKnown = false;
  const addLines = (piece: Buffer, listeners: Listeners): void => {
    lines.add(piece);
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const { message } = line;
      if (typeof message === 'string' && !isTypeKnown) {
        isTypeKnown = true;
        listeners.onType(message as DocumentType); // extraction-process.ts wrote it, or `onType` does not know it
      } else if (Array.isArray(message) && isTypeKnown) listeners.onPages(checkPages(message));
      else {
        begin(checkHead(message as ResultHead, number), lines.rest());
        return;
      }
    }
  };
  return {
    ...text,
    add: (piece: Buffer, listeners: Listeners): void =>
      hasBegun() ? addText(piece) : addLines(piece, listeners),
    isTooLong: (): boolean => (hasBegun() ? text.isTooLong() : lines.length() > RESULT_HEAD_MAX),
  };
}

/** Of another program they may be any numbers, or none. */
function checkPages([done, of]: unknown[]): RecognisedPages {
  if (!Number.isSafeInteger(done) || !Number.isSafeInteger(of))
    throw new TypeError('the result has no valid number of pages');
  return { done: Number(done), of: Number(of) };
}

/** `message` is a head unless another program than extraction-process.ts wrote it. */
function checkHead(message: ResultHead, number: number): ResultHead {
  if (!Number.isSafeInteger(message.textBytes) || message.textBytes < 0)
    throw new TypeError('the head of the result has no valid size');
  if (typeof message.extraction !== 'object' || message.extraction === null)
    throw new TypeError('the head of the result has no outcome');
  if ('title' in message.extraction && typeof message.extraction.title !== 'string')
    throw new TypeError('the head of the result has no valid title');
  if (message.number !== number) throw new TypeError(`the result is not that of file ${number}`);
  return message;
}
