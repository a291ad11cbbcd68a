/** The interface of the engines that the service is compared with: `postgres.ts` and its neighbours. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The languages of the compared texts. Each engine analyses them as well as it can without further packages. */
export type Language = 'english' | 'chinese';

/** `stopWords`: words to leave out of queries, for engines that have no list of their own. */
export type PeerCorpus = { texts: string[]; language: Language; stopWords: ReadonlySet<string> };

/** A text by its position in the corpus. A higher score is better. */
export type Ranked = { position: number; score: number };

/** At most RESULTS texts, best first. `milliseconds`: from the query's text to the positions, scores and contents. */
export type PeerAnswer = { results: Ranked[]; milliseconds: number };

export type Search = (query: string) => Promise<PeerAnswer>;

/** An engine that indexes texts and answers queries with any of their words. */
export type Peer = {
  name: string;
  /** What has to be installed; undefined for an engine that the project brings along. */
  requires?: { packages: string; isInstalled(): Promise<boolean> };
  /** Indexes the texts, runs `use` with the search in them, and removes the index. */
  withIndex<T>(corpus: PeerCorpus, use: (search: Search) => Promise<T>): Promise<T>;
};

/** The results of a query: as many as a client of the service gets by default. */
export const RESULTS = 10;

/** Runs a search and measures its time. */
export async function timed(search: () => Ranked[] | Promise<Ranked[]>): Promise<PeerAnswer> {
  const start = performance.now();
  const results = await search();
  return { results, milliseconds: performance.now() - start };
}

/** Whether a program is installed, by the option that prints its version. */
export const hasProgram = (program: string, option: string): Promise<boolean> =>
  promisify(execFile)(program, [option]).then(
    () => true,
    () => false,
  );

/** Runs `use` with an empty directory, and removes it afterwards. */
export async function withTemporaryDirectory<T>(
  name: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `knowledge-retrieval-${name}-`));
  return await use(directory).finally(() => rm(directory, { recursive: true, force: true }));
}
