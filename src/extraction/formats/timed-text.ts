/** Reads subtitles in XML (W3C Timed Text Markup Language 2), as broadcasters and video services write them. */

import type { Attributes } from '../markup/markup-tokens.ts';
import { attribute, readXml } from '../markup/read-xml.ts';

/** What is shown from `start` to `end`, in seconds. */
export type Cue = { start: number; end: number; lines: string[] };

export const TIMED_TEXT =
  /^\s*(?:<\?xml[^>]*>\s*)?<(?:\w+:)?tt\s[^>]*http:\/\/www\.w3\.org\/(?:ns\/ttml|\d{4}\/\d\d\/ttaf1)/;

type Rates = { frame: number; tick: number };

/**
 * A paragraph, or a part of one with times of its own, is a cue. Times count from the times of the elements around it.
 */
export function timedTextCues(bytes: Uint8Array): Cue[] {
  const cues: Cue[] = [];
  const rates: Rates = { frame: 30, tick: 1 };
  /** Of each open element when it begins, and the cue that it is. */
  const open: { begin: number; cue: Cue | undefined }[] = [];
  const current = (): Cue | undefined => open.findLast(({ cue }) => cue !== undefined)?.cue;
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'tt') Object.assign(rates, ratesOf(attributes));
      if (name === 'br') current()?.lines.push('');
      const around = open.at(-1)?.begin ?? 0;
      const written = secondsOf(attribute(attributes, 'begin'), rates);
      const begin = around + (written ?? 0);
      const isCue = name === 'p' || (name === 'span' && written !== undefined);
      const cue = isCue
        ? { start: begin, end: endOf(attributes, { around, begin }, rates), lines: [''] }
        : undefined;
      if (cue) cues.push(cue);
      open.push({ begin, cue });
    },
    close() {
      open.pop();
    },
    text(written) {
      const cue = current();
      if (cue) cue.lines.push(`${cue.lines.pop() ?? ''}${written}`);
    },
  });
  return cues.sort((a, b) => a.start - b.start);
}

function ratesOf(attributes: Attributes): Partial<Rates> {
  const frame = Number(attribute(attributes, 'frameRate'));
  const tick = Number(attribute(attributes, 'tickRate'));
  return { ...(frame > 0 && { frame }), ...(tick > 0 && { tick }) };
}

function endOf(
  attributes: Attributes,
  { around, begin }: { around: number; begin: number },
  rates: Rates,
): number {
  const end = secondsOf(attribute(attributes, 'end'), rates);
  return end === undefined ? begin + (secondsOf(attribute(attributes, 'dur'), rates) ?? 0) : around + end;
}

/** `00:01:14.440`, `00:01:14:11` with frames, `74.44s`, `744400000t` (12.3.1). */
function secondsOf(written: string | undefined, { frame, tick }: Rates): number | undefined {
  const [, hours, minutes, seconds, frames = '0'] =
    /^\s*(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)(?::(\d{1,3}))?/.exec(written ?? '') ?? [];
  if (hours !== undefined)
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(frames) / frame;
  const [, count, unit = ''] = /^\s*(\d{1,15}(?:\.\d{1,9})?)(h|ms|m|s|f|t)\s*$/.exec(written ?? '') ?? [];
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frame, t: 1 / tick };
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 1);
}
