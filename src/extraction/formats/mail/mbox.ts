/** Splits mailboxes (RFC 4155, and what programs make of it), and Apple Mail's files of one mail. */

/** The line before each mail: `From ada@example.org Mon Jun  3 09:00:00 2024`. */
const SEPARATOR = /^From [^\n]*\d{2}:\d{2}[^\n]*$/;
const SEPARATOR_START = 'From ';
const SEPARATOR_MAX_LENGTH = 500;

/** The mails of a file; itself where it is a single mail. */
export function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.toString('latin1', 0, SEPARATOR_START.length) !== SEPARATOR_START) return [withoutLength(file)];
  const starts = [...separators(file)];
  return starts.map((start, i) => withoutMarks(file.subarray(start, starts[i + 1])));
}

/** The offsets of the lines between mails. An empty line precedes each but the first. */
function* separators(file: Buffer): Generator<number> {
  yield 0;
  for (let at = file.indexOf('\nFrom '); at >= 0; at = file.indexOf('\nFrom ', at + 1)) {
    const isAfterEmptyLine =
      file[at - 1] === LINE_FEED || (file[at - 1] === RETURN && file[at - 2] === LINE_FEED);
    const [line = ''] = file.toString('latin1', at + 1, at + SEPARATOR_MAX_LENGTH).split(/\r?\n/, 1);
    if (isAfterEmptyLine && SEPARATOR.test(line)) yield at + 1;
  }
}

const LINE_FEED = 10;
const RETURN = 13;

/** Without the separator, and without the marks of lines that look like one: `>From the start` → `From the start`. */
function withoutMarks(message: Buffer): Buffer {
  const start = message.indexOf('\n') + 1;
  if (!message.includes('\n>')) return message.subarray(start);
  return Buffer.from(message.toString('latin1', start).replace(/^>(>*From )/gm, '$1'), 'latin1');
}

/** Apple Mail's .emlx: a line with the length of the mail precedes it, and a list of properties follows. */
function withoutLength(file: Buffer): Buffer {
  const [line, length] = /^(\d{1,10}) *\n/.exec(file.toString('latin1', 0, 20)) ?? [];
  return line === undefined ? file : file.subarray(line.length, line.length + Number(length));
}
