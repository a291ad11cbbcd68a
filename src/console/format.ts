/** Numbers and sizes as people read them. */

const counts = new Intl.NumberFormat('en');
export const formatCount = (count: number): string => counts.format(count);

/** 1, 'passage' → '1 passage'; 1200, 'passage' → '1,200 passages' */
export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 482133 → '471 KiB'; 1841029 → '1.8 MiB' */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${amount.toFixed(power > 0 && amount < 10 ? 1 : 0)} ${UNITS[power]}`;
}

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
/** '2026-01-15T09:31:07.245Z' → 'Jan 15, 2026, 10:31:07 AM' in the time zone of the browser. */
export const formatTime = (timestamp: string): string => absolute.format(new Date(timestamp));

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** The time since then: '3 minutes ago'; after a week the day. */
export function formatAge(timestamp: string, nowMs = Date.now()): string {
  const seconds = (nowMs - Date.parse(timestamp)) / 1000;
  if (seconds > 7 * 86_400) return day.format(new Date(timestamp));
  for (const [unit, length] of STEPS)
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  return 'just now';
}

/** A small note at a passage that OCR has read. */
export const describeRecognised = ({ confidence }: { confidence: number }): string =>
  `recognised (OCR), ${Math.round(100 * confidence)} % sure`;

/** What OCR has read of a file: { done: 2, of: 12 } → 'page 3 of 12 is being read'; undefined after the last page. */
export const describePages = ({ done, of }: { done: number; of: number }): string | undefined =>
  done < of ? `page ${formatCount(done + 1)} of ${formatCount(of)} is being read` : undefined;
