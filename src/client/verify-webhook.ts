/** Verifies the requests that a webhook receives, by Standard Webhooks 1.0.0. Works wherever Web Crypto does. */
import type { WebhookEvent } from '../../generated/types.gen.ts';
import { invalidArgument, parseJson, webhookNotVerified } from './errors.ts';

/** A request that a webhook has received. */
export type ReceivedWebhook = {
  /** The raw body, before any JSON parser: the signature covers its bytes. */
  body: string | Uint8Array<ArrayBuffer>;
  /** The request's headers, as `Headers` or as Node's object. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The `secret` of createWebhook. */
  secret: string;
  /** How far the clocks of service and receiver may differ. An older request may be a copy. Default: 300. */
  toleranceSeconds?: number;
};

const PREFIX = 'whsec_';

/** The specification recommends five minutes. */
const TOLERANCE_SECONDS = 300;

/** The bytes of text in base64; undefined: it is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function importKey(secret: string) {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0)
    throw invalidArgument('secret', 'secret must be the secret that createWebhook has returned.');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function requireHeader(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw webhookNotVerified(`The request has no header ${name}.`);
  return value;
}

/** The signed bytes: id, timestamp and body, with points between them. */
function signedBytes(id: string, timestamp: string, body: ReceivedWebhook['body']): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  return signed;
}

/**
 * Returns the event of a request that a webhook has received. An event may arrive twice: then the header `webhook-id`
 * is the same.
 * @throws WEBHOOK_NOT_VERIFIED unless it comes from the service, unchanged, and just now
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const key = await importKey(secret);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    requireHeader(headers, name),
  ) as [string, string, string];
  // A timestamp that is no number is far away, too.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw webhookNotVerified('The request is too old, or the clocks differ too much.');
  const signed = signedBytes(id, timestamp, body);
  for (const each of signatures.split(' ')) {
    const [version, text = ''] = each.split(',');
    const signature = version === 'v1' ? fromBase64(text) : undefined;
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      // The event is the service's, as its signature shows.
      return parseJson(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEvent;
  }
  throw webhookNotVerified('The signature is not one of this secret.');
}
