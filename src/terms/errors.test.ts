/** Foreign errors become answers that name a cause which the operator can remove. */
import { expect, test } from 'vitest';
import { toServiceError } from './errors.ts';

test.each(['53100', 'ENOSPC', 'EDQUOT'])('%s: the answer and its cause name the full disk', (code) => {
  const error = Object.assign(new Error('could not extend file'), { code });
  const answer = toServiceError(error);
  expect([answer.status, answer.message, answer.cause]).toEqual([
    503,
    expect.stringContaining('disk of the service is full'),
    error,
  ]);
});
