/** The package postal-mime keeps the tree of parts where the service reads it. */
import { expect, test } from 'vitest';
import { readMime } from './postal-mime-insides.ts';

const CHANGED = 'the package postal-mime keeps its tree of parts in another form: see postal-mime-insides.ts';

const MESSAGE = [
  'Subject: =?utf-8?q?Caf=C3=A9?=',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: Text/HTML; charset="windows-1252"',
  'Content-Transfer-Encoding: quoted-printable',
  'Content-ID: <page@example.org>',
  '',
  '<p>caf=E9</p>',
  '--outer',
  "Content-Disposition: Attachment; filename*=utf-8''pl%C3%A4ne.txt",
  'Content-Transfer-Encoding: base64',
  '',
  'YWJj',
  '--outer--',
].join('\r\n');

test('the tree has types, parameters, names and decoded bytes', async () => {
  const { headers, type, parts } = await readMime(Buffer.from(MESSAGE));
  expect(type, CHANGED).toBe('multipart/mixed');
  expect(headers[0], CHANGED).toMatchObject({ key: 'subject', value: '=?utf-8?q?Caf=C3=A9?=' });
  expect(parts, CHANGED).toMatchObject([
    {
      type: 'text/html',
      parameters: { charset: 'windows-1252' },
      contentId: '<page@example.org>',
      disposition: '',
      parts: [],
    },
    { type: 'text/plain', disposition: 'attachment', fileName: 'pläne.txt' },
  ]);
  expect(
    parts.map(({ bytes }) => Buffer.from(bytes).toString('latin1').trim()),
    CHANGED,
  ).toEqual(['<p>caf\xe9</p>', 'abc']);
});
