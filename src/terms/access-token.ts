/**
 * Access tokens: `krt_<key id>_<content>_<signature>`. A token stands for a key for a time, and sees no more than it.
 * The spec states for how long at most (`expiresIn` of createToken).
 * Nothing of it is stored: it ends with its key, or at its time by the servers' clocks.
 */
import { createHmac } from 'node:crypto';
import type { Filter } from '../../generated/types.gen.ts';
import { isSameSecret } from './api-key.ts';

/** `filter`: what it sees of the documents of its key; undefined: all of them. */
export type AccessToken = { keyId: string; filter?: Filter | undefined; expiresAt: Date };

const BEGINNING = /^krt_([0-9a-f]{24})_/;
const CONTENT = /^[\w-]{1,12000}$/;
const END = /_([\w-]{43})$/;
/** Of END, which is looked for there alone: underscores also stand in the content, where each would be tried. */
const END_LENGTH = 44;

/** The parts of a text that has the form of a token; undefined: it has another. */
function partsOf(text: string): { keyId: string; content: string; signature: string } | undefined {
  const [beginning, keyId] = BEGINNING.exec(text) ?? [];
  const [, signature] = END.exec(text.slice(-END_LENGTH)) ?? [];
  if (beginning === undefined || keyId === undefined || signature === undefined) return undefined;
  const content = text.slice(beginning.length, -END_LENGTH);
  return CONTENT.test(content) ? { keyId, content, signature } : undefined;
}

/** Whether a text has the form of a token. */
export const isTokenText = (text: string): boolean => partsOf(text) !== undefined;

/** The content of a token: a time in seconds, and a filter. */
type Content = { exp: number; filter?: Filter };

export type AccessTokens = {
  /** Makes the token. Its time is cut to whole seconds. */
  issue(token: AccessToken): string;
  /** The token in a text; undefined: this service has not made it, or its time is over. */
  read(text: string): AccessToken | undefined;
};

/** @param secret the deployment's: all of its servers know it, and a copy of the database does not have it */
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
      const parts = partsOf(text);
      if (parts === undefined) return undefined;
      const { keyId, content, signature } = parts;
      if (!isSameSecret(Buffer.from(signature, 'base64url'), signatureOf(keyId, content))) return undefined;
      const { exp, filter } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Content; // signed by `issue`
      return exp * 1000 > nowMs() ? { keyId, filter, expiresAt: new Date(exp * 1000) } : undefined;
    },
  };
}
