/** When something has begun and ended as far as its clients know, and so what a request may and must have seen of it. */

/** Gives ever later times; all clients of a run read one clock, so that its times order what they have sent and heard. */
export type Clock = () => number;

export function createClock(): Clock {
  let now = 0;
  return () => ++now;
}

/**
 * `begunAt`, `endBegunAt`: when the first request that asks for it was sent; `madeAt`, `endedAt`: when its answer was
 * here. Between the two, and for ever where the answer was lost, nobody knows. Undefined: not yet.
 */
export type Life = { begunAt: number; madeAt?: number; endBegunAt?: number; endedAt?: number };

/** A request that has been answered, from its sending on. */
export type Span = { sentAt: number; answeredAt: number };

/** Made before the request was sent, and nobody had asked for its end when the answer came. */
export const mustBeSeen = ({ madeAt, endBegunAt }: Life, { sentAt, answeredAt }: Span): boolean =>
  madeAt !== undefined && madeAt < sentAt && (endBegunAt === undefined || endBegunAt > answeredAt);

/** Asked for before the answer came, and its end was not acknowledged when the request was sent. */
export const mayBeSeen = ({ begunAt, endedAt }: Life, { sentAt, answeredAt }: Span): boolean =>
  begunAt < answeredAt && (endedAt === undefined || endedAt > sentAt);

/** What was in doubt turns out to be there, or not, when nothing that could change it is under way any more. */
export function settle(life: Life, { isThere, now }: { isThere: boolean; now: number }): void {
  if (!isThere) {
    life.endBegunAt ??= now;
    life.endedAt ??= now;
    return;
  }
  life.madeAt ??= now;
  // An end that was asked for has not come, and will not.
  if (life.endedAt === undefined) delete life.endBegunAt;
}
