/** Recognises subtitles and JSON by lines by their content, since logs and transcripts have any name. */

const SUBRIP = new RegExp(
  String.raw`^(?:\xef\xbb\xbf)?\s*(?:\d+\s*\r?\n)?\s*` +
    String.raw`(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*-->\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}`,
);
const SBV = /^(?:\xef\xbb\xbf)?\s*\d{1,2}:\d\d:\d\d\.\d{3},\d{1,2}:\d\d:\d\d\.\d{3}\s*\n/;
const TIMED_TEXT = new RegExp(
  String.raw`^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*` +
    String.raw`(?:<\?xml[^>]*>\s*)?<(?:\w+:)?tt\s[^>]*http:\/\/www\.w3\.org\/(?:ns\/ttml|\d{4}\/\d\d\/ttaf1)`,
);
/** SAMI, which is written in HTML. */
const SAMI = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<SAMI[\s>]/i;
/** MicroDVD: `{1}{1}25.000`, `{25}{75}The gulls|are calling`. Two lines at least. */
const MICRO_DVD = /^(?:\xef\xbb\xbf)?\s*\{\d+\}\{\d*\}[^\r\n]*\r?\n\s*\{\d+\}\{\d*\}/;
/** Lyrics: `[00:12.00]The gulls`, after facts such as `[ti:Harbour]`. Two lines at least. Chats have no dot. */
const LYRICS =
  /^(?:\xef\xbb\xbf)?\s*(?:\[[a-z#]{1,10}:[^\]\r\n]*\]\s*){0,20}(?:\[\d{1,3}:\d\d\.\d{2,3}\][^\r\n]*\r?\n\s*){2}/i;
const SUBSTATION = /^(?:\xef\xbb\xbf)?\[Script Info\]/i;

/** `head`: the beginning of a text, without zero bytes. */
export function subtitleType(head: string): 'srt' | 'vtt' | undefined {
  if (/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?WEBVTT(?:\s|$)/.test(head)) return 'vtt';
  return [SUBRIP, SUBSTATION, SBV, TIMED_TEXT, SAMI, MICRO_DVD, LYRICS].some((begins) => begins.test(head))
    ? 'srt'
    : undefined;
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
