/**
 * The order that a model of the operator gives to the best passages (RERANK_URL). It reads the query and each passage
 * together, which tells more than words and vectors, and takes long: so only the best ones, and within a time limit.
 */
import type { QueryWarning } from '../../generated/types.gen.ts';
import type { FoundPassage, Reranked } from './ranking/statement/found-passages.ts';

/** How relevant passages are to the query, in their order: higher is more. Or why that is not known. */
export type Relevance = { scores: number[] } | { warning: QueryWarning };

/** `depth`: how many passages are ranked for it, whatever the limit is. `ask` never throws. */
export type Rerank = { depth: number; ask(passages: readonly FoundPassage[]): Promise<Relevance> };

/**
 * Puts the best `depth` of `found` in the order of the model. The passages below stay where they are. Without an answer
 * all do.
 *
 * The scores stay in their places: the first passage has the best score, whichever it is. So they still descend, lie in
 * [0, 1], and say how well the words and the meaning of a query are answered, which `minScore` and the questions
 * without an answer are measured by.
 *
 * Why not
 * - the model's own number as the score, by a logistic: servers give probabilities or logits, each model others, so
 *   that a `minScore` would mean something else with each of them; and the passages below the depth have none.
 * - a mixture of both: its share had to be measured for each model. The command `evaluate` tells whether one gains.
 */
export async function rerankBest(
  found: FoundPassage[],
  { depth, ask }: Rerank,
): Promise<{ found: FoundPassage[]; warnings: QueryWarning[] }> {
  const best = found.slice(0, depth);
  if (best.length < 2) return { found, warnings: [] };
  const answer = await ask(best);
  if ('warning' in answer) return { found, warnings: [answer.warning] };
  const reranked = best
    .map((passage, i): FoundPassage & { reranked: Reranked } => ({
      ...passage,
      reranked: {
        before: passage.score,
        place: i + 1,
        relevance: answer.scores[i] ?? Number.NEGATIVE_INFINITY,
      },
    }))
    .sort((left, right) => right.reranked.relevance - left.reranked.relevance) // stable: of equal ones the order stays
    .map((passage, i) => ({ ...passage, score: best[i]?.score ?? passage.score }));
  return { found: [...reranked, ...found.slice(depth)], warnings: [] };
}
