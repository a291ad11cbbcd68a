/** Reads mails that Outlook saves ([MS-OXMSG]): a compound file with a stream or a storage for each property. */
import { isBlank } from '../../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../indexing/split/markdown.ts';
import { openCompoundFile, type Storage } from '../../compound-file.ts';
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import { ExtractionError, encryptedMessage, requireShort, tooComplex } from '../../extraction-error.ts';
import { INNER_DEPTH_MAX } from '../../extraction-limits.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { extractHtml } from '../html.ts';
import { extractRtf } from '../rtf/rtf.ts';
import { unpackRtf } from './compressed-rtf.ts';
import { type Attachment, type MailHeaders, mailText } from './mail-text.ts';
import { itemLines, type NamedIds, namedIds } from './msg-items.ts';
import { type Properties, readProperties } from './msg-properties.ts';

/** Ids of properties ([MS-OXPROPS]). */
const MESSAGE = {
  class: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  delivered: 0x0e06,
  senderName: 0x0c1a,
  senderAddress: 0x5d01,
  otherSenderAddress: 0x0c1f,
  representedName: 0x0042,
  displayTo: 0x0e04,
  displayCc: 0x0e03,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
};
const RECIPIENT = { name: 0x3001, address: 0x39fe, otherAddress: 0x3003, kind: 0x0c15 };
const ATTACHMENT = {
  data: 0x3701,
  shortName: 0x3704,
  method: 0x3705,
  name: 0x3707,
  displayName: 0x3001,
  mediaType: 0x370e,
  contentId: 0x3712,
  renderingPosition: 0x370b,
  flags: 0x3714,
  hidden: 0x7ffe,
};

/** Flags of an attachment that the page shows in itself. */
const SHOWN_IN_PAGE = 4;
/** The place in the text of an attachment that is listed, not shown in the text. */
const NOT_SHOWN = -1;

/** Kinds of recipients. */
const TO = 1;
const CC = 2;

/** An attachment that is an object of another program in the text ([MS-OXCMSG] 2.2.2.9). */
const OLE_OBJECT = 6;

/** The name of an attached message's storage. */
const INNER_MESSAGE = '__substg1.0_3701000D';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractMsg(bytes: Uint8Array, context: ReaderContext): Promise<ExtractedFile> {
  const top = openCompoundFile(bytes);
  return await messageText(top, { context, namedId: namedIds(top) }, 0);
}

/** What all messages in a file share. */
type Shared = { context: ReaderContext; namedId: NamedIds };

async function messageText(storage: Storage, shared: Shared, depth: number): Promise<ExtractedFile> {
  const properties = readProperties(storage, depth === 0 ? 'top' : 'inner');
  const attachments = storage.storages
    .filter((name) => name.startsWith('__attach_version1.0_'))
    .sort()
    .flatMap((name) => attachmentOf(storage.open(name), properties, shared, depth));
  const { extracted: body, warnings } = bodyOf(properties);
  const isEnveloped = /^IPM\.Note\.(?:SMIME|rpmsg)/i.test(properties.text(MESSAGE.class));
  if (isEnveloped && isBlank(body.text) && attachments.every(({ name }) => /\.(?:p7m|rpmsg)$/i.test(name)))
    throw encryptedMessage();
  const more = itemLines(properties.text(MESSAGE.class), properties, shared.namedId);
  const headers = { ...headersOf(storage, properties), more };
  return await mailText({ headers, body: [body], attachments, warnings });
}

function headersOf(storage: Storage, properties: Properties): MailHeaders {
  const { text, time } = properties;
  const recipients = storage.storages
    .filter((name) => name.startsWith('__recip_version1.0_'))
    .sort()
    .flatMap((name) => recipientOf(storage.open(name), properties));
  const named = (kind: number) => recipients.filter((each) => each.kind === kind).map(({ person }) => person);
  return {
    subject: text(MESSAGE.subject),
    from: personText(
      text(MESSAGE.senderName) || text(MESSAGE.representedName),
      text(MESSAGE.senderAddress) || text(MESSAGE.otherSenderAddress),
    ),
    to: named(TO).join(', ') || text(MESSAGE.displayTo),
    cc: named(CC).join(', ') || text(MESSAGE.displayCc),
    date: time(MESSAGE.submitted) || time(MESSAGE.delivered),
  };
}

