/**
 * A server that makes vectors of texts by a model, asked by OpenAI's interface (API reference, "Create embeddings"),
 * which Ollama, TEI, vLLM, llama.cpp, Infinity, LM Studio and the large providers have too.
 */
import { DIMENSIONS_MAX, DIMENSIONS_MIN } from '../../config/model-settings.ts';
import type { EmbeddingsModel } from './embeddings-model.ts';
import { messageIn, repeatable } from './http/error-answers.ts';
import { createPost } from './http/post-json.ts';
import { ModelUnavailable, WrongAnswer } from './model-failures.ts';

export type EmbeddingsServer = {
  /**
   * The vectors of these texts, as the model makes them, in their order. One request.
   * @throws ModelFailure; the reason of the signal
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
};
export type EmbedOptions = { kind: 'query' | 'passage'; signal: AbortSignal };

/** As text, a number has at most 25 characters. */
const NUMBER_MAX_BYTES = 26;
/** Of an answer with all that is beside the vectors. */
const FRAME_MAX_BYTES = 65_536;
/** To read more would hold up all requests for too long: 32 vectors of 4,096 numbers are 3 MB. */
const ANSWER_MAX_BYTES = 16 * 1024 ** 2;

/**
 * The address that is asked: `http://localhost:11434` → `http://localhost:11434/v1/embeddings`. A longer one is what
 * other programs call the base URL (`https://api.openai.com/v1`), or the whole address.
 */
export function embeddingsAddress(url: string): URL {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  if (path === '') address.pathname = '/v1/embeddings';
  else address.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return address;
}

/** Numbers in base64 are of 32 bits, the lowest byte first. undefined: it is not that. */
function readBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

function readVector(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === 'string') return readBase64(embedding);
  if (!Array.isArray(embedding)) return undefined;
  return embedding.every((number) => typeof number === 'number') ? Float32Array.from(embedding) : undefined;
}

/** What is wrong with a vector, as the end of a sentence; undefined: nothing. */
function findFault(vector: Float32Array | undefined, expected: number | undefined): string | undefined {
  if (vector === undefined) return 'with something else than numbers';
  // NaN is none, and a number that 32 bits do not hold neither.
  if (!vector.every(Number.isFinite)) return 'with numbers that are none';
  const { length } = vector;
  if (length < DIMENSIONS_MIN || length > DIMENSIONS_MAX)
    return `with ${length} dimensions, and from ${DIMENSIONS_MIN} to ${DIMENSIONS_MAX} are possible`;
  return expected === undefined || length === expected
    ? undefined
    : `with ${length} dimensions instead of ${expected}`;
}

type Entry = { index?: unknown; embedding?: unknown };

/** The vectors in the order of the texts, as far as they are there. Servers without `index` keep the order. */
function inOrder(data: readonly Entry[]): unknown[] {
  const ordered: unknown[] = new Array(data.length).fill(undefined);
  for (const [i, entry] of data.entries()) {
    const index = entry?.index ?? i;
    if (typeof index === 'number' && index in ordered) ordered[index] = entry?.embedding;
  }
  return ordered;
}

/** Reads the answer to `count` texts. @throws WrongAnswer */
function readVectors(
  data: unknown,
  count: number,
  who: string,
  expected: number | undefined,
): Float32Array[] {
  if (!Array.isArray(data)) throw new WrongAnswer(`${who} answered without vectors.`);
  if (data.length !== count)
    throw new WrongAnswer(`${who} answered with ${data.length} vectors for ${count} texts.`);
  let dimensions = expected;
  return inOrder(data).map((embedding) => {
    const vector = readVector(embedding);
    const fault = findFault(vector, dimensions);
    if (vector === undefined || fault !== undefined) throw new WrongAnswer(`${who} answered ${fault}.`);
    dimensions = vector.length;
    return vector;
  });
}

const bodyOf = (answer: unknown): { data?: unknown } =>
  typeof answer === 'object' && answer !== null ? answer : {};

/** Nothing is asked before the first call of `embed`. `answerMs`: how long an answer may take at most. */
export function createEmbeddingsServer(asked: EmbeddingsModel, answerMs?: number): EmbeddingsServer {
  const { model, apiKey, askedDimensions, dimensions, queryPrefix, passagePrefix } = asked;
  const url = embeddingsAddress(asked.url);
  const who = 'The embeddings server';
  const post = createPost({ who, url, apiKey, ...(answerMs && { answerMs }) });
  const named = `${who} at ${url.href}`;
  const vectorMaxBytes = (dimensions ?? DIMENSIONS_MAX) * NUMBER_MAX_BYTES;
  return {
    async embed(texts, { kind, signal }) {
      const prefix = kind === 'query' ? queryPrefix : passagePrefix;
      // Some servers refuse JSON with half of a surrogate pair.
      const input = texts.map((text) => `${prefix}${text}`.toWellFormed());
      const answer = await post({
        body: { model, input, ...(askedDimensions !== undefined && { dimensions: askedDimensions }) },
        texts: input,
        maxBytes: Math.min(ANSWER_MAX_BYTES, FRAME_MAX_BYTES + texts.length * vectorMaxBytes),
        signal,
      });
      const { data } = bodyOf(answer);
      // LM Studio answers with status 200 and an error at paths that it does not have.
      if (data === undefined && messageIn(answer) !== undefined)
        throw new ModelUnavailable(`${named} answered${repeatable(answer, { apiKey, texts: input })}`, true);
      return readVectors(data, texts.length, named, dimensions);
    },
  };
}
