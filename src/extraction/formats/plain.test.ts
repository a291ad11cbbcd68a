/** Plain text stays as it is, apart from what is no text for a reader. */
import { expect, test } from 'vitest';
import { extractFile } from '../extract.ts';

const read = async (content: string, fileName: string) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
  return 'failure' in extraction ? extraction.failure.code : extraction.extracted.text;
};

test('a calendar has its entries as their reader sees them', async () => {
  const entry = (summary: string, more = '') => `BEGIN:VEVENT\r\nSUMMARY:${summary}\r\n${more}END:VEVENT\r\n`;
  const calendar = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${entry('High wa\r\n ter', 'DTSTART;VALUE=DATE:20240603\r\n')}${entry('Low', 'DESCRIPTION:One\\nTwo\r\n')}END:VCALENDAR\r\n`;
  expect(await read(calendar, 'tides.ics')).toBe('High water\n\nStart: 2024-06-03\n\nLow\n\nOne\n\nTwo');
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
