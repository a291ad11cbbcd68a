/** How `status` writes times, rates and shares: short, for columns. */

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** 0.0071 → `7 ms`, 1.25 → `1.3 s`, 42 → `42 s`, 5400 → `1 h 30 min`; null, or what is no time → `-` */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const at = UNITS.findIndex(([size]) => whole >= size);
  const [size, unit] = UNITS[at] ?? UNITS[2];
  const [nextSize, nextUnit] = UNITS[at + 1] ?? [1, 's'];
  const rest = Math.floor((whole % size) / nextSize);
  return `${Math.floor(whole / size)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ''}`;
}

/** 0.04 → `0.04`, 7.26 → `7.3`, 120.4 → `120` */
export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return '-';
  if (perSecond === 0 || perSecond >= 99.5) return String(Math.round(perSecond));
  return perSecond >= 0.095 ? perSecond.toFixed(1) : perSecond.toFixed(2);
}

/** 0.9987 → `99.8 %`; only 1 is `100 %`, and a small share is never `0 %`. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return '-';
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  return `${percent > 0 && percent < 100 ? (Math.floor(percent * 10) / 10).toFixed(1) : Math.round(percent)} %`;
}