function recipientOf(storage: Storage | undefined, message: Properties): { kind: number; person: string }[] {
  if (storage === undefined) return [];
  const { text, number } = readProperties(storage, 'part', message);
  const address = text(RECIPIENT.address) || text(RECIPIENT.otherAddress);
  return [{ kind: number(RECIPIENT.kind) ?? TO, person: personText(text(RECIPIENT.name), address) }];
}

/** `Ada Lovelace <ada@example.org>`. Addresses inside an organisation, as `/O=EXAMPLE/…`, say nothing to a reader. */
function personText(name: string, address: string): string {
  const plain = name.replace(/^'(.*)'$/, '$1').trim();
  if (!address.includes('@') || plain.includes(address)) return plain;
  return plain === '' ? address : `${plain} <${address}>`;
}

/** The page, else the plain text, else the Rich Text, of which the plain text is a copy. */
function bodyOf({ text, bytes, charset }: Properties): ExtractedFile {
  const html = bytes(MESSAGE.html);
  const written = html ? decodeText(html, { markup: 'html', charset }) : text(MESSAGE.html);
  const page = extractHtml(written, { hasTitle: false });
  if (!isBlank(page.text)) return { extracted: page, warnings: [] };
  const plain = text(MESSAGE.body).replace(/\r\n?/g, '\n').trimEnd();
  if (!isBlank(plain)) return { extracted: scanMarkdown(requireShort(plain)), warnings: [] };
  const packed = bytes(MESSAGE.rtf);
  const rtf = packed && unpackRtf(packed);
  return rtf ? extractRtf(rtf) : { extracted: scanMarkdown(''), warnings: [] };
}

function attachmentOf(
  storage: Storage | undefined,
  message: Properties,
  shared: Shared,
  depth: number,
): Attachment[] {
  if (storage === undefined) return [];
  const { text, bytes, number } = readProperties(storage, 'part', message);
  const name = text(ATTACHMENT.name) || text(ATTACHMENT.shortName) || text(ATTACHMENT.displayName);
  const inner = storage.open(INNER_MESSAGE);
  if (number(ATTACHMENT.method) === OLE_OBJECT) return [{ name: name || 'Object', extract: refuseObject }];
  if (inner) return [{ name: '', extract: () => innerMessage(inner, shared, depth + 1) }];
  if (isPictureInText({ text, number }, name)) return [];
  if (text(ATTACHMENT.mediaType) === 'application/pgp-encrypted') throw encryptedMessage();
  // A message with a clear signature has its whole text in an attachment.
  const isMessage = text(ATTACHMENT.mediaType).startsWith('multipart/');
  const extract = () =>
    shared.context.extractPart({
      fileName: isMessage ? 'message.eml' : name,
      bytes: bytes(ATTACHMENT.data) ?? new Uint8Array(),
    });
  return [{ name: isMessage ? '' : name || 'Attachment', extract }];
}

function isPictureInText({ text, number }: Pick<Properties, 'text' | 'number'>, name: string): boolean {
  if (!/\.(?:png|jpe?g|gif|bmp|webp|emz|wmz)$/i.test(name)) return false;
  const isInPage = ((number(ATTACHMENT.flags) ?? 0) & SHOWN_IN_PAGE) !== 0;
  const isInText = (number(ATTACHMENT.renderingPosition) ?? NOT_SHOWN) !== NOT_SHOWN;
  return text(ATTACHMENT.contentId) !== '' || isInPage || isInText || number(ATTACHMENT.hidden) === 1;
}

function innerMessage(storage: Storage, shared: Shared, depth: number): Promise<ExtractedFile> {
  if (depth > INNER_DEPTH_MAX) throw tooComplex(`Messages are nested deeper than ${INNER_DEPTH_MAX} levels.`);
  return messageText(storage, shared, depth);
}

const refuseObject = async (): Promise<never> => {
  throw new ExtractionError(
    'UNSUPPORTED_FILE_TYPE',
    'The object is not read.',
    'an object of another program',
  );
};
