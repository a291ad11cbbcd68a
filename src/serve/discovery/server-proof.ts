/**
 * Challenge and response: a command verifies that the program at an address has written its file in DATA_DIR/servers.
 * A port alone proves nothing: when a server is killed, any program may listen there. Neither
 * does the deployment id, which anyone could read at `/livez` before.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../terms/api-key.ts';

const CHALLENGE = /^[0-9a-f]{64}$/;

/**
 * Makes the secret of one run of a server: 64 characters. It leaves the process only in the file of `announceServer`.
 */
export const makeProofSecret = (): string => randomBytes(32).toString('hex');

/** Makes a question that has never been asked before: an earlier answer does not fit it. */
export const makeChallenge = (): string => randomBytes(32).toString('hex');

const sign = (secret: string, challenge: string): Buffer =>
  createHmac('sha256', secret).update(`knowledge-retrieval /livez ${challenge}`).digest();

/** The answer to a challenge, in hexadecimal; undefined for anything that `makeChallenge` does not make. */
export const prove = (secret: string, challenge: unknown): string | undefined =>
  typeof challenge === 'string' && CHALLENGE.test(challenge)
    ? sign(secret, challenge).toString('hex')
    : undefined;

/** Whether `proof` is the answer of the server with this secret. Takes the same time for every wrong one. */
export const isProof = (proof: unknown, secret: string, challenge: string): boolean =>
  typeof proof === 'string' && isSameSecret(Buffer.from(proof, 'hex'), sign(secret, challenge));
