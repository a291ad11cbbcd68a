/**
 * Changes that the contract allows. The run must not report them. A run that compared bytes would catch every bug, but
 * report these too.
 */
import type { SearchResult } from '../../../generated/types.gen.ts';
import { inAnswer, inBody, inErrorData, inItems, withHeaders, without } from './bug.ts';

/** The same JSON value with the fields of each object in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, field]) => [key, reversed(field)]);
  return Object.fromEntries(entries.toReversed());
}

export const ALLOWED_CHANGES = [
  inBody('another message', 'getDocument 404', (body) => ({ ...body, message: 'Nothing here.' })),
  inBody('fields in another order', 'query 200', reversed),
  inAnswer('JSON over several lines', 'listDocuments 200', (answer) => ({
    ...answer,
    text: JSON.stringify(answer.body, null, 2),
  })),
  inAnswer('an additional header', 'getUsage 200', (answer) => withHeaders(answer, { 'x-cache': 'miss' })),
  inAnswer('a longer Retry-After', 'getBalance 503', (answer) =>
    withHeaders(answer, { 'retry-after': '30' }),
  ),
  inErrorData('an additional field in error data', 'listDocuments 404', () => ({ searched: 'all shards' })),
  inItems<SearchResult>('no location (it is optional)', 'query', (item) => without(item, 'location')),
];
