/** What the headers of an answer say about its file. */

/** The version of a file at an address, by which its server knows whether it has changed since. */
export type Validators = { finalUrl: string; etag: string | null; lastModified: string | null };

/** A header of an answer. Of several with one name Node has made one. */
export type AnswerHeaders = { [name: string]: string | string[] | undefined };

const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '');

/** RFC 9110, 8.8.3, in ASCII. Longer ones than this are not kept. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,1000}"$/;
const DATE_MAX_LENGTH = 64;

/** The validators that can be sent back as they are; null: none, or no valid one. */
export function readValidators(headers: AnswerHeaders): Pick<Validators, 'etag' | 'lastModified'> {
  const [etag, lastModified] = [textOf(headers.etag), textOf(headers['last-modified'])];
  const isDate =
    /^[\x20-\x7e]+$/.test(lastModified) &&
    lastModified.length <= DATE_MAX_LENGTH &&
    !Number.isNaN(Date.parse(lastModified));
  return { etag: ETAG.test(etag) ? etag : null, lastModified: isDate ? lastModified : null };
}

/** RFC 9110, 10.2.3: seconds, or a date. Undefined: there is none. */
export function readRetryAfter(headers: AnswerHeaders, nowMs = Date.now()): number | undefined {
  const text = textOf(headers['retry-after']).trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}

/** The encodings of a body in the order in which they were applied; none for `identity`. */
export const readEncodings = (headers: AnswerHeaders): string[] =>
  textOf(headers['content-encoding'])
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');

/** `text/html; charset="ISO-8859-1"` → `text/html` and `iso-8859-1`. */
export function readContentType(headers: AnswerHeaders): { mediaType: string; charset: string | null } {
  const text = textOf(headers['content-type']);
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:+-]{1,64})/i.exec(text.slice(0, 1_000)) ?? [];
  return {
    mediaType: (text.split(';', 1)[0] ?? '').trim().toLowerCase(),
    charset: charset?.toLowerCase() ?? null,
  };
}
