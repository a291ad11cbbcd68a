/** Mails of Outlook have the same parts as others, in properties. */
import { describe, expect, it, test } from 'vitest';
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

describe('items of Outlook that are no mails', () => {
  const [CLASS, COMPANY] = [0x001a, 0x3a16];
  const read = async (message: MadeMessage, named: [set: number, id: number][]) => {
    const extraction = await extractFile({ fileName: 'a.msg', bytes: msgOf(message, named) });
    return 'extracted' in extraction ? extraction.extracted.text : extraction.failure.message;
  };

  it('an appointment says when and where, also inside a mail', async () => {
    const appointment = {
      texts: { [CLASS]: 'IPM.Appointment', [SUBJECT]: 'Board', 32768: 'Room Oak', [BODY]: 'Fees.' },
      times: { 32769: Date.UTC(2031, 2, 7, 14, 30), 32770: Date.UTC(2031, 2, 7, 16) },
    };
    const named: [number, number][] = [
      [0x00062002, 0x8208],
      [0x00062002, 0x820d],
      [0x00062002, 0x820e],
    ];
    const text = 'Board\n\nStart: 2031-03-07 14:30 UTC\nEnd: 2031-03-07 16:00 UTC\nPlace: Room Oak\n\nFees.';
    expect(await read(appointment, named)).toBe(text);
    const mail = {
      texts: { [SUBJECT]: 'Fwd' },
      attachments: [{ numbers: { [METHOD]: 5 }, message: appointment }],
    };
    expect(await read(mail, named)).toBe(`Fwd\n\n${text}`);
  });

  it('a contact says how to reach the person, a task when it is due', async () => {
    const contact = {
      texts: {
        [CLASS]: 'IPM.Contact',
        [SUBJECT]: 'Ida Berg',
        [COMPANY]: 'Harbour',
        32768: 'ida@example.org',
      },
    };
    // A property of the same id in another set is another one.
    expect(
      await read({ texts: { ...contact.texts, 32769: 'wrong' } }, [
        [0x00062004, 0x8083],
        [0x00062003, 0x8093],
      ]),
    ).toBe('Ida Berg\n\nCompany: Harbour\nE-mail: ida@example.org');
    const task = {
      texts: { [CLASS]: 'IPM.Task', [SUBJECT]: 'Rope' },
      times: { 32768: Date.UTC(2031, 3, 1) },
    };
    expect(await read(task, [[0x00062003, 0x8105]])).toBe('Rope\n\nDue: 2031-04-01 00:00 UTC');
  });
});

test('a message that is encrypted is refused', async () => {
  const bytes = msgOf({ texts: { 26: 'IPM.Note.SMIME' }, attachments: [attached('smime.p7m', '0\x80')] });
  expect(await extractFile({ fileName: 'a.msg', bytes })).toMatchObject({
    failure: { code: 'FILE_ENCRYPTED' },
  });
});
