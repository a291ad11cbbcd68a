/** Reads mails as programs save and send them (RFC 5322, MIME: RFC 2045 to 2049). */
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { collectParts } from '../parts/collect-parts.ts';
import { type MailHeaders, mailText } from './mail-text.ts';
import { messagesOf } from './mbox.ts';
import { bodyAndAttachments } from './mime-body.ts';
import { type MimePart, readMime, valuesOf } from './mime-parts.ts';

/**
 * The text of a mail, or of all mails of a mailbox.
 * @throws FILE_ENCRYPTED, FILE_TOO_COMPLEX
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
  const message = parseMessage(bytes);
  return await mailText({ headers: headersOf(message), ...bodyAndAttachments(message, context) });
}

/** @throws FILE_TOO_COMPLEX */
export const parseMessage = (bytes: Uint8Array): MimePart => readMime(withoutLead(bytes));

function headersOf(message: MimePart): MailHeaders {
  const all = (name: string) => valuesOf(message, name);
  return {
    subject: all('subject')[0] ?? '',
    from: all('from')[0] ?? all('sender')[0] ?? '',
    to: all('to').join(', '),
    cc: all('cc').join(', '),
    date: all('date')[0] ?? '',
  };
}

/** What may precede a message: a byte order mark, empty lines, and the separator of mailboxes. */
const LEAD = /^(?:\xef\xbb\xbf)?\s*(?:>?From [^\n]*\n)?/;
const LEAD_MAX_LENGTH = 1000;

/** A message in UTF-16 becomes UTF-8 as a whole. */
function withoutLead(bytes: Uint8Array): Buffer {
  const isWide = bytes.subarray(0, 64).includes(0);
  const file = isWide
    ? Buffer.from(decodeText(bytes))
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.subarray(LEAD.exec(file.toString('latin1', 0, LEAD_MAX_LENGTH))?.[0].length ?? 0);
}
