/**
 * The code that a start prints: it opens the console signed in, once, with the key that the first start has made. It is
 * for a service that only this machine reaches.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import { isLoopbackHost } from '../../http/access/own-address.ts';
import { isSameSecret } from '../../terms/api-key.ts';
import { readWorkingKey } from './installation-key.ts';

/**
 * `redeem`: returns the key for the code, once; undefined for any other code, for a second time, and when it is late.
 */
export type SignInCode = { code: string; redeem(given: string): Promise<string | undefined> };

/** Long enough to open a browser. */
const VALID_MS = 5 * 60_000;
/** Nobody guesses this many random bytes. */
const CODE_BYTES = 24;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Makes a code for the key that `readKey` returns. `nowMs`: a clock that never goes back. */
export function createSignInCode(
  readKey: () => Promise<string | undefined>,
  nowMs = () => performance.now(),
): SignInCode {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const expected = sha256(code);
  let endMs = nowMs() + VALID_MS;
  return {
    code,
    async redeem(given) {
      if (!isSameSecret(sha256(given), expected) || nowMs() >= endMs) return undefined;
      endMs = Number.NEGATIVE_INFINITY;
      return await readKey();
    },
  };
}

/**
 * Makes the code of a start. Undefined where others may reach the service, directly or by its public address, and where
 * DATA_DIR has no key that works.
 */
export async function offerSignInCode(database: Database, config: Config): Promise<SignInCode | undefined> {
  const { host, baseUrl, bootstrapApiKey } = config;
  if (!isLoopbackHost(host) || baseUrl !== undefined || bootstrapApiKey !== undefined) return undefined;
  const readKey = () => readWorkingKey(database, config);
  return (await readKey()) === undefined ? undefined : createSignInCode(readKey);
}
