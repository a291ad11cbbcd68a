/** Tells how often a calendar's entry takes place (iCalendar, RFC 5545, 3.3.10), as its reader sees it. */

const UNITS: Record<string, string> = {
  ...{ SECONDLY: 'second', MINUTELY: 'minute', HOURLY: 'hour' },
  ...{ DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' },
};
const DAYS: Record<string, string> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday' },
  ...{ FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
};
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/**
 * `FREQ=MONTHLY;BYDAY=-1FR;COUNT=12` → `every month on the last Friday, 12 times`. Parts that people seldom see stay
 * as they are. `dateOf`: a time of the calendar → the time as its reader sees it.
 */
export function recurrenceText(rule: string, dateOf: (time: string) => string): string {
  const parts = new Map(
    rule
      .toUpperCase()
      .split(';')
      .map((part): [string, string] => {
        const [name = '', value = ''] = part.trim().split('=');
        return [name, value];
      }),
  );
  const unit = UNITS[parts.get('FREQ') ?? ''];
  if (unit === undefined) return rule.trim();
  const interval = parts.get('INTERVAL') ?? '1';
  const texts = [interval === '1' ? `every ${unit}` : `every ${interval} ${unit}s`];
  let ends = '';
  for (const [name, value] of parts) {
    if (value === '' || name === 'FREQ' || name === 'INTERVAL' || name === 'WKST') continue;
    if (name === 'COUNT') ends = `, ${value} ${value === '1' ? 'time' : 'times'}`;
    else if (name === 'UNTIL') ends = ` until ${dateOf(value)}`;
    else texts.push(partOf(name, value.split(',')));
  }
  return `${texts.join(' ')}${ends}`;
}

function partOf(name: string, values: string[]): string {
  if (name === 'BYDAY') return `on ${values.map(dayOf).join(', ')}`;
  if (name === 'BYMONTHDAY') return `on ${values.map((value) => numbered(Number(value), 'day')).join(', ')}`;
  if (name === 'BYMONTH') return `in ${values.map((value) => MONTHS[Number(value) - 1] ?? value).join(', ')}`;
  return `${name}=${values.join(',')}`;
}

/** `MO` → `Monday`, `2MO` → `the second Monday`, `-1FR` → `the last Friday`. */
function dayOf(value: string): string {
  const [, number = '', day = ''] = /^([+-]?\d{0,2})([A-Z]{2})$/.exec(value) ?? [];
  const name = DAYS[day] ?? value;
  return number === '' ? name : numbered(Number(number), name);
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Counted from the end where it is negative. */
function numbered(number: number, name: string): string {
  if (number === -1) return `the last ${name}`;
  if (number < 0) return `the ${name} ${-number - 1} before the last`;
  return name === 'day' ? `day ${number}` : `the ${ORDINALS[number - 1] ?? `${number}th`} ${name}`;
}
