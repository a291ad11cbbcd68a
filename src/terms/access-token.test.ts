/** The form of tokens. What they open: authenticate.test.ts. */
import { expect, test } from 'vitest';
import { createAccessTokens, isTokenText } from './access-token.ts';

const KEY_ID = 'a'.repeat(24);
const SIGNATURE = 'A'.repeat(43);
const tokens = createAccessTokens('a secret of the deployment, long enough');

test.each([
  `kr_${KEY_ID}_e30_${SIGNATURE}`,
  `krt_${KEY_ID}_${SIGNATURE}`,
  `krt_${KEY_ID}__${SIGNATURE}`,
  `krt_${KEY_ID}_e30_${SIGNATURE}A=`,
  `krt_${KEY_ID}_e30.${SIGNATURE}`,
  `krt_${KEY_ID}_e30_${SIGNATURE}\n`,
  `krt_${'A'.repeat(24)}_e30_${SIGNATURE}`,
  `krt_${KEY_ID}_${'_'.repeat(12_001)}_${SIGNATURE}`,
])('%s has no form of a token', (text) => {
  expect(isTokenText(text)).toBe(false);
});

test('content and signature may hold underscores', () => {
  expect(isTokenText(`krt_${KEY_ID}_e_30__${'_'.repeat(43)}`)).toBe(true);
  const issued = { keyId: KEY_ID, expiresAt: new Date(Date.UTC(2100, 0, 1)) };
  expect(tokens.read(tokens.issue(issued))).toMatchObject(issued);
});

/** The shortest time of several readings. */
function timeOf(text: string): number {
  const times = Array.from({ length: 20 }, () => {
    const begunAtMs = performance.now();
    tokens.read(text);
    return performance.now() - begunAtMs;
  });
  return Math.min(...times);
}

test('what everybody can send takes no longer than a signature of the same length', () => {
  const signed = `krt_${KEY_ID}_${'e'.repeat(12_000)}_${SIGNATURE}`;
  const underscores = `krt_${KEY_ID}_${'_'.repeat(12_000)}.${SIGNATURE}`;
  expect(timeOf(underscores)).toBeLessThan(5 * timeOf(signed));
});
