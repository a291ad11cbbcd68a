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
