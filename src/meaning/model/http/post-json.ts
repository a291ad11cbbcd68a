/**
 * Asks a server with a model, over HTTP. The operator chose its address, so it may be in a private network. But it may
 * be down, slow, another program, or answer without end.
 */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { codeOf } from '../../../terms/problem.ts';
import { AnswerLate, ModelUnavailable, WrongAnswer } from '../model-failures.ts';
import { failureOf, type Secrets } from './error-answers.ts';

/** Requests to one server at a time: a server with one model works through few at once. */
const PARALLEL_MAX = 32;
/** A connection without requests is kept for this long, so that most queries find an open one. */
const IDLE_MS = 60_000;
/** A processor makes vectors of 32 long passages within half a minute. Nothing is waited for longer than this. */
const ANSWER_MS = 60_000;
/** Bytes of an answer without success that are read: enough for its message. */
const ERROR_MAX_BYTES = 65_536;

/**
 * Where to ask. `who`: the server as the subject of a sentence, such as `The embeddings server`. `answerMs`: how long
 * an answer may take in all.
 */
export type Asked = { who: string; url: URL; apiKey: string | undefined; answerMs?: number };

/** A request. `texts`: what its body has of others, and no message may repeat. `maxBytes`: of the answer. */
export type Question = {
  body: object;
  texts: readonly string[];
  maxBytes: number;
  signal: AbortSignal;
};

/** @returns the parsed answer. @throws ModelFailure; the reason of the signal, at once */
export type Post = (question: Question) => Promise<unknown>;

type Answer = { status: number; headers: http.IncomingHttpHeaders; body: string; isCut: boolean };

/** Reads an answer up to `maxBytes`; the connection of a longer one is closed. */
async function readBody(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<Pick<Answer, 'body' | 'isCut'>> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) return { body: '', isCut: true };
    pieces.push(piece);
  }
  return { body: Buffer.concat(pieces).toString(), isCut: false };
}

const parse = (text: string): { json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

/** Sends one request. A connection that the server closed just before is replaced once. */
async function send(
  url: URL,
  options: https.RequestOptions,
  body: Buffer,
  maxBytes: number,
): Promise<Answer> {
  const request = (url.protocol === 'https:' ? https : http).request(url, options);
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const status = response.statusCode ?? 0;
    const isOk = status >= 200 && status < 300;
    const read = await readBody(response, isOk ? maxBytes : ERROR_MAX_BYTES);
    return { status, headers: response.headers, ...read };
  } catch (error) {
    const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
    if (!wasClosed || options.signal?.aborted) throw error;
    return await send(url, { ...options, agent: false }, body, maxBytes);
  } finally {
    request.destroy();
  }
}

/** Reads what the server has answered. @throws ModelFailure */
function readAnswer({ status, headers, body, isCut }: Answer, who: string, secrets: Secrets): unknown {
  const parsed = parse(body);
  if (status < 200 || status >= 300) throw failureOf({ who, status, headers, answer: parsed?.json }, secrets);
  if (isCut) throw new WrongAnswer(`${who} answered with far more than what was asked for.`);
  if (parsed !== undefined) return parsed.json;
  throw new ModelUnavailable(`${who} answered with something else than JSON: is that its address?`, true);
}

/** Returns a function that posts JSON to this server and reads its answer, in JSON too. Redirects are not followed. */
export function createPost({ who, url, apiKey, answerMs = ANSWER_MS }: Asked): Post {
  const Agent = url.protocol === 'https:' ? https.Agent : http.Agent;
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL_MAX, timeout: IDLE_MS });
  const named = `${who} at ${url.href}`;
  return async ({ body, texts, maxBytes, signal }) => {
    signal.throwIfAborted();
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = {
      'content-type': 'application/json',
      'content-length': bytes.length,
      accept: 'application/json',
      'user-agent': 'knowledge-retrieval',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    };
    const inTime = AbortSignal.timeout(answerMs);
    const both = AbortSignal.any([signal, inTime]);
    let answer: Answer;
    try {
      answer = await send(url, { method: 'POST', headers, agent, signal: both }, bytes, maxBytes);
    } catch (error) {
      signal.throwIfAborted();
      if (inTime.aborted) throw new AnswerLate(`${named} did not answer within ${answerMs / 1000} s.`);
      const code = codeOf(error) || 'no valid HTTP answer';
      throw new ModelUnavailable(`${named} cannot be reached (${code}).`);
    }
    return readAnswer(answer, named, { apiKey, texts });
  };
}
