/** Plain text stays as it is, apart from what is no text for a reader. */
import { expect, test } from 'vitest';
import { extractFile } from '../extract.ts';

const read = async (content: string, fileName: string) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
  return 'failure' in extraction ? extraction.failure.code : extraction.extracted.text;
};

const entry = (summary: string, more = '') => `BEGIN:VEVENT\r\nSUMMARY:${summary}\r\n${more}END:VEVENT\r\n`;

test('a calendar has its entries as their reader sees them', async () => {
  const calendar =
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n` +
    `${entry('High wa\r\n ter', 'DTSTART;VALUE=DATE:20240603\r\n')}` +
    `${entry('Low', 'DESCRIPTION:One\\nTwo\r\n')}END:VCALENDAR\r\n`;
  expect(await read(calendar, 'tides.ics')).toBe('High water\n\nStart: 2024-06-03\n\nLow\n\nOne\n\nTwo');
});

test.each([
  ['FREQ=DAILY', 'every day'],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20311231T000000Z',
    'every 2 weeks on Monday, Wednesday until 2031-12-31 00:00 UTC',
  ],
  ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=12;WKST=MO', 'every month on the last Friday, 12 times'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,-1', 'every month on day 15, the last day'],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;BYSETPOS=1', 'every year in November on the fourth Thursday BYSETPOS=1'],
  ['FREQ=SOMETIMES', 'FREQ=SOMETIMES'],
])('an entry that is repeated by %s says so', async (rule, expected) => {
  const times = 'DTSTART;VALUE=DATE:20310307\r\n';
  const calendar = `BEGIN:VCALENDAR\r\n${entry('Rent', `${times}RRULE:${rule}\r\n`)}END:VCALENDAR\r\n`;
  expect(await read(calendar, 'rent.ics')).toBe(`Rent\n\nStart: 2031-03-07\nRepeats: ${expected}`);
});

test('an entry names the days on which it is repeated, or not', async () => {
  const days = 'RDATE:20310401T080000Z\r\nEXDATE;VALUE=DATE:20310321,20310404\r\nEXDATE:20310328T143000\r\n';
  const calendar = `BEGIN:VCALENDAR\r\n${entry('Tides', days)}END:VCALENDAR\r\n`;
  expect(await read(calendar, 'tides.ics')).toBe(
    'Tides\n\nAlso: 2031-04-01 08:00 UTC\nExcept: 2031-03-21, 2031-04-04, 2031-03-28 14:30',
  );
});

test('a calendar without entries, and a text about calendars, stay as they are', async () => {
  for (const text of ['BEGIN:VCALENDAR\nEND:VCALENDAR\n', 'BEGIN:VCALENDAR is how a calendar begins.\n'])
    expect(await read(text, 'a.txt')).toBe(text);
});

test('a contact has its name, and how to reach the person', async () => {
  const card =
    'BEGIN:VCARD\r\nVERSION:2.1\r\nN:Berg;Ida;;;\r\nitem1.ORG:Harbour\\, ' +
    'Ulm;Sales\r\nTEL;TYPE="work,voice":+49 731 555\r\n' +
    'ADR;TYPE=WORK:;;Kai 7;Ulm;;89073;Germany\r\nEMAIL:mailto:ida@exam\r\n ' +
    'ple.org\r\nPHOTO;ENCODING=b;TYPE=JPEG:QUJDQUJD\r\n' +
    'NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Spricht =\r\nD=C3=A4nisch =\r\nund Englisch\r\nEND:VCARD\r\n' +
    'BEGIN:VCARD\r\nFN:Harbour office\r\nN:office;Harbour\r\nEND:VCARD\r\n';
  expect(await read(card, 'people.vcf')).toBe(
    'Ida Berg\n\nCompany: Harbour, Ulm Sales\nPhone: +49 731 555\nAddress: Kai 7 Ulm 89073 Germany\n' +
      'E-mail: ida@example.org\nNote: Spricht Dänisch und Englisch\n\nHarbour office',
  );
  expect(await read(`BEGIN:VCARD\n${';a="b'.repeat(20_000)}`, 'a.vcf')).toMatch(/^BEGIN:VCARD/);
});
