/** The worker thread's side of the analysis pool: analyses one document, asking the main thread for stems. */
import { once } from 'node:events';
import { constants, getPriority, platform, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type AnalysedPart, analyseDocument, type DocumentText } from './analysis.ts';
import type { Stem } from './lexemes.ts';
import { mayGoOn } from './pace.ts';

/**
 * One document to analyse, the port on which its stems are asked for and its parts are handed over, and how far those
 * have been taken.
 */
export type AnalysisTask = { document: DocumentText; port: MessagePort; pace: SharedArrayBuffer };

export type AnalysisMessage = { asked: StemRequest } | { part: AnalysedPart };

/** Distinct words of one language. */
export type StemRequest = { language: string; words: string[] };
/** The stems in the words' order; undefined when they could not be had. */
export type StemReply = { stems: string[] | undefined };

// Requests go first. On Linux it is the thread's own priority (setpriority(2)); elsewhere it would be the process's.
if (platform() === 'linux') {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}

/** Stems that a worker remembers between documents: about the vocabulary of a language in use, 10 MB. */
const REMEMBERED_STEMS = 50_000;
const remembered = new LRUCache<string, string>({ max: REMEMBERED_STEMS });

/**
 * Analyses a document, posting its parts no faster than they are taken, until nobody takes them any more.
 * @throws an error without detail when the main thread could not stem
 */
export async function analyse({ document, port, pace }: AnalysisTask): Promise<void> {
  let posted = 0;
  for await (const part of analyseDocument(document, throughPort(port))) {
    if (!mayGoOn(pace, posted++)) return;
    const [packed, buffer] = pack(part);
    port.postMessage({ part: packed } satisfies AnalysisMessage, [buffer]);
  }
}

/** The part with all its bytes in one buffer: a port takes ten times as long to hand over ten of them. */
function pack(part: AnalysedPart): [packed: AnalysedPart, buffer: ArrayBuffer] {
  const arrays = [...Object.values(part.columns), ...(part.totals ? [part.totals.lexemeCounts] : [])];
  const buffer = new ArrayBuffer(arrays.reduce((total, { byteLength }) => total + byteLength, 0));
  let end = 0;
  const move = (bytes: Uint8Array): Uint8Array => {
    const moved = new Uint8Array(buffer, end, bytes.byteLength);
    moved.set(bytes);
    end += bytes.byteLength;
    return moved;
  };
  const { content, start_offset, end_offset, page, headings, language, length, lexemes } = part.columns;
  const columns = {
    content: move(content),
    start_offset: move(start_offset),
    end_offset: move(end_offset),
    page: move(page),
    headings: move(headings),
    language: move(language),
    length: move(length),
    lexemes: move(lexemes),
  };
  const totals = part.totals && { ...part.totals, lexemeCounts: move(part.totals.lexemeCounts) };
  return [{ position: part.position, columns, ...(totals && { totals }) }, buffer];
}

function throughPort(port: MessagePort): Stem {
  // One request at a time: the port answers in order, and a document rarely has two languages.
  let previous: Promise<unknown> = Promise.resolve();
  return (language, words) => {
    const answered = previous.then(() => stemRemembering(port, language, words));
    previous = answered.catch(() => undefined);
    return answered;
  };
}

async function stemRemembering(port: MessagePort, language: string, words: string[]): Promise<string[]> {
  const keyOf = (word: string) => `${language}:${word}`;
  const known = words.map((word) => remembered.get(keyOf(word)));
  const unknown = words.filter((_, i) => known[i] === undefined);
  const stems = unknown.length === 0 ? [] : await askForStems(port, language, unknown);
  let next = 0;
  return words.map((word, i) => {
    const stem = known[i] ?? stems[next++] ?? word;
    remembered.set(keyOf(word), stem);
    return stem;
  });
}

async function askForStems(port: MessagePort, language: string, words: string[]): Promise<string[]> {
  port.postMessage({ asked: { language, words } } satisfies AnalysisMessage);
  const [{ stems }] = (await once(port, 'message')) as [StemReply]; // what analysis-pool.ts posts
  if (stems === undefined) throw new Error(`no stems for ${language}`);
  return stems;
}
