/** Selects what of a message's MIME parts is its body, what is attached, and what its reader does not see. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { isBlank } from '../../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../indexing/split/markdown.ts';
import { decodeText } from '../../decode-text.ts';
import { encryptedMessage, requireShort } from '../../extraction-error.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { extractHtml } from '../html.ts';
import { calendarText } from './calendar.ts';
import type { Attachment, Mail } from './mail-text.ts';
import type { MimePart } from './mime-parts.ts';
import { plainBody } from './plain-body.ts';

type Selected = Pick<Mail, 'body' | 'attachments' | 'warnings'>;

/** @throws FILE_ENCRYPTED where the message itself is encrypted */
export function bodyAndAttachments(message: MimePart, context: ReaderContext): Selected {
  const selected: Selected = { body: [], attachments: [], warnings: [] };
  select(message, selected, context);
  return selected;
}

function select(part: MimePart, selected: Selected, context: ReaderContext): void {
  if (isEncrypted(part)) throw encryptedMessage();
  const [kind = '', subtype = ''] = part.type.split('/');
  if (kind === 'multipart' && part.parts.length > 0) selectParts(part, subtype, selected, context);
  else if (isUnseen(part)) return;
  else if (isBody(part, selected)) selectBody(part, selected, context);
  else if (CALENDAR.test(part.type))
    addText(calendarText(decoded(part), { hasBody: selected.body.length > 0 }), selected);
  else selected.attachments.push(attachmentOf(nameOf(part), part.bytes, context));
}

const CALENDAR = /^(?:text\/calendar|application\/ics)$/;

/** An invitation may come twice, as a part of the message and as a file. */
function addText(added: ExtractedText, { body }: Selected): void {
  if (!isBlank(added.text) && !body.some(({ text }) => text === added.text)) body.push(added);
}

function selectBody(part: MimePart, selected: Selected, context: ReaderContext): void {
  if (part.type === 'text/html') {
    addText(extractHtml(decoded(part, 'html'), { hasTitle: false }), selected);
    return;
  }
  const { text, files, isEncrypted } = plainBody(decoded(part), part.parameters);
  if (isEncrypted && isBlank(text) && selected.body.length === 0) throw encryptedMessage();
  addText(scanMarkdown(requireShort(text)), selected);
  if (isEncrypted)
    selected.warnings.push({
      code: 'PARTS_NOT_READ',
      message: 'An encrypted part of the mail was not read.',
    });
  for (const { fileName, bytes } of files) selected.attachments.push(attachmentOf(fileName, bytes, context));
}

function selectParts(part: MimePart, subtype: string, selected: Selected, context: ReaderContext): void {
  if (subtype === 'alternative') selectAlternative(part.parts, selected, context);
  else for (const each of part.parts) select(each, selected, context);
}

/**
 * Of alternatives only the best one is read: the page, else the last text. Attachments that stand in the others are
 * kept, since some programs put them into one of the alternatives.
 */
function selectAlternative(alternatives: MimePart[], selected: Selected, context: ReaderContext): void {
  const texts = alternatives.filter((part) => holds(part, 'text/html') || holds(part, 'text/plain'));
  const pages = texts.filter((part) => holds(part, 'text/html'));
  const candidates = [...texts.filter((part) => !pages.includes(part)), ...pages];
  let chosen: Selected | undefined;
  for (const candidate of candidates.toReversed()) {
    const found: Selected = { body: [], attachments: [], warnings: [] };
    select(candidate, found, context);
    const isBest = chosen === undefined && found.body.length > 0;
    if (isBest) chosen = found;
    selected.attachments.push(...found.attachments);
    selected.warnings.push(...found.warnings);
  }
  selected.body.push(...(chosen?.body ?? []));
  for (const part of alternatives) if (!texts.includes(part)) select(part, selected, context);
}

const holds = (part: MimePart, type: string): boolean =>
  (part.type === type && part.disposition !== 'attachment') || part.parts.some((each) => holds(each, type));

/** PGP (RFC 3156), and S/MIME with a message that is enveloped (RFC 8551, 3.2.2). */
const isEncrypted = ({ type, parameters }: MimePart): boolean =>
  type === 'multipart/encrypted' ||
  (CRYPTOGRAPHIC_MESSAGE.test(type) &&
    /^enveloped-data$|^authEnveloped-data$/i.test(parameters['smime-type'] ?? ''));

const CRYPTOGRAPHIC_MESSAGE = /^application\/(?:x-)?pkcs7-mime$/;

/** Signatures and keys, what a page is drawn with, and pages for programs that show them in their list of mails. */
const UNSEEN = new RegExp(
  String.raw`^(?:application\/(?:(?:x-)?pkcs7-signature|pgp-(?:signature|keys)|applefile|x-javascript` +
    String.raw`|javascript)|text\/(?:css|javascript|x-amp-html)|font\/.*)$`,
);

/** Pictures that stand in the text are seen, but hold no text. */
function isUnseen({ type, fileName, contentId, disposition, bytes }: MimePart): boolean {
  if (UNSEEN.test(type) || bytes.length === 0) return true;
  const isPicture = type.startsWith('image/') || /\.(?:png|jpe?g|gif|bmp|webp|emz|wmz)$/i.test(fileName);
  return isPicture && (contentId !== '' || disposition === 'inline');
}

/** A text that is not attached as a file of its own. A multipart type without parts is a text, too. */
function isBody({ type, disposition, fileName }: MimePart, { body }: Selected): boolean {
  if (disposition === 'attachment') return false;
  if (fileName !== '' && body.length > 0) return false;
  return type === 'text/plain' || type === 'text/html' || type === '' || type.startsWith('multipart/');
}

const decoded = ({ bytes, parameters }: MimePart, markup?: 'html'): string =>
  decodeText(bytes, { ...(markup && { markup }), charset: parameters.charset });

/** Extensions of types of texts, by which their reader is chosen where a part has no name. */
const EXTENSIONS = new Map([
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['text/markdown', 'md'],
  ['application/json', 'json'],
  ['text/rtf', 'rtf'],
  ['message/rfc822', 'eml'],
  ['message/global', 'eml'],
  ['text/rfc822-headers', 'eml'],
]);

/** '' for a mail without a name, which has a subject. */
function nameOf({ type, fileName }: MimePart): string {
  if (fileName !== '') return fileName;
  const extension = EXTENSIONS.get(type);
  if (extension === 'eml') return '';
  return extension === undefined ? 'Attachment' : `Attachment.${extension}`;
}

function attachmentOf(name: string, bytes: Uint8Array, { extractPart }: ReaderContext): Attachment {
  return { name, extract: () => extractPart({ fileName: name || 'message.eml', bytes }) };
}
