/** What the reader of a mail sees: subject, people, date, body once, attachments. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import {
  attachmentPart,
  base64Part,
  mailOf,
  mimePart,
  multipart,
} from '../../testing/containers/made-mails.ts';
import { docxOf, pdfOf } from '../../testing/made-files.ts';
import { writeZip } from '../../testing/write-zip.ts';

const read = async (message: string | Buffer, fileName = 'a.eml') => {
  const bytes = typeof message === 'string' ? Buffer.from(message, 'utf8') : message;
  const extraction = await extractFile({ fileName, bytes });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  return extraction;
};
const textOf = async (message: string | Buffer) => (await read(message)).extracted.text;
const failureOf = async (message: string) => {
  const extraction = await extractFile({ fileName: 'a.eml', bytes: Buffer.from(message) });
  return 'failure' in extraction ? extraction.failure : undefined;
};

const HEADERS = ['From: Ada <ada@example.org>', 'To: team@example.org', 'Subject: Keys'];
const PLAIN = mimePart(['Content-Type: text/plain; charset=utf-8'], 'The plain body.');
const HTML = mimePart(
  ['Content-Type: text/html; charset=utf-8'],
  '<h1>Keys</h1><p>The <b>rich</b> body.</p>',
);

test('encoded words, quoted-printable and the better of two bodies, once; an attachment below its name', async () => {
  const body = multipart('alternative', [
    mimePart(
      ['Content-Type: text/plain; charset="utf-8"', 'Content-Transfer-Encoding: quoted-printable'],
      'der Schl=C3=BCssel liegt beim Pf=C3=B6rt=\r\nner.',
    ),
    mimePart(
      ['Content-Type: text/html; charset="utf-8"', 'Content-Transfer-Encoding: quoted-printable'],
      '<p>der <b>Schl=C3=BCssel</b> liegt beim Pf=C3=B6rt=\r\nner.</p>',
    ),
  ]);
  const mail = mailOf(
    [
      'Subject: =?utf-8?q?Schl=C3=BCssel=C3=BCbergabe_f=C3=BCr?= das Lager',
      'From: =?utf-8?q?J=C3=B6rg_M=C3=B6ller?= <jm@example.org>',
      'To: team@example.org',
      'Cc: =?iso-8859-1?Q?Andr=E9?= <a@example.org>',
      'Date: Mon, 03 Jun 2024 09:00:00 +0200',
    ],
    'mixed',
    [
      mimePart([body.header], body.content),
      attachmentPart('plan.pdf', pdfOf([[{ size: 10, text: 'The cellar.' }]])),
    ],
  );
  const { type, extracted, warnings } = await read(mail);
  expect({ type, warnings }).toEqual({ type: 'eml', warnings: [] });
  expect(extracted.text).toBe(
    'Schlüsselübergabe für das Lager\n\nFrom: Jörg Möller <jm@example.org>\nTo: team@example.org\n' +
      'Cc: André <a@example.org>\nDate: Mon, 03 Jun 2024 09:00:00 +0200\n\nder Schlüssel liegt beim Pförtner.\n\n' +
      'plan.pdf\n\nThe cellar.',
  );
  expect(extracted.headings.map(({ level, text }) => ({ level, text }))).toEqual([
    { level: 1, text: 'Schlüsselübergabe für das Lager' },
    { level: 2, text: 'plan.pdf' },
  ]);
  // The page of the attachment, and none of the mail.
  expect(extracted.pages.map(({ page }) => page)).toEqual([undefined, undefined, 1, 1]);
});

test('a body in base64', async () => {
  const mail = base64Part(
    [
      'Subject: Water meter',
      'From: a@example.org',
      'Content-Type: text/plain; charset="utf-8"',
      'MIME-Version: 1.0',
    ],
    'The water meter is read on the third of June. Please keep the cellar open.\n',
  );
  expect(await textOf(mail)).toBe(
    'Water meter\n\nFrom: a@example.org\n\nThe water meter is read on the third of June. Please keep the cellar open.',
  );
});

describe('of the parts of a message', () => {
  const body = async (kind: string, parts: string[]) =>
    (await textOf(mailOf(HEADERS, kind, parts))).replace(/^Keys\n\n(?:\w+: .*\n)*\n?/, '');

  it.each([
    ['HTML, whatever stands last', [HTML, PLAIN], 'Keys\n\nThe rich body.'],
    [
      'the plain text of a page without text',
      [PLAIN, mimePart(['Content-Type: text/html'], '<img src=x>')],
      'The plain body.',
    ],
  ])('an alternative is read: %s', async (_which, parts, text) => {
    expect(await body('alternative', parts)).toBe(text);
  });

  it('keeps what is attached in one of the alternatives', async () => {
    const mixed = multipart('mixed', [HTML, attachmentPart('list.txt', 'One key.')]);
    expect(await body('alternative', [PLAIN, mimePart([mixed.header], mixed.content)])).toBe(
      'Keys\n\nThe rich body.\n\nlist.txt\n\nOne key.',
    );
  });

  it('leaves out pictures of the page, signatures and styles, without a warning', async () => {
    const mail = mailOf(HEADERS, 'related', [
      HTML,
      base64Part(['Content-Type: image/png; name=logo.png', 'Content-ID: <logo>'], '\x89PNG'),
      base64Part(['Content-Type: application/pkcs7-signature; name=smime.p7s'], 'signature'),
      mimePart(['Content-Type: text/css'], 'p { color: red }'),
    ]);
    const { extracted, warnings } = await read(mail);
    expect(extracted.text).toMatch(/The rich body\.$/);
    expect(warnings).toEqual([]);
  });

  it('names what is attached and not read, with the reason', async () => {
    const mail = mailOf(HEADERS, 'mixed', [
      PLAIN,
      attachmentPart('scan.png', Buffer.from('\x89PNG', 'latin1'), 'image/png'),
      attachmentPart('secret.zip', writeZip([{ name: 'a.txt', content: 'x', flags: 1 }])),
    ]);
    expect((await read(mail)).warnings).toEqual([
      {
        code: 'PARTS_NOT_READ',
        message: '2 attachments were not read: scan.png (a PNG picture), secret.zip (it needs a password).',
      },
    ]);
  });

  it('reads a mail in the mail, an office document and an archive, each below its name', async () => {
    const inner = mailOf(['Subject: Older', 'From: b@example.org'], 'mixed', [
      PLAIN,
      attachmentPart('n.csv', 'a,b\n1,2\n'),
    ]);
    const docx = writeZip(docxOf('<w:p><w:r><w:t>Signed by all.</w:t></w:r></w:p>'));
    const zip = writeZip([{ name: 'in/deed.docx', content: docx }]);
    const mail = mailOf(HEADERS, 'mixed', [
      PLAIN,
      mimePart(['Content-Type: message/rfc822'], inner),
      attachmentPart('all.zip', zip),
    ]);
    const { headings, text, tables } = (await read(mail)).extracted;
    expect(headings.map((heading) => `${heading.level} ${text.slice(heading.start, heading.end)}`)).toEqual([
      '1 Keys',
      '2 Older',
      '3 n.csv',
      '2 all.zip',
      '3 in/deed.docx',
    ]);
    expect(tables.map(({ start, end }) => text.slice(start, end))).toEqual(['a | b\n1 | 2']);
    expect(text).toContain('in/deed.docx\n\nSigned by all.');
  });

  it('shows an invitation as its reader sees it, once', async () => {
    const calendar = [
      'BEGIN:VCALENDAR',
      'METHOD:REQUEST',
      'BEGIN:VTIMEZONE',
      'BEGIN:STANDARD',
      'DTSTART:16010101T000000',
      'END:STANDARD',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'SUMMARY:Budget\\, part',
      '  1',
      'DTSTART;TZID=Europe/Berlin:20240603T090000',
      'DTEND:20240603T080000Z',
      'LOCATION:Room 4',
      'ORGANIZER;CN="Ada L.":mailto:ada@example.org',
      'ATTENDEE;ROLE=REQ-PARTICIPANT;MEMBER="mailto:x@example.org","mailto:y@example.org";' +
        'CN=Bob:mailto:bob@example.org',
      'BEGIN:VALARM',
      'DESCRIPTION:Reminder',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n');
    const part = mimePart(['Content-Type: text/calendar; charset=utf-8; method=REQUEST'], calendar);
    const file = base64Part(
      [
        'Content-Type: application/ics; name="invite.ics"',
        'Content-Disposition: attachment; filename="invite.ics"',
      ],
      calendar,
    );
    const alternatives = multipart('alternative', [PLAIN, part]);
    const text = await body('mixed', [mimePart([alternatives.header], alternatives.content), file]);
    expect(text).toBe(
      'The plain body.\n\nBudget, part 1\n\nStart: 2024-06-03 09:00 Europe/Berlin\nEnd: 2024-06-03 08:00 UTC\n' +
        'Place: Room 4\nOrganizer: Ada L. <ada@example.org>\nAttendees: Bob <bob@example.org>',
    );
  });
});

test.each([
  ['PGP', mailOf(HEADERS, 'encrypted', [attachmentPart('a.asc', 'x', 'application/pgp-encrypted')])],
  [
    'S/MIME',
    base64Part([...HEADERS, 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data'], 'x'),
  ],
])('a mail that is encrypted by %s is refused', async (_how, mail) => {
  expect(await failureOf(mail)).toEqual({
    code: 'FILE_ENCRYPTED',
    message: 'The message is encrypted: open it in the mail program, and save it without encryption.',
  });
});

test('a page that a browser saved has the text of the page', async () => {
  const page = mimePart(
    [
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Location: https://example.org/',
    ],
    '<!DOCTYPE html><html><head><meta http-equiv=3D"Content-Type" content=3D"text/html; charset=3DUTF-8"></head>' +
      '<body><h1>Tide table</h1>' +
      '<p>High water at the jetty is at 06:12, and the caf=C3=A9 opens an h=\r\nour later.</p></body>' +
      '</html>',
  );
  const { type, extracted } = await read(
    mailOf(
      ['From: <Saved by Blink>', 'Snapshot-Content-Location: https://example.org/', 'Subject: Tide table'],
      'related',
      [
        page,
        base64Part(['Content-Type: image/png', 'Content-Location: https://example.org/a.png'], '\x89PNG'),
      ],
    ),
    'page.mhtml',
  );
  expect(type).toBe('mhtml');
  expect(extracted.text).toBe(
    'Tide table\n\nHigh water at the jetty is at 06:12, and the café opens an hour later.',
  );
});
