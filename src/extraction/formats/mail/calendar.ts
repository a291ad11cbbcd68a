/** Writes calendar entries (iCalendar, RFC 5545) as their reader sees them: what, when, where, who. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import { recurrenceText } from './recurrence.ts';

/** `Budget\, part 1` is the value of a property; `tzid` names the time zone of a time. */
type Property = { value: string; parameters: string };
type Entry = Map<string, Property[]>;

/** The entries that people make. Others describe time zones, alarms and free times. */
const ENTRIES = new Set(['VEVENT', 'VTODO', 'VJOURNAL']);

/** One block for each entry. `hasBody`: the mail's own text already says what the descriptions say. */
export function calendarText(calendar: string, { hasBody = false } = {}): ExtractedText {
  const renderer = renderHtml();
  for (const entry of readEntries(calendar)) {
    writeElement(renderer, 'h2', textOf(entry, 'SUMMARY'));
    const lines = {
      Start: timeOf(entry, 'DTSTART'),
      End: timeOf(entry, 'DTEND') || timeOf(entry, 'DUE'),
      Repeats: textsOf(entry, 'RRULE', (rule) => recurrenceText(rule, (time) => readTime(time))),
      Also: textsOf(entry, 'RDATE', timesIn),
      Except: textsOf(entry, 'EXDATE', timesIn),
      Place: textOf(entry, 'LOCATION'),
      Organizer: peopleOf(entry, 'ORGANIZER'),
      Attendees: peopleOf(entry, 'ATTENDEE'),
      Status: textOf(entry, 'STATUS').toLowerCase(),
    };
    renderer.open('p');
    for (const [name, value] of Object.entries(lines)) {
      if (value === '') continue;
      renderer.text(`${name}: ${value}`);
      renderer.open('br');
    }
    renderer.close('p');
    if (!hasBody)
      for (const line of textOf(entry, 'DESCRIPTION').split('\n')) writeElement(renderer, 'p', line);
  }
  return renderer.finish();
}

function* readEntries(calendar: string): Generator<Entry> {
  let entry: Entry | undefined;
  /** What is open inside the entry, as an alarm. */
  let inner = 0;
  // A line that begins with a blank goes on with the previous one (3.1).
  for (const line of calendar.replace(/\n[ \t]/g, '').split('\n')) {
    const [, name = '', parameters = '', value = ''] = PROPERTY.exec(line) ?? [];
    const key = name.toUpperCase();
    if (key === 'BEGIN' && entry) inner++;
    else if (key === 'BEGIN') entry = ENTRIES.has(value.trim().toUpperCase()) ? new Map() : undefined;
    else if (key === 'END' && inner > 0) inner--;
    else if (key === 'END' && entry) {
      yield entry;
      entry = undefined;
    } else if (entry && inner === 0) addProperty(entry, key, { value, parameters });
  }
}

function addProperty(entry: Entry, name: string, property: Property): void {
  const properties = entry.get(name);
  if (properties) properties.push(property);
  else entry.set(name, [property]);
}

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":;])*)*):(.*)$/;

const textOf = (entry: Entry, name: string): string => unescaped(entry.get(name)?.[0]?.value ?? '').trim();

/** A comma, a semicolon and a line end are escaped in texts (3.3.11). */
const unescaped = (text: string): string =>
  text.replace(/\\([nN,;\\])/g, (_whole, escaped: string) =>
    escaped.toLowerCase() === 'n' ? '\n' : escaped,
  );

/** `20240603T090000` → `2024-06-03 09:00`, with its time zone. */
function timeOf(entry: Entry, name: string): string {
  const [time] = entry.get(name) ?? [];
  return readTime(time?.value ?? '', /;TZID="?([^":;]+)/i.exec(time?.parameters ?? '')?.[1]);
}

function readTime(value: string, zoneName = ''): string {
  const [, year, month, day, hour, minute, utc] = TIME.exec(value) ?? [];
  if (year === undefined) return '';
  const date = `${year}-${month}-${day}`;
  return hour === undefined ? date : `${date} ${hour}:${minute} ${utc ? 'UTC' : zoneName}`.trim();
}

/** Several times in one property. A period (3.3.9) is told by its start. */
const timesIn = (value: string): string =>
  value
    .split(',')
    .map((time) => readTime(time))
    .join(', ');

const textsOf = (entry: Entry, name: string, textOfValue: (value: string) => string): string =>
  (entry.get(name) ?? []).map(({ value }) => textOfValue(value.trim())).join(', ');

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?/;

/** `Ada Lovelace <ada@example.org>` for each person. */
function peopleOf(entry: Entry, name: string): string {
  return (entry.get(name) ?? [])
    .map(({ value, parameters }) => {
      const address = value.trim().replace(/^mailto:/i, '');
      const [, quoted, plain] = /;CN=(?:"([^"]*)"|([^":;]+))/i.exec(parameters) ?? [];
      const called = (quoted ?? plain ?? '').trim();
      return called === '' || called === address ? address : `${called} <${address}>`;
    })
    .join(', ');
}
