/**
 * A server that says how well passages answer a query, by a model that reads both together. There are two forms of its
 * interface: one by Cohere and Jina, which vLLM, llama.cpp and Infinity have too, and one by TEI.
 */
import type { RerankSettings } from '../../config/model-settings.ts';
import { createPost, type Post } from './http/post-json.ts';
import { createInTime, type Degraded } from './in-time.ts';
import { BatchRefused, NothingThere, WrongAnswer } from './model-failures.ts';

export type Reranker = {
  /**
   * A score for each text, in their order: higher is better. Some servers give scores from 0 to 1, others any number,
   * so only scores of one answer can be compared.
   * @throws ModelFailure; the reason of the signal
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
};

/** These models read query and text together, mostly 512 tokens of both. */
const QUERY_MAX_LENGTH = 1_000;
/** Of an answer beside the texts, which some servers repeat; in JSON a character has at most six bytes. */
const FRAME_MAX_BYTES = 65_536;
const CHARACTER_MAX_BYTES = 6;

const who = 'The reranker';

/** `documents`: as Cohere's; `texts`: as TEI's, which cuts them to what its model reads. */
type Form = { url: URL; bodyOf(query: string, texts: readonly string[]): object; post: Post };

/**
 * The addresses that may be meant: `http://localhost:8080` → `/v1/rerank`, `/rerank`. A longer one is what other
 * programs call the base URL, or the whole address.
 */
export function rerankAddresses(url: string): URL[] {
  const path = new URL(url).pathname.replace(/\/+$/, '');
  const paths =
    path === '' ? ['/v1/rerank', '/rerank'] : [path.endsWith('/rerank') ? path : `${path}/rerank`];
  return paths.map((pathname) => Object.assign(new URL(url), { pathname }));
}

function formsOf({ url, model, apiKey }: RerankSettings): Form[] {
  const ofModel = model === undefined ? {} : { model };
  const addresses = rerankAddresses(url).map((address) => ({
    url: address,
    post: createPost({ who, url: address, apiKey }),
  }));
  const last = addresses.slice(-1);
  return [
    ...addresses.map((address) => ({
      ...address,
      bodyOf: (query: string, documents: readonly string[]) => ({ ...ofModel, query, documents }),
    })),
    ...last.map((address) => ({
      ...address,
      bodyOf: (query: string, texts: readonly string[]) => ({ query, texts, truncate: true }),
    })),
  ];
}

type Entry = { index?: unknown; relevance_score?: unknown; score?: unknown };

/** The entries of an answer: an array (TEI), `results` (Cohere, Jina) or `data` (Voyage). */
function entriesOf(answer: unknown): readonly Entry[] | undefined {
  if (Array.isArray(answer)) return answer;
  if (typeof answer !== 'object' || answer === null) return undefined;
  if ('results' in answer && Array.isArray(answer.results)) return answer.results;
  return 'data' in answer && Array.isArray(answer.data) ? answer.data : undefined;
}

/** @throws WrongAnswer */
function readScores(answer: unknown, count: number, named: string): number[] {
  const scores: unknown[] = new Array(count).fill(undefined);
  for (const entry of entriesOf(answer) ?? []) {
    const index = entry?.index;
    if (typeof index === 'number' && index in scores) scores[index] = entry.relevance_score ?? entry.score;
  }
  return scores.map((score) => {
    if (typeof score === 'number' && Number.isFinite(score)) return score;
    throw new WrongAnswer(`${named} answered without a score for each of ${count} texts.`);
  });
}

/** Whether the server may understand another form. */
const isOfForm = (failure: unknown): boolean =>
  failure instanceof NothingThere || failure instanceof BatchRefused;

/** Nothing is asked before the first call of `rerank`. The form that the server understands is remembered. */
export function createReranker(settings: RerankSettings): Reranker {
  const forms = formsOf(settings);
  let understood: Form | undefined;
  const ask = async (
    { url, bodyOf, post }: Form,
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
  ) => {
    const length = texts.reduce((sum, text) => sum + text.length, query.length);
    const answer = await post({
      body: bodyOf(query, texts),
      texts: [query, ...texts],
      maxBytes: FRAME_MAX_BYTES + CHARACTER_MAX_BYTES * length,
      signal,
    });
    return readScores(answer, texts.length, `${who} at ${url.href}`);
  };
  return {
    async rerank(query, texts, signal) {
      const cut = query.slice(0, QUERY_MAX_LENGTH).toWellFormed();
      const wellFormed = texts.map((text) => text.toWellFormed());
      if (understood !== undefined) return await ask(understood, cut, wellFormed, signal);
      const failures: unknown[] = [];
      for (const form of forms)
        try {
          const scores = await ask(form, cut, wellFormed, signal);
          understood = form;
          return scores;
        } catch (error) {
          if (!isOfForm(error)) throw error;
          failures.push(error);
        }
      // What refused the texts is more likely to be the server than a path that it does not have.
      throw failures.find((failure) => failure instanceof BatchRefused) ?? failures[0];
    },
  };
}

export type QueryReranker = {
  /** The scores of these texts for a query of this account, within the time limit. It never throws. */
  rerank(
    query: string,
    texts: readonly string[],
    accountId: string,
  ): Promise<{ scores: number[] } | Degraded>;
};

/** `timeoutMs`: how long a query may wait. */
export function createQueryReranker(reranker: Reranker, { timeoutMs }: { timeoutMs: number }): QueryReranker {
  // A late answer serves no query.
  const inTime = createInTime(who, { timeoutMs, lateMs: 0 });
  return {
    async rerank(query, texts, accountId) {
      const refused = inTime.refusal();
      if (refused !== undefined) return refused;
      const result = await inTime.ask(accountId, (signal) => reranker.rerank(query, texts, signal));
      return 'answer' in result ? { scores: result.answer } : result;
    },
  };
}
