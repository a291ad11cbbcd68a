/** The life of a document or knowledge base as its clients know it, and whether a request may or must see it. */

/** Returns a later time at each call. All clients of a run share one clock, which orders their sends and answers. */
export type Clock = () => number;

export function createClock(): Clock {
  let now = 0;
  return () => ++now;
}

/**
 * `begunAt`, `endBegunAt`: when the first request for its creation or its end was sent.
 * `madeAt`, `endedAt`: when the answer arrived. Between the two the state is unknown; if the answer was lost, for ever.
 * Undefined: not yet.
 */
export type Life = { begunAt: number; madeAt?: number; endBegunAt?: number; endedAt?: number };

/** An answered request, from its sending on. */
export type Span = { sentAt: number; answeredAt: number };

/** It was created before the request was sent, and its end was not requested before the answer came. */
export const mustBeSeen = ({ madeAt, endBegunAt }: Life, { sentAt, answeredAt }: Span): boolean =>
  madeAt !== undefined && madeAt < sentAt && (endBegunAt === undefined || endBegunAt > answeredAt);

/** Its creation was requested before the answer came, and its end was not acknowledged when the request was sent. */
export const mayBeSeen = ({ begunAt, endedAt }: Life, { sentAt, answeredAt }: Span): boolean =>
  begunAt < answeredAt && (endedAt === undefined || endedAt > sentAt);

/** Settles an unknown state by whether it exists. No request that could change it may be in progress. */
export function settle(life: Life, { isThere, now }: { isThere: boolean; now: number }): void {
  if (!isThere) {
    life.endBegunAt ??= now;
    life.endedAt ??= now;
    return;
  }
  life.madeAt ??= now;
  // The request for its end was lost.
  if (life.endedAt === undefined) delete life.endBegunAt;
}
