/**
 * Access tokens: `krt_<key id>_<content>_<signature>`. A token stands for a key for a time, and sees no more than it.
 * Nothing of it is stored: it ends with its key, or at its time by the servers' clocks.
 */
import { createHmac } from 'node:crypto';
import type { Filter } from '../../generated/types.gen.ts';
import { isSameSecret } from './api-key.ts';

/** `filter`: what it sees of the documents of its key; undefined: all of them. */
export type AccessToken = { keyId: string; filter?: Filter | undefined; expiresAt: Date };

const PATTERN = /^krt_([0-9a-f]{24})_([\w-]{1,12000})_([\w-]{43})$/;

/** Whether a text has the form of a token. */
export const isTokenText = (text: string): boolean => PATTERN.test(text);

/** The content of a token: a time in seconds, and a filter. */
type Content = { exp: number; filter?: Filter };

export type AccessTokens = {
  /** Makes the token. Its time is cut to whole seconds. */
  issue(token: AccessToken): string;
  /** The token in a text; undefined: this service has not made it, or its time is over. */
  read(text: string): AccessToken | undefined;
};

/** @param secret that of the deployment: all of its servers know it, and a copy of the database does not have it */
export function createAccessTokens(secret: string, nowMs = Date.now): AccessTokens {
  const signatureOf = (keyId: string, content: string): Buffer =>
    createHmac('sha256', secret).update(['access token', keyId, content].join('\n')).digest();
  return {
    issue({ keyId, filter, expiresAt }) {
      const exp = Math.floor(expiresAt.getTime() / 1000);
      const content = Buffer.from(JSON.stringify({ exp, filter })).toString('base64url');
      return `krt_${keyId}_${content}_${signatureOf(keyId, content).toString('base64url')}`;
    },
    read(text) {
      const [, keyId, content, signature] = PATTERN.exec(text) ?? [];
      if (keyId === undefined || content === undefined || signature === undefined) return undefined;
      if (!isSameSecret(Buffer.from(signature, 'base64url'), signatureOf(keyId, content))) return undefined;
      const { exp, filter } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Content; // signed by `issue`
      return exp * 1000 > nowMs() ? { keyId, filter, expiresAt: new Date(exp * 1000) } : undefined;
    },
  };
}
