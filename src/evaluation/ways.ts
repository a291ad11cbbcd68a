/** The ways to find that are compared: what a query may go by. */
import type { QueryRequest } from '../../generated/types.gen.ts';

export type Way = 'words' | 'meaning' | 'both' | 'rerank';

type WayFacts = {
  /** The options of a query. */
  request: Pick<QueryRequest, 'mode' | 'rerank'>;
  /** What to do to take it. */
  how: string;
  /** What the service needs for it. */
  needs: string;
};

const VECTORS = 'vectors for these passages (WORD_VECTORS, EMBEDDINGS_URL)';

/** In the order of a table. */
export const WAYS: Record<Way, WayFacts> = {
  words: { request: { mode: 'words', rerank: false }, how: '"mode": "words"', needs: 'words' },
  meaning: {
    request: { mode: 'meaning', rerank: false },
    how: '"mode": "meaning"',
    needs: VECTORS,
  },
  both: { request: { mode: 'both', rerank: false }, how: 'the default', needs: VECTORS },
  rerank: {
    request: { mode: 'both', rerank: true },
    how: 'both, with RERANK_URL',
    needs: 'reranker (RERANK_URL)',
  },
};

export const WAY_NAMES = Object.keys(WAYS) as Way[]; // the keys of the record

/**
 * From the cheapest to the dearest. Of two ways that questions do not tell apart, the earlier one is taken: `meaning`
 * costs as much as `both`, and does not find names and numbers. A reranker takes longer than all others together.
 */
export const BY_COST: readonly Way[] = ['words', 'both', 'meaning', 'rerank'];

/** Passages of each answer: the most that a query returns, since ten documents may have several passages each. */
export const PASSAGES = 50;

/** What the others are compared with. */
export const BASELINE: Way = 'words';

/** `milliseconds`: undefined where another way was asked before. */
export type Asked<Found> = { found: Found; milliseconds: number | undefined };

/**
 * Asks a question in each way, one after the other. The first one pays for what the service remembers of a question,
 * such as its vector, so only its time counts; `turn` says which comes first: the number of the question.
 */
export async function askEachWay<Found>(
  ways: readonly Way[],
  turn: number,
  ask: (way: Way) => Promise<Found>,
): Promise<Map<Way, Asked<Found>>> {
  const first = turn % ways.length;
  const asked = new Map<Way, Asked<Found>>();
  for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
    const startedMs = performance.now();
    const found = await ask(way);
    const milliseconds = asked.size === 0 ? performance.now() - startedMs : undefined;
    asked.set(way, { found, milliseconds });
  }
  return asked;
}
