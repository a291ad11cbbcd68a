/** Reads mails as programs save and send them (RFC 5322, MIME: RFC 2045 to 2049). */
import { decodeWords } from 'postal-mime';
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import { damaged } from '../../extraction-error.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { collectParts } from '../parts/collect-parts.ts';
import { type MailHeaders, mailText } from './mail-text.ts';
import { messagesOf } from './mbox.ts';
import { bodyAndAttachments } from './mime-body.ts';
import { type MimePart, readMime } from './postal-mime-insides.ts';

/**
 * The text of a mail, or of all mails of a mailbox.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function extractEml(bytes: Uint8Array, context: ReaderContext): Promise<ExtractedFile> {
  const messages = messagesOf(bytes);
  const [only = bytes] = messages;
  if (messages.length < 2) return await extractMessage(only, context);
  const collector = collectParts('message');
  for (const [i, message] of messages.entries()) {
    await collector.read({ name: `message ${i + 1}`, level: 0 }, () =>
      context.extractPart({ fileName: 'message.eml', bytes: message }),
    );
  }
  return collector.finish();
}

async function extractMessage(bytes: Uint8Array, context: ReaderContext): Promise<ExtractedFile> {
  const message = await parseMessage(bytes);
  return await mailText({ headers: headersOf(message), ...(await bodyAndAttachments(message, context)) });
}

/** @throws FILE_CORRUPT */
export async function parseMessage(bytes: Uint8Array): Promise<MimePart> {
  try {
    return await readMime(withUtf8Headers(bytes));
  } catch {
    throw damaged('it cannot be read as a mail');
  }
}

export function headersOf({ headers }: MimePart): MailHeaders {
  const all = (name: string) =>
    headers
      .filter(({ key, value }) => key === name && value !== '')
      .map(({ value }) => decodeWords(value).replace(/\s+/g, ' ').trim());
  const first = (name: string) => all(name)[0] ?? '';
  return {
    subject: first('subject'),
    from: first('from') || first('sender'),
    to: all('to').join(', '),
    cc: all('cc').join(', '),
    date: first('date'),
  };
}

/**
 * The message with headers in UTF-8, which the parser takes them for, and without what may precede them: a byte order
 * mark, empty lines, and the separator of mailboxes. A message in UTF-16 becomes UTF-8 as a whole.
 */
function withUtf8Headers(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.subarray(0, 64).includes(0)) return Buffer.from(withoutLead(decodeText(bytes)));
  const end = headersEnd(file);
  const head = withoutLead(decodeText(file.subarray(0, end)));
  return Buffer.concat([Buffer.from(head), file.subarray(end)]);
}

/** The offset of the first empty line after the headers. Longer headers are not looked through. */
function headersEnd(file: Buffer): number {
  const start = file.subarray(0, HEADERS_MAX_LENGTH).findIndex((byte) => byte > 0x20 && byte < 0x7f);
  const ends = ['\n\n', '\n\r\n'].map((end) => file.indexOf(end, start)).filter((end) => end >= 0);
  return Math.min(...ends, HEADERS_MAX_LENGTH, file.length);
}

const HEADERS_MAX_LENGTH = 2 ** 20;

const withoutLead = (head: string): string => head.replace(/^\s+/, '').replace(/^>?From [^\n]*\n/, '');
