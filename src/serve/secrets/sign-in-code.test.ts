/** A sign-in code returns the key once, in time, and to nobody else. */
import { expect, test } from 'vitest';
import { createSignInCode } from './sign-in-code.ts';

const readKey = async () => 'kr_key';

test('the code returns the key once; a wrong one returns nothing, and spends nothing', async () => {
  const { code, redeem } = createSignInCode(readKey);
  for (const wrong of ['', `${code}x`, code.slice(1), code.toUpperCase()])
    expect(await redeem(wrong)).toBeUndefined();
  const both = await Promise.all([redeem(code), redeem(code)]);
  expect(both).toEqual(['kr_key', undefined]);
  expect(await redeem(code)).toBeUndefined();
});

test('after five minutes the code is worth nothing', async () => {
  let now = 0;
  const { code, redeem } = createSignInCode(readKey, () => now);
  now = 5 * 60_000;
  expect(await redeem(code)).toBeUndefined();
});

test('each start has another code', () => {
  expect(createSignInCode(readKey).code).not.toBe(createSignInCode(readKey).code);
});
