/** How commands write numbers, times and choices for people. */

/** 1, `file` → `1 file`; 2,500 → `2500 files` */
export const pluralise = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 1536 → `1.5 KiB`; 10 and more without decimals; what is no size → `-` */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return '-';
  let unit = 0;
  let amount = bytes;
  while (amount >= 1024 && unit + 1 < UNITS.length) {
    amount /= 1024;
    unit += 1;
  }
  const rounded = unit === 0 || amount >= 10 ? Math.round(amount) : Math.round(amount * 10) / 10;
  return `${rounded} ${UNITS[unit]}`;
}

/** `2026-01-15T09:28:41.903Z` → `2026-01-15 09:28`, in UTC. */
export const formatMinute = (time: string | undefined): string =>
  time === undefined ? '' : time.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ');

/** `["a"]` → `a`; three names → `a, b and c`; more than `most` → `a, b and 3 more` */
export function enumerate(names: string[], most = 5): string {
  if (names.length > most) return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
