/** The text of a mail: its encoding, its lines, what is written into it, and mails in a mailbox. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { mimePart } from '../../testing/containers/made-mails.ts';

const read = async (message: string | Buffer, fileName = 'a.eml') => {
  const bytes = typeof message === 'string' ? Buffer.from(message, 'utf8') : message;
  const extraction = await extractFile({ fileName, bytes });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  return extraction;
};
const textOf = async (message: string | Buffer) => (await read(message)).extracted.text;

describe('encodings', () => {
  const ofPart = (type: string, content: Buffer) =>
    textOf(
      Buffer.concat([
        Buffer.from(`Subject: Keys\r\nFrom: a@example.org\r\nContent-Type: ${type}\r\n\r\n`),
        content,
      ]),
    );
  const latin1 = (text: string) => Buffer.from(text, 'latin1');

  it.each([
    ['named by the part', 'text/plain; charset=iso-8859-2', latin1('\xb9koda pivo'), 'škoda pivo'],
    [
      'named wrongly, since the bytes are UTF-8',
      'text/plain; charset=us-ascii',
      Buffer.from('Größe'),
      'Größe',
    ],
    [
      'not named',
      'text/plain',
      latin1('Die Schl\xfcssel h\xe4ngen im B\xfcro.'),
      'Die Schlüssel hängen im Büro.',
    ],
    ['named by the page alone', 'text/html', latin1('<meta charset=iso-8859-15><p>5 \xa4'), '5 €'],
  ])('%s', async (_how, type, content, text) => {
    expect(await ofPart(type, content)).toMatch(new RegExp(`${text}$`));
  });

  it('of headers in bytes without an encoding', async () => {
    const mail = latin1(
      'Subject: Schl\xfcssel f\xfcr das B\xfcro\nFrom: J\xf6rg M\xfcller <j@example.org>\n\nText',
    );
    expect(await textOf(mail)).toBe('Schlüssel für das Büro\n\nFrom: Jörg Müller <j@example.org>\n\nText');
  });

  it('of a file in UTF-16', async () => {
    expect(await textOf(Buffer.from('\ufeffSubject: Schlüssel\r\nFrom: a\r\n\r\nText', 'utf16le'))).toBe(
      'Schlüssel\n\nFrom: a\n\nText',
    );
  });
});

describe('plain text', () => {
  const ofText = async (type: string, content: string) =>
    (
      await textOf(mimePart(['Subject: Keys', 'From: a@example.org', `Content-Type: ${type}`], content))
    ).slice('Keys\n\nFrom: a@example.org\n\n'.length);

  it('joins the lines of a flowing paragraph, at each depth of quotation', async () => {
    const text = 'One \r\nsentence.\r\n> Their \r\n> words.\r\n>> Older \r\n> and mixed\r\n-- \r\nAda';
    expect(await ofText('text/plain; format=flowed', text)).toBe(
      'One sentence.\n> Their words.\n>> Older \n> and mixed\n-- \nAda',
    );
    expect(await ofText('text/plain; format=flowed; delsp=yes', 'ideo \r\ngram')).toBe('ideogram');
  });

  it('takes files out of it', async () => {
    const text =
      'See below.\r\nbegin 644 note.txt\r\n+:V5Y(&ES(&QO<W0\r\n`\r\nend\r\nBye.\r\nbegin 5 days later';
    expect(await ofText('text/plain', text)).toBe(
      'See below.\nBye.\nbegin 5 days later\n\nnote.txt\n\nkey is lost',
    );
  });

  it('leaves out the lines of a signature around it', async () => {
    const text =
      '-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nThe keys.\r\n- -- Ada\r\n' +
      '-----BEGIN PGP SIGNATURE-----\r\n\r\niQEz\r\n-----END PGP SIGNATURE-----\r\n';
    expect(await ofText('text/plain', text)).toBe('The keys.\n-- Ada');
  });

  it('says that a part of it is encrypted', async () => {
    const block = '-----BEGIN PGP MESSAGE-----\r\n\r\nhQEM\r\n-----END PGP MESSAGE-----\r\n';
    const { extracted, warnings } = await read(mimePart(['Subject: Keys', 'From: a'], `See:\r\n${block}`));
    expect(extracted.text).toBe('Keys\n\nFrom: a\n\nSee:');
    expect(warnings).toEqual([
      { code: 'PARTS_NOT_READ', message: 'An encrypted part of the mail was not read.' },
    ]);
    const bytes = Buffer.from(mimePart(['Subject: Keys', 'From: a'], block));
    expect(await extractFile({ fileName: 'a.eml', bytes })).toMatchObject({
      failure: { code: 'FILE_ENCRYPTED' },
    });
  });
});

test('a mailbox is a document of its mails', async () => {
  const mailbox =
    'From ada@example.org Mon Jun  3 09:00:00 2024\nSubject: One\nFrom: a\n\n>From the start.\nFrom here on.\n\n' +
    'From bob@example.org Mon Jun  3 10:00:00 2024\nSubject: Two\nFrom: b\n\nSecond.\n';
  for (const text of [mailbox, mailbox.replaceAll('\n', '\r\n')]) {
    const { type, extracted } = await read(Buffer.from(text), 'archive.mbox');
    expect(type).toBe('eml');
    expect(extracted.text).toBe(
      'One\n\nFrom: a\n\nFrom the start.\nFrom here on.\n\nTwo\n\nFrom: b\n\nSecond.',
    );
    expect(extracted.headings.map(({ text: words, level }) => `${level} ${words}`)).toEqual([
      '1 One',
      '1 Two',
    ]);
  }
});

test.each([
  ['a byte order mark', '\ufeffSubject: Keys\nFrom: a\n\nText', 'a.eml'],
  ['empty lines', '\n\nSubject: Keys\nFrom: a\n\nText', 'a.eml'],
  [
    'the separator of mailboxes',
    'From a@example.org Mon Jun  3 09:00:00 2024\nSubject: Keys\nFrom: a\n\nText',
    'a.eml',
  ],
  [
    'a length, as Apple Mail writes it',
    '27\nSubject: Keys\nFrom: a\n\nText\n\n\n<?xml version="1.0"?><plist/>',
    '1.emlx',
  ],
])('%s may precede a mail', async (_what, mail, fileName) => {
  expect((await read(Buffer.from(mail), fileName)).extracted.text).toBe('Keys\n\nFrom: a\n\nText');
});
