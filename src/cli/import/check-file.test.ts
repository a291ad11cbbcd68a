/** Says why a file will not be sent, and what helps. */
import { expect, test } from 'vitest';
import { checkFile } from './check-file.ts';

const check = async (externalId: string, content: string) =>
  (await checkFile({ path: externalId, externalId, bytes: Buffer.from(content, 'latin1'), isNamed: true }))
    .obstacle;

const NOISE = Array.from({ length: 4_096 }, (_, i) => String.fromCharCode((i * 7_919 + (i >> 3)) % 256)).join(
  '',
);

test.each([
  ['a.pdf', NOISE, /damaged, or no pdf/, /save it anew/],
  ['a.psd', '8BPS\0\x01', /does not read this type: it is a Photoshop picture/, /OCR/],
  ['a.bin', NOISE, /does not read this type\.$/, /^Save it as pdf/],
  ['a.md', '', /empty/, /^$/],
])('%s', async (name, content, reason, help) => {
  expect(await check(name, content)).toMatchObject({
    reason: expect.stringMatching(reason),
    help: expect.stringMatching(help),
  });
});

test('a file that is read has no obstacle', async () => {
  expect(await check('a.pdf', '%PDF-1.4\n')).toBeUndefined();
});
