/** Upload addresses: how clients may send the bytes, and which upload counts. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../harness/calls/expect-refusal.ts';
import { sendAndHangUp } from '../../../harness/calls/raw-socket.ts';
import { pathOf, untilFinal, upload } from '../../../harness/calls/uploading.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
/** A ticket for `size` bytes, in a new knowledge base. */
async function newTicket(size: number) {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads' });
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size });
  return { ...ticket, knowledgeBaseId };
}

/** Imports the file of this ticket. Returns the text of its best passage. */
async function importedText({ fileId, knowledgeBaseId }: Awaited<ReturnType<typeof newTicket>>) {
  const { id } = await api.importFile(fileId);
  await untilFinal(api, id);
  const [found] = await api.query({ query: 'note', knowledgeBaseIds: [knowledgeBaseId] });
  return found?.content;
}

test.each([
  ['no headers at all', {}],
  ['the Content-Type of curl --data-binary', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a binary Content-Type', { 'content-type': 'application/octet-stream' }],
  ['a Content-Type that is none', { 'content-type': ';;;' }],
  ['JSON as Content-Type', { 'content-type': 'application/json; charset=latin1' }],
  ['a chunked body', { 'transfer-encoding': 'chunked' }],
  ['a key, which is ignored', { 'x-api-key': 'kr_wrong' }],
  ['an Origin', { origin: 'https://page.example' }],
])('200: accepts the raw bytes with %s', async (_, headers) => {
  const ticket = await newTicket(9);
  const answer = await upload(ticket, 'some note', headers);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ data: { fileId: ticket.fileId, size: 9 } });
  expect(await importedText(ticket)).toBe('some note');
});

/** Sends the head of a PUT of four bytes, and waits for 100 Continue. `answered`: the final answer. */
async function beginUpload(uploadUrl: string) {
  const headers = { expect: '100-continue', 'content-length': 4 };
  const sent = httpRequest(uploadUrl, { method: 'PUT', headers });
  const answered = once(sent, 'response').then(async ([response]) => ({
    status: response.statusCode,
    headers: response.headers,
    body: JSON.parse(await text(response)),
  }));
  sent.flushHeaders();
  await once(sent, 'continue');
  return { sent, answered };
}

test('200: answers Expect: 100-continue before the bytes are sent', async () => {
  const { uploadUrl } = await newTicket(4);
  const { sent, answered } = await beginUpload(uploadUrl);
  sent.end('four');
  expect(await answered).toMatchObject({ status: 200, body: { success: true } });
});

test('200: accepts bytes of every value, in small pieces', async () => {
  const bytes = Uint8Array.from({ length: 4096 }, (_, index) => index % 256);
  const { uploadUrl } = await newTicket(bytes.byteLength);
  const sent = httpRequest(uploadUrl, { method: 'PUT' });
  const answered = once(sent, 'response');
  for (let offset = 0; offset < bytes.byteLength; offset += 64)
    sent.write(bytes.subarray(offset, offset + 64));
  sent.end();
  const [response] = await answered;
  expect(JSON.parse(await text(response))).toMatchObject({ success: true, data: { size: 4096 } });
});

test('200: the largest file, of 52,428,800 bytes, arrives', async () => {
  const ticket = await newTicket(52_428_800);
  const answer = await upload(ticket, new Uint8Array(52_428_800).fill(32));
  expect(answer.body).toMatchObject({ success: true, data: { size: 52_428_800 } });
});

test('503 SERVICE_UNAVAILABLE: a second body of a file during its first; after the first it is accepted', async () => {
  const { uploadUrl } = await newTicket(4);
  const first = await beginUpload(uploadUrl);
  const second = await beginUpload(uploadUrl);
  second.sent.end('two!');
  expect(await second.answered).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { errorCode: 'SERVICE_UNAVAILABLE' },
  });
  const third = await beginUpload(uploadUrl);
  first.sent.end('one!');
  third.sent.end('end!');
  expect([(await first.answered).status, (await third.answered).status]).toEqual([200, 200]);
});

const chunked = { 'transfer-encoding': 'chunked' };

test.each([
  ['shorter than declared', 'three', {}],
  ['longer than declared', 'a note that is too long', {}],
  ['without bytes', '', {}],
  ['in chunks, shorter than declared', 'three', chunked],
  ['in chunks, longer than declared', 'a note that is too long', chunked],
  ['much longer than declared', 'x'.repeat(3_000_000), {}],
  ['in chunks, much longer than declared', 'x'.repeat(3_000_000), chunked],
])('422 INPUT_VALIDATION_FAILED: a body %s; ticket and connection stay usable', async (_, body, headers) => {
  const ticket = await newTicket(9);
  for (let time = 0; time < 3; time += 1) {
    expectRefusal(await upload(ticket, body, headers), 422, 'INPUT_VALIDATION_FAILED');
  }
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 409, 'FILE_NOT_UPLOADED');
  expect((await upload(ticket, 'last note')).status).toBe(200);
  expect(await importedText(ticket)).toBe('last note');
});

test('422 INPUT_VALIDATION_FAILED: a body of the wrong length does not replace an earlier one', async () => {
  const ticket = await newTicket(9);
  await upload(ticket, 'good note');
  expectRefusal(await upload(ticket, 'bad note'), 422, 'INPUT_VALIDATION_FAILED');
  expectRefusal(await upload(ticket, 'bad note!!', chunked), 422, 'INPUT_VALIDATION_FAILED');
  expect(await importedText(ticket)).toBe('good note');
});

test('200: an interrupted upload does not count', async () => {
  const ticket = await newTicket(9);
  const head = (length: string) => `PUT ${pathOf(ticket.uploadUrl)} HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`;
  await sendAndHangUp(`${head('Content-Length: 9')}half`);
  await sendAndHangUp(`${head('Transfer-Encoding: chunked')}9\r\nbad note!\r\n`);
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 409, 'FILE_NOT_UPLOADED');
  await upload(ticket, 'good note');
  await sendAndHangUp(`${head('Content-Length: 9')}half`);
  expect(await importedText(ticket)).toBe('good note');
});

test('200: can be repeated until the import; the last complete body wins', async () => {
  const ticket = await newTicket(9);
  for (const body of ['1st note!', '2nd note!', '3rd note!']) {
    expect((await upload(ticket, body)).status).toBe(200);
  }
  expect(await importedText(ticket)).toBe('3rd note!');
});

test('200: one of several concurrent bodies is stored whole', async () => {
  const ticket = await newTicket(100_000);
  const letters = ['a', 'b', 'c', 'd'];
  const answers = await createInParallel(4, (index) =>
    upload(ticket, `note ${letters[index]?.repeat(99)} `.repeat(1000).slice(0, 100_000).padEnd(100_000)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const stored = await importedText(ticket);
  expect(letters).toContain(stored?.replaceAll(/note|\s/g, '').replaceAll(/(.)\1+/g, '$1'));
});

test('409 FILE_ALREADY_IMPORTED: after the import; the document stays as it is', async () => {
  const ticket = await newTicket(9);
  await upload(ticket, 'good note');
  expect(await importedText(ticket)).toBe('good note');
  expectRefusal(await upload(ticket, 'evil note'), 409, 'FILE_ALREADY_IMPORTED');
  expect(await importedText(ticket)).toBe('good note');
});
