/** Reads subtitles of older programs (SAMI, MicroDVD) and lyrics with times (LRC). */
import { readHtml } from '../markup/read-html.ts';
import type { Cue } from './timed-text.ts';

/** The cues of a text in one of these formats; undefined for others. */
export function oldCues(text: string): Cue[] | undefined {
  if (/^\s*<SAMI[\s>]/i.test(text)) return samiCues(text);
  if (FRAMES.test(text.split('\n', 1)[0] ?? '')) return frameCues(text);
  return LYRICS.test(text) ? lyricsCues(text) : undefined;
}

/** How long the last line is taken to last, and each of lyrics until the next one at most, in seconds. */
const LAST_SECONDS = 5;

/**
 * `<SYNC Start=1000><P>The gulls`: shown until the next one, which is empty (`&nbsp;`) at a pause. Of several languages
 * each has its own `P`.
 */
function samiCues(text: string): Cue[] {
  const cues: Cue[] = [];
  let hidden = 0;
  readHtml(text, {
    open(name, attributes) {
      if (name === 'style' || name === 'head') hidden++;
      const last = cues.at(-1);
      if (name === 'br' || name === 'p') last?.lines.push('');
      if (name !== 'sync') return;
      hidden = 0; // the head may not have been closed
      const start = Number.parseInt(attributes.get('start') ?? '', 10) / 1000 || 0;
      if (last) last.end = start;
      cues.push({ start, end: start + LAST_SECONDS, lines: [''] });
    },
    close(name) {
      if (name === 'style' || name === 'head') hidden--;
    },
    text(written) {
      const last = cues.at(-1);
      if (last && hidden === 0) last.lines.push(`${last.lines.pop() ?? ''}${written}`);
    },
  });
  return cues;
}

/** `{25}{75}{y:i}The gulls|are calling`: from frame 25 to frame 75. */
const FRAMES = /^\s*\{(\d{1,9})\}\{(\d{0,9})\}(.*)$/;
/** The first line may have the frames of a second as its text. Otherwise the film has the rate of cinemas. */
const RATE = /^\s*(\d{2,3}(?:\.\d{1,3})?)\s*$/;
const CINEMA_RATE = 23.976;

function frameCues(text: string): Cue[] {
  const cues: Cue[] = [];
  let rate = CINEMA_RATE;
  for (const [i, line] of text.split('\n').entries()) {
    const [, from, until = '', written = ''] = FRAMES.exec(line) ?? [];
    const statedRate = i === 0 ? Number(RATE.exec(written)?.[1] ?? 0) : 0;
    if (statedRate > 0) rate = statedRate;
    else if (from === undefined) addUntimed(cues, line);
    else {
      const start = Number(from) / rate;
      const end = until === '' ? start + LAST_SECONDS : Number(until) / rate;
      cues.push({ start, end, lines: written.replace(/\{[a-z]:[^{}]*\}/gi, '').split('|') });
    }
  }
  return cues;
}

/** A line without a time stays with the line before: the text may be a log or notes, and not what it looks like. */
const addUntimed = (cues: Cue[], line: string): void => void cues.at(-1)?.lines.push(line);

/** The times of a line of lyrics; a repeated line has several. Enhanced ones have further times before words. */
const LYRICS = /^\s*(?:\[[a-z#]{1,10}:|\[\d{1,3}:\d\d\.\d{2,3}\])/i;
const TIMES = /^(?:\s*\[\d{1,3}:\d\d\.\d{2,3}\])+/;
const TIME = /(\d{1,3}):(\d\d\.\d{2,3})/g;
const WORD_TIMES = /<\d{1,3}:\d\d\.\d{2,3}>\s?/g;
/** A line is repeated at this many times at most, which bounds the length of the text. */
const TIMES_MAX = 20;
/** Title, artist, album are shown. The other facts are about the file. */
const FACT = /^\s*\[(?:ti|ar|al):(.*)\]\s*$/i;
const OTHER_FACT = /^\s*\[[a-z#]{1,10}:[^\]]*\]\s*$/i;

function lyricsCues(text: string): Cue[] {
  const cues: Cue[] = [];
  for (const line of text.split('\n')) {
    const fact = FACT.exec(line)?.[1];
    const times = TIMES.exec(line)?.[0] ?? '';
    if (fact !== undefined) cues.push({ start: 0, end: 0, lines: [fact] });
    else if (times === '' && !OTHER_FACT.test(line)) addUntimed(cues, line);
    const words = line.slice(times.length).replace(WORD_TIMES, '');
    for (const [, minutes, seconds] of times.matchAll(TIME).take(TIMES_MAX)) {
      const start = Number(minutes) * 60 + Number(seconds);
      cues.push({ start, end: start + LAST_SECONDS, lines: [words] });
    }
  }
  return cues.sort((a, b) => a.start - b.start);
}
