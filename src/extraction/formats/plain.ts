/** Reads plain text, Markdown, calendars and contacts. */
import { type ExtractedText, isBlank } from '../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../indexing/split/markdown.ts';
import { decodeText } from '../decode-text.ts';
import { requireShort } from '../extraction-error.ts';
import { calendarText } from './mail/calendar.ts';
import { contactsText } from './mail/contacts.ts';

/**
 * Headings and code fences are common in plain text, too. `charset`: see `decodeText`.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function extractPlain(bytes: Uint8Array, charset?: string): ExtractedText {
  const text = decodeText(bytes, { charset });
  const [, kind] = /^\s*BEGIN:(VCALENDAR|VCARD)\s/i.exec(text) ?? [];
  const entries = kind && (/^VCARD/i.test(kind) ? contactsText(text) : calendarText(text));
  if (entries && !isBlank(entries.text)) return entries;
  return scanMarkdown(requireShort(withoutEmbedded(text)));
}

/** A picture or another file inside a text (RFC 2397): `data:image/png;base64,iVBORw0KGgo…` → `data:image/png`. */
const EMBEDDED = /(data:[\w.+-]{1,80}\/[\w.+-]{1,80})(?:;[\w=-]{1,80})?;base64,[A-Za-z0-9+/=%]{40,}/g;

export const withoutEmbedded = (text: string): string =>
  text.includes(';base64,') ? text.replace(EMBEDDED, '$1') : text;
