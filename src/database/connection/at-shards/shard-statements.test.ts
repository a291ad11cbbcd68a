/** Which statements run in one shard. What they do there is tested in serve/slow/distributed.test.ts. */
import { expect, test } from 'vitest';
import { singleOf } from './shard-statements.ts';

const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

test.each([
  ['an array with one id', [FIRST], FIRST],
  ['an array with one id several times', [FIRST, FIRST], FIRST],
  ['an id', FIRST, FIRST],
  ['PostgreSQL’s notation of one id', `{${FIRST}}`, FIRST],
  ['two ids', [FIRST, SECOND], undefined],
  ['PostgreSQL’s notation of two ids', `{${FIRST},${SECOND}}`, undefined],
  ['no id', [], undefined],
  ['PostgreSQL’s notation of no id', '{}', undefined],
  ['NULL', undefined, undefined],
])('the single knowledge base of %s', (_, ids, expected) => {
  expect(singleOf(ids)).toBe(expected);
});
