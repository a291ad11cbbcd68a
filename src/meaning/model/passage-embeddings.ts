/**
 * The vectors of passages, by a model. It has time: it waits for a server that is unreachable or wants fewer requests,
 * finds out how many texts that takes at once, and never lets one text keep the others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createBatchSize } from './batch-size.ts';
import { CALIBRATION_SENTENCES } from './calibration-sentences.ts';
import { halfOf } from './embed-cut.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';
import {
  AnswerLate,
  BatchRefused,
  ModelFailure,
  ModelUnavailable,
  RateLimited,
  WrongAnswer,
} from './model-failures.ts';

/**
 * The vector of a text, as the model makes it. undefined: the server takes this text in no length, and `problem` is a
 * sentence that says why. `isCut`: only the beginning of the text was taken.
 */
export type PassageVector = {
  /** The place of the text among those that were given. */
  index: number;
  vector: Float32Array | undefined;
  isCut: boolean;
  problem: string | undefined;
};

export type PassageEmbeddings = {
  /**
   * The vectors of all texts, in their order, as far as they are made. It may take as long as the server is
   * unreachable.
   * @throws only the reason of the signal
   */
  embedAll(texts: readonly string[], signal: AbortSignal): AsyncGenerator<PassageVector, void>;
};

/** A clock: tests have one of their own. */
export type Clock = { nowMs(): number; wait(ms: number, signal: AbortSignal): Promise<void> };

/** After a failure; each further one doubles the pause. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A text that each server takes that takes any. */
const PROBE = CALIBRATION_SENTENCES[0] ?? '';

const realClock: Clock = {
  nowMs: () => performance.now(),
  async wait(ms, signal) {
    await delay(ms, undefined, { signal, ref: false }).catch(() => {});
    signal.throwIfAborted();
  },
};

/**
 * `batch`: texts of a request at most. `perMinute`: requests; undefined: no limit. `onWait`: called before each wait
 * for the server, with its reason.
 */
export type PassageOptions = {
  batch: number;
  perMinute: number | undefined;
  onWait?: (failure: ModelFailure, waitMs: number) => void;
  clock?: Clock;
};

/** Whether a failure may be due to the texts: others may get an answer. */
const isOfTexts = (failure: ModelFailure): boolean =>
  failure instanceof BatchRefused ||
  failure instanceof WrongAnswer ||
  (failure instanceof ModelUnavailable && failure.isAnswer);

/** Returns a function that waits until the next request may be sent: they are spread evenly over the minute. */
function createPace(perMinute: number | undefined, clock: Clock): (signal: AbortSignal) => Promise<void> {
  const intervalMs = perMinute === undefined ? 0 : 60_000 / perMinute;
  let nextMs = 0;
  return async (signal) => {
    const nowMs = clock.nowMs();
    const waitMs = nextMs - nowMs;
    nextMs = Math.max(nowMs, nextMs) + intervalMs;
    if (waitMs > 0) await clock.wait(waitMs, signal);
  };
}

type Embedded = Omit<PassageVector, 'index'>;

/** Requests to the server one at a time, and waits for it. */
function createCalls(
  server: EmbeddingsServer,
  { perMinute, onWait = () => {}, clock = realClock }: PassageOptions,
) {
  const pace = createPace(perMinute, clock);
  const call = async (
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[] | ModelFailure> => {
    await pace(signal);
    signal.throwIfAborted();
    try {
      return await server.embed(texts, { kind: 'passage', signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelFailure) return error;
      throw error;
    }
  };
  return {
    call,
    /** `waits`: how many there were one after another, with this one. */
    async waitAfter(failure: ModelFailure, waits: number, signal: AbortSignal): Promise<void> {
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (waits - 1), LONGEST_PAUSE_MS);
      const askedMs = failure instanceof RateLimited ? (failure.afterMs ?? 0) : 0;
      const waitMs = Math.max(pauseMs, askedMs);
      onWait(failure, waitMs);
      await clock.wait(waitMs, signal);
    },
    answersProbe: async (signal: AbortSignal): Promise<boolean> =>
      !((await call([PROBE], signal)) instanceof ModelFailure),
  };
}

type Calls = ReturnType<typeof createCalls>;

/** Cuts a text by half until the server takes it. Returns why it does not take it in any length. */
async function embedHalves(
  { call, waitAfter }: Calls,
  text: string,
  signal: AbortSignal,
): Promise<Embedded | ModelFailure> {
  let waits = 0;
  let part = text;
  for (;;) {
    const answer = await call([part], signal);
    if (!(answer instanceof ModelFailure))
      return { vector: answer[0], isCut: part !== text, problem: undefined };
    if (isOfTexts(answer)) {
      const half = halfOf(part);
      if (half === undefined) return answer;
      part = half;
    } else await waitAfter(answer, ++waits, signal);
  }
}

/** Embeds a text that failed alone, while the server answers others. */
async function embedDifficult(calls: Calls, text: string, signal: AbortSignal): Promise<Embedded> {
  for (let waits = 1; ; waits++) {
    const result = await embedHalves(calls, text, signal);
    if (!(result instanceof ModelFailure)) return result;
    // Unless the server has begun to fail meanwhile, it takes the text in no length.
    if (await calls.answersProbe(signal)) return { vector: undefined, isCut: false, problem: result.message };
    await calls.waitAfter(result, waits, signal);
  }
}

/** `server`: asked one request at a time. What it takes is remembered for later calls. */
export function createPassageEmbeddings(
  server: EmbeddingsServer,
  options: PassageOptions,
): PassageEmbeddings {
  const calls = createCalls(server, options);
  const size = createBatchSize(options.batch);

  /** Embeds the first texts, at least one: as many as the server takes at once. */
  const embedFirst = async (texts: readonly string[], signal: AbortSignal): Promise<Embedded[]> => {
    let count = Math.min(texts.length, size.current());
    let waits = 0;
    for (let failures = 1; ; failures++) {
      const answer = await calls.call(texts.slice(0, count), signal);
      if (!(answer instanceof ModelFailure)) {
        size.worked(count);
        return answer.map((vector) => ({ vector, isCut: false, problem: undefined }));
      }
      // A second failure may mean that there are too many: a server can also break down under them.
      const isTooMuch =
        answer instanceof BatchRefused || (answer instanceof AnswerLate && count > 1) || failures % 2 === 0;
      if (isTooMuch && count > 1) {
        count = size.halve(count);
        if (answer instanceof BatchRefused) continue;
      } else if (isTooMuch && isOfTexts(answer) && (await calls.answersProbe(signal))) {
        size.restore();
        return [await embedDifficult(calls, texts[0] ?? '', signal)];
      }
      await calls.waitAfter(answer, ++waits, signal);
    }
  };
  return {
    async *embedAll(texts, signal) {
      let index = 0;
      while (index < texts.length)
        for (const embedded of await embedFirst(texts.slice(index, index + options.batch), signal))
          yield { index: index++, ...embedded };
    },
  };
}
