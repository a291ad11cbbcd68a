/** How well the best score of a query tells whether the knowledge base answers it. */
import {
  call,
  createKnowledgeBase,
  type RunningService,
} from '../../contract-tests/harness/service/service-process.ts';
import type { SearchResult } from '../../generated/types.gen.ts';
import { inParallel } from '../../src/concurrency/in-parallel.ts';
import type { Collection, JudgedQuery } from './collection.ts';
import { importCorpus } from './collection-run.ts';
import { answersOf, leaveOut } from './small-bases.ts';

/**
 * The best scores of questions: that the knowledge base answers; whose answers were left out of it; and of other
 * collections in the same language.
 */
export type BestScores = { answered: number[]; leftOut: number[]; foreign: number[] };

/** Documents of a knowledge base, those that answer first. */
const DOCUMENTS_MAX = 300;
const CONCURRENCY = 4;
const QUERY_MAX = 8_000;

/** Asks a part of the collection its own questions, and the questions of others. */
export async function askPart(
  service: RunningService,
  collection: Collection,
  foreign: JudgedQuery[],
): Promise<BestScores> {
  const { corpus, answered, unanswered } = leaveOut(collection);
  const wanted = new Set(answered.flatMap(({ id }) => answersOf(collection, id)));
  const wantedFirst = [...corpus].sort(
    (left, right) => Number(wanted.has(right.id)) - Number(wanted.has(left.id)),
  );
  const part = { ...collection, corpus: wantedFirst.slice(0, Math.max(DOCUMENTS_MAX, wanted.size)) };
  const { knowledgeBaseId } = await importCorpus(
    service,
    part,
    await createKnowledgeBase(service, collection.name),
  );
  const bestScores = async (queries: JudgedQuery[]): Promise<number[]> => {
    const scores: number[] = [];
    await inParallel(queries, CONCURRENCY, async ({ text }) => {
      const asked = { query: text.slice(0, QUERY_MAX), knowledgeBaseIds: [knowledgeBaseId], limit: 1 };
      const [best] = await call<SearchResult[]>(service, 'query', asked);
      scores.push(best?.score ?? 0);
    });
    return scores;
  };
  return {
    answered: await bestScores(answered),
    leftOut: await bestScores(unanswered),
    foreign: await bestScores(foreign),
  };
}

/** The probability that an answered question scores above an unanswered one; the area under the ROC curve. */
export function areaUnderCurve(answered: number[], unanswered: number[]): number {
  const wins = (score: number) =>
    unanswered.reduce((sum, other) => sum + (score > other ? 1 : score === other ? 0.5 : 0), 0);
  return answered.reduce((sum, score) => sum + wins(score), 0) / (answered.length * unanswered.length);
}

/** The highest least score that keeps `share` of the answered questions. */
export function leastScoreKeeping(answered: number[], share: number): number {
  const ascending = answered.toSorted((left, right) => left - right);
  return ascending[Math.floor(ascending.length * (1 - share))] ?? 0;
}

/** The share of scores below a least one. */
export const shareBelow = (scores: number[], least: number): number =>
  scores.filter((score) => score < least).length / scores.length;
