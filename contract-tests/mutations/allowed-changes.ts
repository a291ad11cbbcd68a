/**
 * Changes that the contract allows. The run must not report them: a run that compares bytes would catch every bug, and
 * prove nothing.
 */
import type { SearchResult } from '../../generated/types.gen.ts';
import { inAnswer, inBody, inErrorData, inItems, withHeaders, without } from './bug.ts';

/** The same JSON value, written with its fields the other way round. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, field]) => [key, reversed(field)]);
  return Object.fromEntries(entries.toReversed());
}

export const ALLOWED_CHANGES = [
  inBody('another wording', 'getDocument 404', (body) => ({ ...body, message: 'Nothing here.' })),
  inBody('fields in another order', 'query 200', reversed),
  inAnswer('JSON over several lines', 'listDocuments 200', (answer) => ({
    ...answer,
    text: JSON.stringify(answer.body, null, 2),
  })),
  inAnswer('an additional header', 'getUsage 200', (answer) => withHeaders(answer, { 'x-cache': 'miss' })),
  inAnswer('a longer wait', 'getBalance 503', (answer) => withHeaders(answer, { 'retry-after': '30' })),
  inErrorData('more about an error', 'listDocuments 404', () => ({ searched: 'all shards' })),
  inItems<SearchResult>('no location, which is optional', 'query', (item) => without(item, 'location')),
];
