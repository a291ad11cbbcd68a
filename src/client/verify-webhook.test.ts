/** verifyWebhook accepts what Standard Webhooks' reference implementation signs, and nothing else. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook } from './verify-webhook.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDuIZpXzqXDps=';
const event = {
  type: 'webhook.test',
  timestamp: '2026-01-15T10:02:09.730Z',
  data: { id: 'Übersicht 知识 😀' },
};
const body = JSON.stringify(event);

function headersAt(time = new Date(), id = 'event'): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, time, body),
  };
}

const notVerified = (message: string) =>
  expect.objectContaining({ errorCode: 'WEBHOOK_NOT_VERIFIED', message: expect.stringContaining(message) });

test("returns the event, with Node's headers or Headers, of text or bytes", async () => {
  const headers = headersAt();
  expect(await verifyWebhook({ body, headers, secret })).toEqual(event);
  expect(await verifyWebhook({ body, headers: new Headers(headers), secret })).toEqual(event);
  const bytes = new TextEncoder().encode(body);
  expect(await verifyWebhook({ body: bytes, headers, secret })).toEqual(event);
});

test('one of several signatures suffices: secrets may be exchanged', async () => {
  const headers = headersAt();
  headers['webhook-signature'] = `v1a,xyz v1,AAAA v1,??? ${headers['webhook-signature']}`;
  expect(await verifyWebhook({ body, headers, secret })).toEqual(event);
});

test('refuses another body, event, secret or signature', async () => {
  const headers = headersAt();
  const other = 'whsec_AAFVsBQIhrscChlQIMV+b5sSYspob7oDuIZpXzqXDps=';
  for (const changed of [
    { body: `${body} `, headers, secret },
    { body, headers: { ...headers, 'webhook-id': 'other' }, secret },
    { body, headers: { ...headers, 'webhook-signature': 'v1,AAAA' }, secret },
    { body, headers: { ...headers, 'webhook-signature': 'v2,' }, secret },
    { body, headers, secret: other },
  ])
    await expect(verifyWebhook(changed)).rejects.toEqual(notVerified('signature'));
});

test('refuses a request without one of the headers', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: _, ...rest } = headersAt();
    await expect(verifyWebhook({ body, headers: rest, secret })).rejects.toEqual(notVerified(name));
    await expect(verifyWebhook({ body, headers: new Headers(rest), secret })).rejects.toEqual(
      notVerified(name),
    );
  }
});

test('refuses requests that are too old, from the future, or without a time', async () => {
  const now = Date.now();
  for (const seconds of [-3_600, 3_600]) {
    const headers = headersAt(new Date(now + seconds * 1000));
    await expect(verifyWebhook({ body, headers, secret })).rejects.toEqual(notVerified('too old'));
    expect(await verifyWebhook({ body, headers, secret, toleranceSeconds: 4_000 })).toEqual(event);
  }
  const headers = { ...headersAt(), 'webhook-timestamp': 'now' };
  await expect(verifyWebhook({ body, headers, secret })).rejects.toEqual(notVerified('too old'));
});

test('a secret that is none is an invalid argument', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_!'])
    await expect(verifyWebhook({ body, headers: headersAt(), secret: wrong })).rejects.toMatchObject({
      errorCode: 'INVALID_ARGUMENT',
      data: { argument: 'secret' },
    });
});
