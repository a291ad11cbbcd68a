/** The id under which client and log speak of a request. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Ids that a client may choose itself, so that its log and ours meet. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The client's own id where it sends a good one, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
