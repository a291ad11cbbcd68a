/** The operations on keys and tokens. The mock takes any key, and so any token. */
import { createAccessTokens } from '../../../../src/terms/access-token.ts';
import type { MemoryAnswers } from './answer-types.ts';

const tokens = createAccessTokens('mock');
const KEY_ID = '0'.repeat(24);

export const keyAnswers = {
  createToken({ filter, expiresIn = 3_600 }) {
    const expiresAt = new Date((Math.ceil(Date.now() / 1000) + expiresIn) * 1000);
    const token = tokens.issue({ keyId: KEY_ID, filter, expiresAt });
    return { data: { token, expiresAt: expiresAt.toISOString() } };
  },
} satisfies Partial<MemoryAnswers>;
