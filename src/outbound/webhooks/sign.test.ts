/** The reference implementation of Standard Webhooks verifies what this code signs. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSecret, formatSecret, signedHeaders } from './sign.ts';

const body = JSON.stringify({ type: 'document.processed', data: { title: 'Übersicht 知识 😀' } });
const sign = (secret: Buffer, sentAt = new Date()) => signedHeaders(secret, { id: 'event', sentAt, body });

test('the reference implementation verifies the signature', () => {
  const secret = createSecret();
  expect(new Webhook(formatSecret(secret)).verify(body, sign(secret))).toEqual(JSON.parse(body));
});

test('it refuses another secret, another body, another event and an old request', () => {
  const secret = createSecret();
  const receiver = new Webhook(formatSecret(secret));
  const headers = sign(secret);
  expect(() => receiver.verify(body, sign(createSecret()))).toThrow('No matching signature');
  expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'other' })).toThrow('No matching signature');
  expect(() => receiver.verify(body, sign(secret, new Date(Date.now() - 3_600_000)))).toThrow('too old');
});
