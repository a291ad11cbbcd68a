/** Stubs that behave like the servers and providers that people have, in what they refuse, say and need. */
import type http from 'node:http';
import { embeddingsAnswer, numbersOf, type StubAnswer, type StubRequest } from './stub-server.ts';

export type Provider = {
  name: string;
  /** What stands in EMBEDDINGS_URL after the origin. */
  path: string;
  model: string;
  dimensions: number;
  /** Of a text; a longer one is refused. undefined: the server cuts it itself. */
  tokens?: number;
  /** Of a request. */
  texts?: number;
  /** Creates the answers of a new server. */
  create(): (request: StubRequest) => StubAnswer;
};

/** As the key of the tests: the providers that need one accept no other. */
export const PROVIDER_KEY = 'sk-proj-0123456789abcdefghij';

const tokensOf = (text: string): number => text.split(/\s+/).length;

/** All vectors, in base64 where that is asked for. */
function answerOf({ body }: StubRequest, dimensions: number): StubAnswer {
  const vectors = body.input.map((text: string) => {
    const numbers = numbersOf(text, dimensions);
    if (body.encoding_format !== 'base64') return numbers;
    return Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  });
  return { json: embeddingsAnswer(vectors) };
}

const longest = ({ body }: StubRequest): number => Math.max(...body.input.map(tokensOf));
const bearerOf = ({ authorization }: http.IncomingHttpHeaders) => authorization?.replace('Bearer ', '');

const ollama: Provider = {
  name: 'Ollama',
  path: '/v1',
  model: 'nomic-embed-text',
  dimensions: 768,
  create: () => (request) => {
    const { model } = request.body;
    if (request.path !== '/v1/embeddings') return { status: 404, text: '404 page not found' };
    if (model === 'nomic-embed-text') return answerOf(request, 768);
    const message = `model "${model}" not found, try pulling it first`;
    return { status: 404, json: { error: { message, type: 'api_error', param: null, code: null } } };
  },
};

/** It has one model, whatever name is sent. At first others have all its permits. */
const tei: Provider = {
  name: 'TEI',
  path: '',
  model: 'intfloat/multilingual-e5-small',
  dimensions: 384,
  tokens: 512,
  texts: 32,
  create() {
    let requests = 0;
    const refuse = (status: number, message: string, type: string): StubAnswer => ({
      status,
      json: { message, code: status, type },
    });
    return (request) => {
      if (request.path !== '/v1/embeddings') return { status: 404, text: '' };
      if (++requests === 1) return refuse(429, 'Model is overloaded', 'overloaded');
      const { length } = request.body.input;
      if (length > 32)
        return refuse(422, `batch size ${length} > maximum allowed batch size 32`, 'validation');
      if (longest(request) >= 512)
        return refuse(
          413,
          `\`inputs\` must have less than 512 tokens. Given: ${longest(request)}`,
          'validation',
        );
      return answerOf(request, 384);
    };
  },
};

/** A model that was not made for other dimensions refuses them. */
const vllm: Provider = {
  name: 'vLLM',
  path: '/v1',
  model: 'BAAI/bge-base-en-v1.5',
  dimensions: 768,
  tokens: 512,
  create: () => (request) => {
    const refuse = (status: number, message: string, type: string): StubAnswer => ({
      status,
      json: { error: { message, type, param: null, code: status } },
    });
    const { model, dimensions } = request.body;
    if (bearerOf(request.headers) !== PROVIDER_KEY) return { status: 401, json: { error: 'Unauthorized' } };
    if (model !== 'BAAI/bge-base-en-v1.5')
      return refuse(404, `The model \`${model}\` does not exist.`, 'NotFoundError');
    if (dimensions !== undefined)
      return refuse(400, `Model "${model}" does not support matryoshka representation`, 'BadRequestError');
    if (longest(request) > 512)
      return refuse(400, `This model's maximum context length is 512 tokens.`, 'BadRequestError');
    return answerOf(request, 768);
  },
};

/** It loads its model at first. A text that is too long is a fault of its own to it. */
const llamaCpp: Provider = {
  name: 'llama.cpp',
  path: '',
  model: 'bge-small-en-v1.5-q8_0.gguf',
  dimensions: 384,
  tokens: 512,
  create() {
    let requests = 0;
    const refuse = (status: number, message: string, type: string): StubAnswer => ({
      status,
      json: { error: { code: status, message, type } },
    });
    return (request) => {
      if (++requests < 4) return refuse(503, 'Loading model', 'unavailable_error');
      if (longest(request) > 512)
        return refuse(
          500,
          `input (${longest(request)} tokens) is too large to process. increase the physical batch size`,
          'server_error',
        );
      return answerOf(request, 384);
    };
  },
};

/** Without `--url-prefix /v1` it has no such path. */
const infinity: Provider = {
  name: 'Infinity',
  path: '/embeddings',
  model: 'BAAI/bge-small-en-v1.5',
  dimensions: 384,
  create: () => (request) => {
    if (request.path !== '/embeddings') return { status: 404, json: { detail: 'Not Found' } };
    return answerOf(request, 384);
  },
};

/** It answers with status 200 at paths that it does not have. */
const lmStudio: Provider = {
  name: 'LM Studio',
  path: '/v1',
  model: 'text-embedding-nomic-embed-text-v1.5',
  dimensions: 768,
  create: () => (request) => {
    if (request.path !== '/v1/embeddings')
      return { json: { error: `Unexpected endpoint or method. (POST ${request.path})` } };
    return answerOf({ ...request, body: { ...request.body, encoding_format: 'float' } }, 768);
  },
};

/** It has a limit of requests, and dimensions as one likes. What it says of a wrong key has a part of it. */
const openAi: Provider = {
  name: 'OpenAI',
  path: '/v1',
  model: 'text-embedding-3-small',
  dimensions: 1536,
  tokens: 8_192,
  texts: 2_048,
  create() {
    let requests = 0;
    const refuse = (status: number, message: string, type: string, headers = {}): StubAnswer => ({
      status,
      headers,
      json: { error: { message, type, param: null, code: null } },
    });
    return (request) => {
      const key = bearerOf(request.headers) ?? '';
      if (key !== PROVIDER_KEY)
        return refuse(
          401,
          `Incorrect API key provided: ${key.slice(0, 8)}***${key.slice(-4)}.`,
          'invalid_request_error',
        );
      if (++requests % 3 === 0)
        return refuse(429, 'Rate limit reached for text-embedding-3-small', 'requests', {
          'retry-after': '20',
        });
      if (request.body.input.includes(''))
        return refuse(400, "'$.input' is invalid.", 'invalid_request_error');
      if (longest(request) > 8_192)
        return refuse(
          400,
          `This model's maximum context length is 8192 tokens, however you requested ${longest(request)}.`,
          'invalid_request_error',
        );
      return answerOf(request, request.body.dimensions ?? 1536);
    };
  },
};

export const PROVIDERS: readonly Provider[] = [ollama, tei, vllm, llamaCpp, infinity, lmStudio, openAi];
