/** The worker thread's side of the analysis pool: analyses documents side by side, each a step when it is told to. */
import { once } from 'node:events';
import { constants, getPriority, platform, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Stem } from '../analysis/lexemes.ts';
import { release } from '../binary-array.ts';
import { type AnalysedPart, analyseDocument, type DocumentText } from './analyse-document.ts';

/** One document to analyse, and the port on which its steps are told, its stems asked for and its parts handed over. */
export type AnalysisTask = { document: DocumentText; port: MessagePort };

/** What ends a step: stems are needed to go on, or a part is there. */
export type AnalysisMessage = { asked: StemRequest } | { part: AnalysedPart };

/** What begins the next one; a closed port ends the analysis. */
export type AnalysisStep = StemReply | 'next part';

/** Distinct words of one language. */
export type StemRequest = { language: string; words: string[] };
/** The stems in the words' order. */
export type StemReply = { stems: string[] };

// Requests go first. On Linux it is the thread's own priority (setpriority(2)); elsewhere it would be the process's.
if (platform() === 'linux') {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}

/** Stems that a worker remembers between documents: about the vocabulary of a language in use, 10 MB. */
const REMEMBERED_STEMS = 50_000;
const remembered = new LRUCache<string, string>({ max: REMEMBERED_STEMS });

/** The port was closed: nobody wants the document any more. */
class Ended extends Error {}

/** Analyses a document, each part when it is asked for, to its end or until the port is closed. */
export async function analyse({ document, port }: AnalysisTask): Promise<void> {
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  const nextStep = async (): Promise<AnalysisStep> => {
    try {
      const [step] = (await once(port, 'message', { signal: closed.signal })) as [AnalysisStep]; // analysis-pool.ts
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

/** The part with all its bytes in one buffer: a port takes ten times as long to hand over ten of them. */
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
