/** Mails of Outlook have the same parts as others, in properties. */
import { expect, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { uint32 } from '../../testing/compound/write-compound.ts';
import { type MadeMessage, msgOf } from '../../testing/containers/made-mails.ts';

const read = async (message: MadeMessage) => {
  const extraction = await extractFile({ fileName: 'a.msg', bytes: msgOf(message) });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  return extraction;
};
const textOf = async (message: MadeMessage) => (await read(message)).extracted.text;

const SUBJECT = 0x0037;
const SENDER = 0x0c1a;
const BODY = 0x1000;
const HTML = 0x1013;
const RTF = 0x1009;
const [KIND, NAME, ADDRESS] = [0x0c15, 0x3001, 0x39fe];
const [DATA, LONG_NAME, METHOD, CONTENT_ID] = [0x3701, 0x3707, 0x3705, 0x3712];
const attached = (name: string, content: string | Uint8Array, texts = {}) => ({
  texts: { [LONG_NAME]: name, ...texts },
  bytes: { [DATA]: Buffer.from(content as string) },
  numbers: { [METHOD]: 1 },
});

test('subject, people, body and attachments', async () => {
  const { type, extracted, warnings } = await read({
    texts: {
      [SUBJECT]: 'Schlüssel',
      [SENDER]: 'Ada Lovelace',
      23809: 'ada@example.org',
      [BODY]: 'The plain body.\r\n',
    },
    bytes: { [HTML]: Buffer.from('<p>The rich <b>caf\xe9</b>.</p>', 'latin1') },
    numbers: { 16381: 1252 },
    recipients: [
      { texts: { [NAME]: 'Bob', [ADDRESS]: 'bob@example.org' }, numbers: { [KIND]: 1 } },
      { texts: { [NAME]: "'eve@example.org'", [ADDRESS]: 'eve@example.org' }, numbers: { [KIND]: 2 } },
      { texts: { [NAME]: 'Hidden' }, numbers: { [KIND]: 3 } },
    ],
    attachments: [
      attached('list.csv', 'a,b\n1,2\n'),
      attached('logo.png', '\x89PNG', { [CONTENT_ID]: 'logo@example.org' }),
      {
        numbers: { [METHOD]: 5 },
        message: {
          texts: { [SUBJECT]: 'Older', [BODY]: 'Before.' },
          attachments: [attached('n.txt', 'A note.')],
        },
      },
      { texts: { [NAME]: 'Sheet' }, numbers: { [METHOD]: 6 } },
    ],
  });
  expect(type).toBe('msg');
  expect(extracted.text).toBe(
    'Schlüssel\n\nFrom: Ada Lovelace <ada@example.org>\nTo: Bob <bob@example.org>\nCc: eve@example.org\n\n' +
      'The rich café.\n\nlist.csv\n\na | b\n1 | 2\n\nOlder\n\nBefore.\n\nn.txt\n\nA note.',
  );
  expect(extracted.headings.map(({ level, text }) => `${level} ${text}`)).toEqual([
    '1 Schlüssel',
    '2 list.csv',
    '2 Older',
    '3 n.txt',
  ]);
  expect(warnings).toEqual([
    { code: 'PARTS_NOT_READ', message: 'One attachment was not read: Sheet (an object of another program).' },
  ]);
});

test('a body in Rich Text, packed as Outlook packs it', async () => {
  const rtf = '{\\rtf1\\ansi The meter is read on {\\b Monday}. The meter.}';
  // Each control byte precedes eight bytes as they are; the last one refers to the end of the dictionary.
  const packed: number[] = [];
  for (let i = 0; i < rtf.length; i += 8) packed.push(0, ...Buffer.from(rtf.slice(i, i + 8)));
  const bytes = Buffer.concat([uint32(packed.length + 12, rtf.length, 0x75465a4c, 0), Buffer.from(packed)]);
  expect(await textOf({ texts: { [SUBJECT]: 'Meter' }, bytes: { [RTF]: bytes } })).toBe(
    'Meter\n\nThe meter is read on Monday. The meter.',
  );
});

test('packed Rich Text refers to what it has already, and to what most texts have', async () => {
  const { unpackRtf } = await import('./compressed-rtf.ts');
  // The example of [MS-OXRTFCP] 3.1.1.2.
  const example =
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0';
  expect(String(unpackRtf(Buffer.from(example, 'hex')))).toBe(
    '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
  );
});

test('a message that is encrypted is refused', async () => {
  const bytes = msgOf({ texts: { 26: 'IPM.Note.SMIME' }, attachments: [attached('smime.p7m', '0\x80')] });
  expect(await extractFile({ fileName: 'a.msg', bytes })).toMatchObject({
    failure: { code: 'FILE_ENCRYPTED' },
  });
});
