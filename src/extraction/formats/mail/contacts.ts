/** Writes contacts (vCard, RFC 6350 and RFC 2426) as their reader sees them: name, and how to reach the person. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { decodeText } from '../../decode-text.ts';
import { renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import { decodeQuotedPrintable } from './mime-parts.ts';

/** The properties that are shown, in the order of the file. Others are pictures, keys and facts for programs. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['ORG', 'Company'],
  ['TITLE', 'Title'],
  ['ROLE', 'Role'],
  ['NICKNAME', 'Nickname'],
  ['TEL', 'Phone'],
  ['EMAIL', 'E-mail'],
  ['ADR', 'Address'],
  ['URL', 'Web page'],
  ['BDAY', 'Birthday'],
  ['CATEGORIES', 'Categories'],
  ['NOTE', 'Note'],
]);

/** A group may precede the name: `item1.TEL;TYPE=WORK:…`. */
const PROPERTY = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/;

/** One block for each contact. */
export function contactsText(card: string): ExtractedText {
  const renderer = renderHtml();
  let lines: string[] = [];
  let names = { full: '', parts: '' };
  for (const line of unfolded(card)) {
    const [, name = '', parameters = '', written = ''] = PROPERTY.exec(line) ?? [];
    const key = name.toUpperCase();
    const value = shownValue(written, parameters);
    if (key === 'FN') names.full = value;
    if (key === 'N') names.parts = value.split(' ').reverse().join(' ');
    const label = SHOWN.get(key);
    if (label !== undefined && value !== '') lines.push(`${label}: ${value}`);
    if (key !== 'END') continue;
    writeElement(renderer, 'h2', names.full || names.parts);
    renderer.open('p');
    for (const each of lines) {
      renderer.text(each);
      renderer.open('br');
    }
    renderer.close('p');
    lines = [];
    names = { full: '', parts: '' };
  }
  return renderer.finish();
}

/** Lines that begin with a blank, and those after `=` in quoted-printable, go on with the previous one. */
function unfolded(card: string): string[] {
  const lines: string[][] = [];
  let isOpen = false;
  for (const line of card.replace(/\n[ \t]/g, '').split('\n')) {
    const wasOpen: boolean = isOpen;
    isOpen = line.endsWith('=') && (wasOpen || /^[^:]*QUOTED-PRINTABLE/i.test(line));
    const piece = isOpen ? line.slice(0, -1) : line;
    if (wasOpen) lines.at(-1)?.push(piece);
    else lines.push([piece]);
  }
  return lines.map((pieces) => pieces.join(''));
}

/** The parts of a name or an address, apart by semicolons, become one line. */
function shownValue(written: string, parameters: string): string {
  if (/ENCODING=(?:B|BASE64)\b/i.test(parameters)) return '';
  const charset = /CHARSET="?([\w-]+)/i.exec(parameters)?.[1];
  const decoded = /QUOTED-PRINTABLE/i.test(parameters)
    ? decodeText(decodeQuotedPrintable(Buffer.from(written, 'latin1')), { charset })
    : written;
  return decoded
    .replace(/\\n/gi, ' ')
    .replace(/(?<!\\);/g, ' ')
    .replace(/\\([,;\\:])/g, '$1')
    .replace(/^(?:mailto|tel):/i, '')
    .replace(/\s+/g, ' ')
    .trim();
}
