/** A time from the start of a recording as players show it: 765.48 → `00:12:45`; hours from 100 on have more digits. */
export function formatTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
