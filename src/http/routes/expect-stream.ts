/** Prepares an answer for a streamed body. */
import type { Context } from 'koa';

/** Server, Koa and a stream wait for the end of a response by eleven listeners; Node warns above ten. */
const LISTENERS_MAX = 20;

export const expectStream = ({ res }: Pick<Context, 'res'>): void => void res.setMaxListeners(LISTENERS_MAX);
