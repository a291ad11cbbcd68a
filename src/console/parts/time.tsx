/** A moment: "3 minutes ago", with the exact time where the pointer rests. */
import { formatAge, formatTime } from '../format.ts';

export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatTime(at)}>
    {formatAge(at)}
  </time>
);
