/** Writes a mail, of whatever format, as its reader sees it: subject, people, date, body, attachments. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import { renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import { collectParts } from '../parts/collect-parts.ts';

/** `name` is '' for a mail inside the mail, whose subject names it. */
export type Attachment = { name: string; extract: () => Promise<ExtractedFile> };

/** Decoded texts, '' where the mail does not have one. `more`: further lines by their names, in order. */
export type MailHeaders = {
  subject: string;
  from: string;
  to: string;
  cc: string;
  date: string;
  more?: [name: string, value: string][];
};

export type Mail = {
  headers: MailHeaders;
  body: ExtractedText[];
  attachments: Attachment[];
  warnings: FileWarning[];
};

/** Levels of headings: the subject, the names of attachments below it. */
const SUBJECT_LEVEL = 1;
const ATTACHMENT_LEVEL = 2;

export async function mailText({ headers, body, attachments, warnings }: Mail): Promise<ExtractedFile> {
  const collector = collectParts('attachment');
  const head = headText(headers);
  if (head.text !== '') collector.add(head);
  for (const text of body) collector.add(text, { level: SUBJECT_LEVEL });
  for (const { name, extract } of attachments) {
    // The subject of a mail inside the mail becomes a heading of the same level as an attachment's name.
    const below = name === '' ? { level: SUBJECT_LEVEL } : { level: ATTACHMENT_LEVEL, title: name };
    await collector.read({ name: name || 'a mail', ...below }, extract);
  }
  const mail = collector.finish();
  return { ...mail, warnings: [...warnings, ...mail.warnings] };
}

/** The subject as a heading, and a line for each other header: `From: Ada Lovelace <ada@example.org>`. */
function headText({ subject, from, to, cc, date, more = [] }: MailHeaders): ExtractedText {
  const renderer = renderHtml();
  writeElement(renderer, `h${SUBJECT_LEVEL}`, subject);
  const lines = Object.entries({ From: from, To: to, Cc: cc, Date: date });
  for (const [name, value] of [...lines, ...more]) {
    if (value === '') continue;
    renderer.text(`${name}: ${value}`);
    renderer.open('br');
  }
  return renderer.finish();
}
