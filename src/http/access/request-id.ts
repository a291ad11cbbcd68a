/** The id of a request, in the client's log and in the service's log. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The form of an id that a client may choose. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The client's own id where it is valid, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
