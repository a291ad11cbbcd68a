/**
 * Signatures of webhooks by Standard Webhooks 1.0.0, "Signature scheme". The package `standardwebhooks` signs the same
 * way, which a test checks; it would be a dependency for three lines.
 */
import { createHmac, randomBytes } from 'node:crypto';

/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

export const createSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The secret as the receiver needs it. */
export const formatSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** The headers of one attempt. `id`: the event's, the same at each attempt. `sentAt`: of this attempt. */
export function signedHeaders(
  secret: Buffer,
  { id, sentAt, body }: { id: string; sentAt: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
