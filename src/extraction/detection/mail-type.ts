/** Recognises mails, mailboxes and web pages saved as mails by the headers at the beginning (RFC 5322). */

/** Headers that people read, in which a note may begin as well. */
const USUAL = /^(?:from|to|cc|bcc|subject|date|sender|reply-to)$/;
/** Headers that only programs for mail write. */
const TECHNICAL = new RegExp(
  '^(?:received|return-path|message-id|mime-version|delivered-to|dkim-signature' +
    String.raw`|authentication-results|content-transfer-encoding|arc-[\w-]+|x-mailer)$`,
);
/** Headers of mails that also stand in other files, such as a configuration. */
const OTHERS =
  /^(?:in-reply-to|references|thread-topic|list-id|content-(?:type|location|disposition)|x-[\w-]+|status)$/;

/** A header's line, or the continuation of one. */
const HEADER = /^([A-Za-z][\w-]{0,75})[ \t]*:(.*)$/;
const CONTINUATION = /^[ \t]+\S/;
/** The line before each mail of a mailbox. */
const SEPARATOR = /^>?From \S[^\n]*\d/;

const MAIL_EXTENSION = /^(?:eml|emlx|mbox|mbx|mbs)$/;
const PAGE_EXTENSION = /^mht(?:ml)?$/;

/**
 * `head`: the beginning of a file. In a file named as a mail one header is enough. In any other, all lines up to the
 * first empty one have to be headers, among them one that people read and one that only programs write.
 */
export function mailType(head: string, extension: string): 'eml' | 'mhtml' | undefined {
  const { headers, isWhole } = readHeaders(head);
  const names = [...headers.keys()];
  const isUsual = names.some((name) => USUAL.test(name));
  const isDivided = /multipart\//i.test(headers.get('content-type') ?? '');
  const isTechnical = isDivided || names.some((name) => TECHNICAL.test(name));
  const isNamedPage = PAGE_EXTENSION.test(extension);
  if (isNamedPage || MAIL_EXTENSION.test(extension)) {
    const isMail = isUsual || isTechnical || names.some((name) => OTHERS.test(name));
    if (!isMail && !SEPARATOR.test(head)) return undefined;
    return isNamedPage || isSaved(headers) ? 'mhtml' : 'eml';
  }
  if (!isWhole || !isTechnical) return undefined;
  if (isSaved(headers) || isPage(headers)) return 'mhtml';
  return isUsual || isDivided ? 'eml' : undefined;
}

/**
 * Names in lower case, with the first value of each. `isWhole`: they go up to an empty line, or to the end of `head`.
 */
function readHeaders(head: string): { headers: Map<string, string>; isWhole: boolean } {
  const headers = new Map<string, string>();
  const [first = '', ...rest] = head.replace(LEAD, '').split(/\r\n|\n|\r/);
  const lines = SEPARATOR.test(first) ? rest : [first, ...rest];
  let last = '';
  for (const [i, line] of lines.entries()) {
    if (line === '') return { headers, isWhole: headers.size > 0 };
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name !== undefined) {
      last = name.toLowerCase();
      if (!headers.has(last)) headers.set(last, value);
    } else if (CONTINUATION.test(line) && last !== '') headers.set(last, `${headers.get(last)}${line}`);
    else return { headers, isWhole: i > 0 && i === lines.length - 1 };
  }
  return { headers, isWhole: headers.size > 0 };
}

/** A byte order mark and empty lines; Apple Mail's line with the length of the mail. */
const LEAD = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:\d{1,10} *\n)?/;

/** What a browser saves says so. */
const isSaved = (headers: ReadonlyMap<string, string>): boolean =>
  headers.has('snapshot-content-location') || /<Saved by /i.test(headers.get('from') ?? '');

/** A page with its pictures that nobody sent, as Office programs save it. */
const isPage = (headers: ReadonlyMap<string, string>): boolean =>
  /multipart\/related/i.test(headers.get('content-type') ?? '') &&
  !['from', 'to', 'received'].some((name) => headers.has(name));
