/**
 * The worker thread's side of the analysis pool: analyses documents concurrently, each one step at a time on request.
 */
import { once } from 'node:events';
import { constants, getPriority, platform, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Stem } from '../analysis/lexemes.ts';
import { release } from '../binary-array.ts';
import { type AnalysedPart, analyseDocument, type DocumentText } from './analyse-document.ts';

/** One document to analyse, and the port for its steps, its requests for stems and its batches. */
export type AnalysisTask = { document: DocumentText; port: MessagePort };

/** The result of a step: a request for stems that the document needs, or a batch. */
export type AnalysisMessage = { asked: StemRequest } | { part: AnalysedPart };

/** Begins the next step. Closing the port ends the analysis. */
export type AnalysisStep = StemReply | 'next part';

/** Distinct words of one language. */
export type StemRequest = { language: string; words: string[] };
/** The stems in the words' order. */
export type StemReply = { stems: string[] };

// Requests go first. On Linux this sets the thread's own priority (setpriority(2)); elsewhere it would be the
// process's.
if (platform() === 'linux') {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}

/** Stems that a worker remembers between documents: about the words of a language in use, 10 MB. */
const REMEMBERED_STEMS = 50_000;
const remembered = new LRUCache<string, string>({ max: REMEMBERED_STEMS });

/** The port was closed: the document is no longer needed. */
class Ended extends Error {}

/** Analyses a document, each batch on request, to its end or until the port is closed. */
export async function analyse({ document, port }: AnalysisTask): Promise<void> {
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  const nextStep = async (): Promise<AnalysisStep> => {
    try {
      const [step] = (await once(port, 'message', { signal: closed.signal })) as [AnalysisStep]; // from the dialogue
      return step;
    } catch {
      throw new Ended();
    }
  };
  try {
    for await (const part of analyseDocument(document, throughPort(port, nextStep))) {
      const [packed, buffer] = pack(part);
      port.postMessage({ part: packed } satisfies AnalysisMessage, [buffer]);
      if (part.totals === undefined) await nextStep();
    }
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
}

/** Packs the batch into one buffer: transferring ten of them through a port takes ten times as long. */
function pack(part: AnalysedPart): [packed: AnalysedPart, buffer: ArrayBuffer] {
  const arrays = [...Object.values(part.columns), ...(part.lexemeCounts ?? [])];
  const buffer = new ArrayBuffer(arrays.reduce((total, { byteLength }) => total + byteLength, 0));
  let end = 0;
  const move = (bytes: Uint8Array): Uint8Array => {
    const moved = new Uint8Array(buffer, end, bytes.byteLength);
    moved.set(bytes);
    end += bytes.byteLength;
    release(bytes);
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
  if (part.lexemeCounts === undefined) return [{ ...part, columns }, buffer];
  return [{ ...part, columns, lexemeCounts: part.lexemeCounts.map(move) }, buffer];
}

function throughPort(port: MessagePort, nextStep: () => Promise<AnalysisStep>): Stem {
  // One request at a time: the port answers in order, and a document rarely has two languages.
  let previous: Promise<unknown> = Promise.resolve();
  const ask = async (language: string, words: string[]): Promise<string[]> => {
    port.postMessage({ asked: { language, words } } satisfies AnalysisMessage);
    const step = await nextStep();
    if (step === 'next part') throw new Error(`no stems for ${language}`);
    return step.stems;
  };
  return (language, words) => {
    const answered = previous.then(() => stemRemembering(language, words, ask));
    previous = answered.catch(() => undefined);
    return answered;
  };
}

async function stemRemembering(language: string, words: string[], ask: Stem): Promise<string[]> {
  const keyOf = (word: string) => `${language}:${word}`;
  const known = words.map((word) => remembered.get(keyOf(word)));
  const unknown = words.filter((_, i) => known[i] === undefined);
  const stems = unknown.length === 0 ? [] : await ask(language, unknown);
  let next = 0;
  return words.map((word, i) => {
    const stem = known[i] ?? stems[next++] ?? word;
    remembered.set(keyOf(word), stem);
    return stem;
  });
}
