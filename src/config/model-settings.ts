/** The settings of the two servers with models that the service can ask: for embeddings, and for reranking. */
import { baseAddress, between, httpAddress, optional, textThat, wholeNumber } from './setting-types.ts';

/** The largest models have 8,192 numbers. The stored form takes a multiple of 8. */
export const DIMENSIONS_MIN = 8;
export const DIMENSIONS_MAX = 8_192;

/** No provider takes more texts in one request (OpenAI API reference, Embeddings: 2,048). */
const LARGEST_BATCH = 2_048;
/** A minute. A larger value is probably in another unit. */
const LONGEST_TIMEOUT_MS = 60_000;
/** Passages that are looked at in detail: a reranker gets at most these. */
const MOST_CANDIDATES = 100;

/** A prefix of this value is none: an empty variable counts as unset. */
const NO_PREFIX = 'none';

/** A key is sent in a header, which holds only these characters (RFC 9110, field values, without white space). */
const headerText = textThat((text) => /^[\x21-\x7e]+$/.test(text), 'have visible ASCII characters only');

/** An address, and no secret in it: it is stored and shown. */
const serverAddress = (text: string): string => baseAddress(httpAddress(text));

/** Prefixes end in a space mostly, which belongs to them. */
export const PADDED_SETTINGS: readonly string[] = ['EMBEDDINGS_QUERY_PREFIX', 'EMBEDDINGS_PASSAGE_PREFIX'];

const prefix = optional((text) => (text === NO_PREFIX ? '' : text));
const anyName = optional((text: string) => text);

/** As in `config.ts`: one line for each setting. */
export const modelSettings = {
  EMBEDDINGS_URL: optional(serverAddress),
  EMBEDDINGS_MODEL: anyName,
  EMBEDDINGS_API_KEY: optional(headerText),
  EMBEDDINGS_DIMENSIONS: optional(between(DIMENSIONS_MIN, DIMENSIONS_MAX)),
  EMBEDDINGS_QUERY_PREFIX: prefix,
  EMBEDDINGS_PASSAGE_PREFIX: prefix,
  EMBEDDINGS_BATCH: wholeNumber(32, 1, LARGEST_BATCH),
  EMBEDDINGS_PER_MINUTE: optional(between(1, Number.MAX_SAFE_INTEGER)),
  EMBEDDINGS_TIMEOUT_MS: wholeNumber(300, 1, LONGEST_TIMEOUT_MS),
  RERANK_URL: optional(serverAddress),
  RERANK_MODEL: anyName,
  RERANK_API_KEY: optional(headerText),
  RERANK_CANDIDATES: wholeNumber(30, 1, MOST_CANDIDATES),
  RERANK_TIMEOUT_MS: wholeNumber(300, 1, LONGEST_TIMEOUT_MS),
};

type Read = { [Name in keyof typeof modelSettings]: ReturnType<(typeof modelSettings)[Name]> };

/** A server that speaks `/v1/embeddings`, and how it is asked. */
export type EmbeddingsSettings = Readonly<{
  /** The address that clients of OpenAI's interface call the base URL, or the whole one of `/embeddings`. */
  url: string;
  model: string;
  apiKey: string | undefined;
  /** The numbers that the model is asked for; undefined: as many as it makes. */
  dimensions: number | undefined;
  /** What is put before a query and before a passage; '': nothing; undefined: what the model is known to need. */
  queryPrefix: string | undefined;
  passagePrefix: string | undefined;
  /** Texts of a request. */
  batch: number;
  /** Requests for passages in a minute; undefined: no limit. */
  perMinute: number | undefined;
  /** How long a query waits for its vector. */
  timeoutMs: number;
}>;

/** A server that speaks `/rerank`. */
export type RerankSettings = Readonly<{
  url: string;
  /** undefined: the server has only one. */
  model: string | undefined;
  apiKey: string | undefined;
  /** Passages of a query that it puts in order. */
  candidates: number;
  /** How long a query waits for the order. */
  timeoutMs: number;
}>;

/** undefined: no model is asked. */
export function embeddingsOf(read: Read): EmbeddingsSettings | undefined {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model } = read;
  if (url === undefined || model === undefined) return undefined;
  return Object.freeze({
    url,
    model,
    apiKey: read.EMBEDDINGS_API_KEY,
    dimensions: read.EMBEDDINGS_DIMENSIONS,
    queryPrefix: read.EMBEDDINGS_QUERY_PREFIX,
    passagePrefix: read.EMBEDDINGS_PASSAGE_PREFIX,
    batch: read.EMBEDDINGS_BATCH,
    perMinute: read.EMBEDDINGS_PER_MINUTE,
    timeoutMs: read.EMBEDDINGS_TIMEOUT_MS,
  });
}

/** undefined: nothing is reranked by a model. */
export function rerankOf(read: Read): RerankSettings | undefined {
  const { RERANK_URL: url, RERANK_MODEL: model, RERANK_API_KEY: apiKey } = read;
  if (url === undefined) return undefined;
  const { RERANK_CANDIDATES: candidates, RERANK_TIMEOUT_MS: timeoutMs } = read;
  return Object.freeze({ url, model, apiKey, candidates, timeoutMs });
}

/** The settings of a server without address, which have no effect, and a model without name. */
export function findModelProblems(given: Readonly<Record<string, string | undefined>>): string[] {
  const withoutAddress = Object.keys(modelSettings).filter((name) => {
    const [server] = name.split('_');
    return given[name] !== undefined && given[`${server}_URL`] === undefined;
  });
  const problems = withoutAddress.map((name) => `${name}: needs ${name.split('_')[0]}_URL beside it`);
  if (given.EMBEDDINGS_URL === undefined) return problems;
  if (given.EMBEDDINGS_MODEL === undefined)
    problems.push('EMBEDDINGS_URL: needs EMBEDDINGS_MODEL beside it, the name of the model there');
  if (given.WORD_VECTORS === 'on')
    problems.push(
      'EMBEDDINGS_URL: excludes WORD_VECTORS=on, because a model takes the place of word vectors',
    );
  return problems;
}
