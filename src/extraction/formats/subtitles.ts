/**
 * Reads subtitles and transcripts (SubRip, WebVTT, Advanced SubStation Alpha, YouTube's SBV, TTML, older ones) as text
 * with the time of each cue.
 */
import type { CueStart, ExtractedText } from '../../indexing/split/extracted-text.ts';
import { decodeText } from '../decode-text.ts';
import { requireShort } from '../extraction-error.ts';
import { withoutNuls } from '../rendering/text-writer.ts';
import { oldCues } from './old-subtitles.ts';
import { type Cue, TIMED_TEXT, timedTextCues } from './timed-text.ts';

/** A silence of this many seconds ends a paragraph. */
const PAUSE_SECONDS = 3;

/** One cue a line, and an empty line at each pause. @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH */
export function extractSubtitles(bytes: Uint8Array, charset?: string): ExtractedText {
  const written = decodeText(bytes, { charset });
  const cues = readCues(written, bytes);
  const times: CueStart[] = [];
  const pieces: string[] = [];
  let length = 0;
  let end: number | undefined;
  for (const { start, end: until, text } of spokenLines(cues)) {
    const gap = end === undefined ? '' : start - end >= PAUSE_SECONDS ? '\n\n' : '\n';
    times.push({ offset: length + gap.length, seconds: start });
    pieces.push(gap, text);
    length += gap.length + text.length;
    end = until;
  }
  return { text: requireShort(pieces.join('')), headings: [], pages: [], verbatim: [], tables: [], times };
}

function readCues(written: string, bytes: Uint8Array): Iterable<Cue> {
  if (TIMED_TEXT.test(written)) return timedTextCues(bytes);
  if (/^\[Script Info\]/i.test(written)) return dialogueOf(written);
  return oldCues(written) ?? cuesOf(written);
}

/**
 * The text of each cue that adds something. Automatic captions roll: a cue begins with the line that the last one ended
 * with. A voice is named where it begins to speak: `Esme: It's a blue apple tree!`
 */
function* spokenLines(cues: Iterable<Cue>): Generator<{ start: number; end: number; text: string }> {
  let last: string | undefined;
  let voice = '';
  for (const { start, end, lines } of cues) {
    const added: string[] = [];
    for (const line of lines) {
      const speaker = VOICE.exec(line)?.[1]?.trim() ?? '';
      const text = plain(line);
      if (text === '' || text === last) continue;
      added.push(speaker !== '' && speaker !== voice ? `${speaker}: ${text}` : text);
      voice = speaker || voice;
      last = text;
    }
    if (added.length > 0) yield { start, end, text: joinLines(added) };
  }
}

/** A sentence goes on in the next line, but another speaker's dash begins one. */
const joinLines = (lines: string[]): string =>
  lines.reduce((text, line) => `${text}${/^[-–—‐]/.test(line) ? '\n' : ' '}${line}`);

const VOICE = /^<v(?:\.[^\s<>]*)?\s([^<>]*)>/;
const TAG = /<\/?[a-z\d][^<>]*>|\{\\[^{}]*\}/gi;
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  quot: '"',
  lrm: '',
  rlm: '',
};

/** Without tags, styles of a part, and references to characters. */
const plain = (line: string): string =>
  withoutNuls(line)
    .replace(TAG, '')
    .replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();

/** `00:01:14,440 --> 00:01:15,760`; WebVTT has a point and may leave out the hours. */
const CUE_TIMES =
  /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

/** SBV has `0:01:14.440,0:01:15.760`. */
const SBV_TIMES = /^(\d{1,4}):(\d\d):(\d\d)\.(\d{1,3}),(\d{1,4}):(\d\d):(\d\d)\.(\d{1,3})\s*$/;

/**
 * A cue is a line of times and the lines below it. In WebVTT an empty line ends it, and notes and styles may follow. In
 * SubRip only the number of the next cue follows.
 */
function* cuesOf(text: string): Generator<Cue> {
  const isWebVtt = text.startsWith('WEBVTT');
  const isSbv = SBV_TIMES.test(text.trimStart().split('\n', 1)[0] ?? '');
  const timesIn = (line: string) => {
    if (isSbv) return SBV_TIMES.exec(line);
    return line.includes('-->') ? CUE_TIMES.exec(line) : null;
  };
  let cue: Cue | undefined;
  for (const line of text.split('\n')) {
    const times = timesIn(line);
    if (times) {
      if (cue) yield withoutNumber(cue);
      cue = { start: seconds(times.slice(1, 5)), end: seconds(times.slice(5, 9)), lines: [] };
    } else if (line === '' && isWebVtt) {
      if (cue) yield cue;
      cue = undefined;
    } else if (line.trim() !== '') cue?.lines.push(line);
  }
  if (cue) yield withoutNumber(cue);
}

/** Without the number of the next cue. */
const withoutNumber = ({ lines, ...times }: Cue): Cue => ({
  ...times,
  lines: /^\s*\d+\s*$/.test(lines.at(-1) ?? '') ? lines.slice(0, -1) : lines,
});

function seconds([hours = '0', minutes = '0', whole = '0', fraction = '0']: string[]): number {
  return Number(hours || 0) * 3600 + Number(minutes) * 60 + Number(whole) + Number(`0.${fraction}`);
}

/** Fields of a line of dialogue before its text, which may hold commas itself. */
const FIELDS_BEFORE_TEXT = 9;
const DIALOGUE = new RegExp(`^Dialogue:((?:[^,]*,){${FIELDS_BEFORE_TEXT}})(.*)$`);
const POINT = /(\d+):(\d+):(\d+)\.(\d+)/;

/** A drawing in place of text: `{\p1}m 0 0 l 100 0{\p0}`. */
const DRAWING = /\{[^{}]*\\p[1-9][^{}]*\}[^{}]*/g;

/** The lines of dialogue of an .ass file, which need not be in the order of their times. */
function dialogueOf(text: string): Cue[] {
  const cues: Cue[] = [];
  for (const line of text.split('\n')) {
    const [, fields = '', spoken = ''] = DIALOGUE.exec(line) ?? [];
    const [, start = '', end = ''] = fields.split(',');
    const [from, until] = [POINT.exec(start), POINT.exec(end)];
    if (from && until)
      cues.push({
        start: seconds(from.slice(1)),
        end: seconds(until.slice(1)),
        lines: spoken
          .replace(DRAWING, '')
          .replaceAll('\\h', ' ')
          .split(/\\[Nn]/),
      });
  }
  return cues.sort((a, b) => a.start - b.start);
}
