/** A mistyped name leads to the name that was meant, and another word to none. */
import { expect, test } from 'vitest';
import { nearestName } from './near-name.ts';

const NAMES = ['query', 'knowledgeBaseIds', 'limit', 'filter', 'minScore', 'to', 'key'];

test.each([
  ['minscore', 'minScore'],
  ['MINSCORE', 'minScore'],
  ['min_score', 'minScore'],
  ['min-score', 'minScore'],
  ['knowledge_base_ids', 'knowledgeBaseIds'],
  ['knowledgeBaseId', 'knowledgeBaseIds'],
  ['knowlegeBasIds', 'knowledgeBaseIds'],
  ['qeury', 'query'],
  ['limits', 'limit'],
  ['filters', 'filter'],
  ['keys', 'key'],
  ['To', 'to'],
])('%s was meant to be %s', (written, meant) => {
  expect(nearestName(written, NAMES)).toBe(meant);
});

test.each(['verbose', 'offset', 'top', 'topK', 'it', '', '__proto__', '😀', 'limit'.repeat(1_000_000)])(
  'nothing is near',
  (written) => {
    expect(nearestName(written, NAMES)).toBeUndefined();
    expect(nearestName(written, [])).toBeUndefined();
  },
);

test('the nearest name wins, then the first one', () => {
  expect(nearestName('contents', ['contexts', 'content'])).toBe('contexts');
  expect(nearestName('contents', ['contexts', 'contents'])).toBe('contents');
  expect(nearestName('content', ['contents', 'contexts'])).toBe('contents');
});
