/** The name of a file from an address: by Content-Disposition, or by the last part of the path. */
import { type AnswerHeaders, readContentType } from './answer-headers.ts';

/** The most of a `fileName` of an upload, in code points. */
const NAME_MAX = 256;

/** Extensions of text formats that the bytes alone do not tell apart. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'md'],
  ['text/x-markdown', 'md'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'tsv'],
  ['application/json', 'json'],
  ['application/ld+json', 'json'],
  ['application/x-ndjson', 'jsonl'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['text/plain', 'txt'],
]);

/** Extensions of pages that programs make: `index.php` is a page, and no program. */
const OF_PROGRAMS = /\.(?:php\d?|aspx?|jsp|do|cgi|cfm|pl|py|rb)$/i;
const HAS_EXTENSION = /[^.]\.[a-z][a-z0-9]{0,7}$/i;

/** Drops what is no part of a name: folders, control characters, lone surrogates, white space at the ends. */
function toName(text: string): string {
  const last = text.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  const plain = last.replace(/[\u0000-\u001f\u007f\ufffd]/g, '').trim();
  return [...plain].slice(0, NAME_MAX).join('');
}

/** `%C3%BC` → `ü`; as it is where that is no UTF-8. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** RFC 6266: `filename*=UTF-8''na%C3%AFve.txt`, else `filename="naive.txt"`. '' where there is none. */
function nameByDisposition(headers: AnswerHeaders): string {
  const text = headers['content-disposition'];
  if (typeof text !== 'string') return '';
  const given = text.slice(0, 4_000);
  const [, extended] = /(?:^|[;\s])filename\*\s*=\s*UTF-8'[^']{0,35}'([^;\s]+)/i.exec(given) ?? [];
  if (extended !== undefined) return toName(decodePercent(extended));
  const [, quoted, token] =
    /(?:^|[;\s])filename\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})"|([^";\s]{1,2000}))/i.exec(given) ?? [];
  const name = quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
  // Node reads headers as Latin-1; most servers write UTF-8.
  const bytes = Buffer.from(name, 'latin1');
  const utf8 = bytes.toString('utf8');
  return toName(decodePercent(utf8.includes('\ufffd') ? name : utf8));
}

/** The last part of an address's path, or its host: `https://example.org/a/b%20c.pdf?d` → `b c.pdf` */
export function nameByAddress(address: string): string {
  const { pathname, hostname } = new URL(address);
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  return toName(decodePercent(last)) || toName(hostname);
}

/**
 * `title`: the name as the server or the address has it. `fileName`: with the extension of the answer's Content-Type
 * where the name has none. Both have 1 to 256 code points.
 */
export function readName(headers: AnswerHeaders, address: string): { title: string; fileName: string } {
  const title = nameByDisposition(headers) || nameByAddress(address);
  const extension = EXTENSIONS.get(readContentType(headers).mediaType);
  const isHost = title === new URL(address).hostname;
  const hasExtension = !isHost && HAS_EXTENSION.test(title) && !OF_PROGRAMS.test(title);
  if (hasExtension || extension === undefined) return { title, fileName: title };
  return { title, fileName: `${[...title].slice(0, NAME_MAX - extension.length - 1).join('')}.${extension}` };
}
