/** The answers of a server that says no: what they mean, and what of them may be repeated. */
import {
  BatchRefused,
  type ModelFailure,
  ModelUnavailable,
  NothingThere,
  RateLimited,
} from '../model-failures.ts';

/** Characters of a server's message that are repeated. */
const MESSAGE_MAX_LENGTH = 200;
/** A message that repeats as many characters of a text in a row quotes it. */
const QUOTE_LENGTH = 24;

/** A longer wait is cut to this, so that a wrong header does not silence a server for days. */
const LONGEST_WAIT_MS = 3_600_000;

/** How llama.cpp, which answers 500, and others say that a text is too long. */
const TOO_LONG =
  /too (large|long|many)|exceed|maximum context|context (length|size|window)|must have less than/i;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The first text of those places where servers put their message; undefined: there is none. */
export function messageIn(answer: unknown): string | undefined {
  if (typeof answer === 'string') return answer;
  if (Array.isArray(answer)) return messageIn(answer[0]);
  if (!isObject(answer)) return undefined;
  // OpenAI, vLLM, Ollama, Infinity: error.message; TEI, LM Studio: error; FastAPI: detail, detail[0].msg
  return messageIn(answer.error ?? answer.message ?? answer.detail ?? answer.msg);
}

/** Whether a message repeats a part of one of the texts. */
const quotes = (message: string, texts: readonly string[]): boolean => {
  for (let from = 0; from + QUOTE_LENGTH <= message.length; from++) {
    const part = message.slice(from, from + QUOTE_LENGTH);
    if (texts.some((text) => text.includes(part))) return true;
  }
  return texts.some((text) => text.length > 3 && text.length < QUOTE_LENGTH && message.includes(text));
};

/** A message that has as many characters of the key in a row has a part of it. */
const KEY_PART_LENGTH = 8;

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');

/** Whether a message has a part of the key, in whichever case, and with whatever between its letters and digits. */
function hasKey(message: string, apiKey: string): boolean {
  const [letters, key] = [lettersOf(message), lettersOf(apiKey)];
  if (message.includes(apiKey)) return true;
  for (let from = 0; from + KEY_PART_LENGTH <= key.length; from++)
    if (letters.includes(key.slice(from, from + KEY_PART_LENGTH))) return true;
  return false;
}

/** What must not be in a message. */
export type Secrets = { apiKey: string | undefined; texts: readonly string[] };

/** A server's message in one line, as `: message`; '' where there is none that may be repeated. */
export function repeatable(answer: unknown, { apiKey, texts }: Secrets): string {
  const message = messageIn(answer)
    ?.slice(0, 10 * MESSAGE_MAX_LENGTH)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  if (!message || (apiKey !== undefined && hasKey(message, apiKey)) || quotes(message, texts)) return '';
  const characters = [...message];
  const isCut = characters.length > MESSAGE_MAX_LENGTH;
  return `: ${characters.slice(0, MESSAGE_MAX_LENGTH).join('')}${isCut ? '…' : ''}`;
}

/** Headers of an answer, by their names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * When a server may be asked again (RFC 9110, Retry-After: seconds or a date), in milliseconds from now; undefined: it
 * does not say. OpenAI and Azure have milliseconds in a header of their own.
 */
export function waitOf(headers: Headers): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  const text = String(headers['retry-after'] ?? '').trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // By the server's own clock, if it shows one.
  const now = Date.parse(String(headers.date ?? '')) || Date.now();
  const found = [milliseconds, seconds * 1000, Date.parse(text) - now].find((wait) => !Number.isNaN(wait));
  return found === undefined ? undefined : Math.min(Math.max(found, 0), LONGEST_WAIT_MS);
}

/** `who`: the server as the subject of a sentence. `answer`: its body, parsed where it is JSON. */
export type ErrorAnswer = { who: string; status: number; headers: Headers; answer: unknown };

/** The failure that an answer without success means. */
export function failureOf({ who, status, headers, answer }: ErrorAnswer, secrets: Secrets): ModelFailure {
  const said = `${who} answered with status ${status}`;
  if (status >= 300 && status < 400)
    return new ModelUnavailable(`${said}; redirects are not followed.`, true);
  // Its message may hold a part of the key.
  if (status === 401 || status === 403) return new ModelUnavailable(`${said}: it refuses the key.`);
  const sentence = `${said}${repeatable(answer, secrets)}`;
  const wait = waitOf(headers);
  if (status === 429 || (status === 503 && wait !== undefined)) return new RateLimited(sentence, wait);
  if (status === 400 || status === 413 || status === 422) return new BatchRefused(sentence);
  if (status === 500 && TOO_LONG.test(messageIn(answer) ?? '')) return new BatchRefused(sentence);
  if (status === 404 || status === 405) return new NothingThere(sentence, true);
  // With 502, 503 or 504 a gateway answers when it cannot reach the server behind it.
  return new ModelUnavailable(sentence, ![502, 503, 504].includes(status));
}
