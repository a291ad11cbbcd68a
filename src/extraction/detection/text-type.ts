/** Recognises subtitles and JSON by lines by their content, since logs and transcripts have any name. */

const SUBRIP =
  /^(?:\xef\xbb\xbf)?\s*(?:\d+\s*\r?\n)?\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*-->\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}/;
const SBV = /^(?:\xef\xbb\xbf)?\s*\d{1,2}:\d\d:\d\d\.\d{3},\d{1,2}:\d\d:\d\d\.\d{3}\s*\n/;
const TIMED_TEXT =
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<\?xml[^>]*>\s*)?<(?:\w+:)?tt\s[^>]*http:\/\/www\.w3\.org\/(?:ns\/ttml|\d{4}\/\d\d\/ttaf1)/;
const SUBSTATION = /^(?:\xef\xbb\xbf)?\[Script Info\]/i;

/** `head`: the beginning of a text, without zero bytes. */
export function subtitleType(head: string): 'srt' | 'vtt' | undefined {
  if (/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?WEBVTT(?:\s|$)/.test(head)) return 'vtt';
  return [SUBRIP, SUBSTATION, SBV, TIMED_TEXT].some((begins) => begins.test(head)) ? 'srt' : undefined;
}

/** Whether each of the first lines is an object in JSON. Two at least, since a note may hold one. */
export function isJsonLines(head: string): boolean {
  if (!/^(?:\xef\xbb\xbf)?\s*\{/.test(head)) return false;
  const lines = head
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n', JUDGED_LINES)
    .filter((line) => line.trim() !== '');
  // The last line may be cut off.
  return lines.length > 1 && lines.slice(0, -1).every(isObject) && /^\s*\{/.test(lines.at(-1) ?? '');
}

const JUDGED_LINES = 5;

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
