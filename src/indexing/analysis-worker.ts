/**
 * The worker thread's side of the analysis pool: analyses documents concurrently, each one step at a time on request.
 */
import { once } from 'node:events';
import { constants, getPriority, platform, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import type { Stem } from '../analysis/lexemes.ts';
import { createBoundedCache } from '../concurrency/bounded-cache.ts';
import { release } from '../database/values/byte-writer.ts';
import { noVectors } from '../meaning/passage-vectors.ts';
import { openWordVectors } from '../meaning/word-vectors.ts';
import { analyseDocument, type DocumentText, type PassageBatch } from './analyse-document.ts';

/**
 * One document to analyse, and the port for the steps, the requests for stems and the batches. `hasWordVectors`: its
 * passages get vectors.
 */
export type AnalysisTask = { document: DocumentText; port: MessagePort; hasWordVectors: boolean };

/** The result of a step: a request for the stems that the document needs, or a batch. */
export type AnalysisMessage = { stemRequest: StemRequest } | { batch: PassageBatch };

/** Begins the next step. Closing the port ends the analysis. */
export type AnalysisStep = StemReply | 'next batch';

/** Distinct words of one language. */
export type StemRequest = { language: string; words: string[] };
/** The stems in the words' order. */
export type StemReply = { stems: string[] };

// Requests take precedence over analyses. On Linux this sets the priority of this thread alone (setpriority(2));
// elsewhere it would set the priority of the process.
if (platform() === 'linux') {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}

/** Stems that a worker remembers between documents: about the words of one language in use, 10 MB. */
const REMEMBERED_STEMS = 50_000;
const remembered = createBoundedCache<string>(REMEMBERED_STEMS);

const wordVectors = openWordVectors();

/** Thrown when the port was closed: the document is no longer needed. */
class PortClosed extends Error {}

/** Analyses a document to its end, or until the port is closed. Each batch is made on request. */
export async function analyse({ document, port, hasWordVectors }: AnalysisTask): Promise<void> {
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  const nextStep = async (): Promise<AnalysisStep> => {
    try {
      const [step] = (await once(port, 'message', { signal: closed.signal })) as [AnalysisStep];
      return step;
    } catch {
      throw new PortClosed();
    }
  };
  const vectorsIn = hasWordVectors ? wordVectors : noVectors;
  try {
    for await (const batch of analyseDocument(document, stemThroughPort(port, nextStep), vectorsIn)) {
      const [packed, buffer] = pack(batch);
      port.postMessage({ batch: packed } satisfies AnalysisMessage, [buffer]);
      if (batch.totals === undefined) await nextStep();
    }
  } catch (error) {
    if (!(error instanceof PortClosed)) throw error;
  }
}

/** Packs the batch into one buffer: to transfer its arrays one by one takes ten times as long. */
function pack(batch: PassageBatch): [packed: PassageBatch, buffer: ArrayBuffer] {
  const arrays = [...Object.values(batch.columns), ...(batch.documentFrequencies ?? [])];
  const buffer = new ArrayBuffer(arrays.reduce((total, { byteLength }) => total + byteLength, 0));
  let end = 0;
  const move = (bytes: Uint8Array): Uint8Array => {
    const moved = new Uint8Array(buffer, end, bytes.byteLength);
    moved.set(bytes);
    end += bytes.byteLength;
    release(bytes);
    return moved;
  };
  const { text, position, content, start_offset, end_offset, page, time_ms, later_starts, ...others } =
    batch.columns;
  const columns = {
    text: move(text),
    position: move(position),
    content: move(content),
    start_offset: move(start_offset),
    end_offset: move(end_offset),
    page: move(page),
    time_ms: move(time_ms),
    later_starts: move(later_starts),
    headings: move(others.headings),
    language: move(others.language),
    length: move(others.length),
    lexemes: move(others.lexemes),
    vector: move(others.vector),
  };
  if (batch.documentFrequencies === undefined) return [{ ...batch, columns }, buffer];
  return [{ ...batch, columns, documentFrequencies: batch.documentFrequencies.map(move) }, buffer];
}

/** Returns a function that requests stems through the port. */
function stemThroughPort(port: MessagePort, nextStep: () => Promise<AnalysisStep>): Stem {
  // One request at a time: replies carry no request's id. A document rarely has two languages.
  let previous: Promise<unknown> = Promise.resolve();
  const request = async (language: string, words: string[]): Promise<string[]> => {
    port.postMessage({ stemRequest: { language, words } } satisfies AnalysisMessage);
    const step = await nextStep();
    if (step === 'next batch') throw new Error(`no stems for ${language}`);
    return step.stems;
  };
  return (language, words) => {
    const stems = previous.then(() => stemWithMemory(language, words, request));
    previous = stems.catch(() => undefined);
    return stems;
  };
}

/** Stems words. Requests only those that are not remembered. */
async function stemWithMemory(language: string, words: string[], request: Stem): Promise<string[]> {
  const keyOf = (word: string) => `${language}:${word}`;
  const known = words.map((word) => remembered.get(keyOf(word)));
  const unknown = words.filter((_, i) => known[i] === undefined);
  const stems = unknown.length === 0 ? [] : await request(language, unknown);
  unknown.forEach((word, i) => {
    remembered.set(keyOf(word), stems[i] ?? word);
  });
  let next = 0;
  return words.map((word, i) => known[i] ?? stems[next++] ?? word);
}
