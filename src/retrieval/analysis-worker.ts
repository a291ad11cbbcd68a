/** The worker thread's side of the analysis pool: analyses one document, asking the main thread for stems. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type Analysis, analyseDocument, type DocumentText, toAnalysis } from './analysis.ts';
import type { Stem } from './lexemes.ts';

/** One document to analyse, and the port on which its stems are asked for. */
export type AnalysisTask = { document: DocumentText; stems: MessagePort };

/** Distinct words of one language. */
export type StemRequest = { language: string; words: string[] };
/** The stems in the words' order; undefined when they could not be had. */
export type StemReply = { stems: string[] | undefined };

/** Stems that a worker remembers between documents: about the vocabulary of a language in use, 10 MB. */
const REMEMBERED_STEMS = 50_000;
const remembered = new LRUCache<string, string>({ max: REMEMBERED_STEMS });

/** Analyses a document. @throws an error without detail when the main thread could not stem */
export function analyse({ document, stems }: AnalysisTask): Promise<Analysis> {
  return analyseDocument(document, throughPort(stems)).then(toAnalysis);
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
  port.postMessage({ language, words } satisfies StemRequest);
  const [{ stems }] = (await once(port, 'message')) as [StemReply]; // what analysis-pool.ts posts
  if (stems === undefined) throw new Error(`no stems for ${language}`);
  return stems;
}
