/** The id of a request in the client's log and in this service's log. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Ids that a client may choose, so that its log and this one use the same id. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The client's own id where it is valid, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
