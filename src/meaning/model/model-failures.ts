/**
 * Why a server with a model gave no answer that can be used. A message is a sentence for the operator. It holds neither
 * the key nor anything of the texts.
 */

/** What all of them are: nothing else is wrong, and the words answer. */
export class ModelFailure extends Error {}

/** The server refused these texts: perhaps they are too many, or one of them is too long. */
export class BatchRefused extends ModelFailure {}

/** The server wants fewer requests. `afterMs`: when it may be asked again; undefined: it did not say. */
export class RateLimited extends ModelFailure {
  readonly afterMs: number | undefined;
  constructor(message: string, afterMs: number | undefined) {
    super(message);
    this.afterMs = afterMs;
  }
}

/**
 * The server cannot be reached, refuses the key, or fails. `isAnswer`: it failed at this request, or takes too long for
 * it, so another one may succeed.
 */
export class ModelUnavailable extends ModelFailure {
  readonly isAnswer: boolean;
  constructor(message: string, isAnswer = false) {
    super(message);
    this.isAnswer = isAnswer;
  }
}

/** The server took too long for this request: it may answer a smaller one. */
export class AnswerLate extends ModelUnavailable {
  constructor(message: string) {
    super(message, true);
  }
}

/** There is nothing at this address, or not this model. */
export class NothingThere extends ModelUnavailable {}

/** The server answered with something else than was asked: too few vectors, another length, no numbers. */
export class WrongAnswer extends ModelFailure {}
