/**
 * Reads Rich Text Format (Microsoft's specification 1.9.1).
 * The libraries for it lose text: of 17 phrases in six real files officeparser 8 finds 10, rtf-parser 2.
 */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { tooComplex } from '../../extraction-error.ts';
import { NESTING_MAX } from '../../extraction-limits.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { type RtfBody, rtfBody } from './body.ts';
import { codePageEncoding, DEFAULT_ENCODING, fontEncoding } from './encodings.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

/** State that ends with its group. */
type Group = {
  /** The group holds no text: fonts, colours, pictures, private data of programs. */
  isSkipped: boolean;
  /** The destination of characters: the document, or the name of a style. Characters of font tables are dropped. */
  destination: 'text' | 'fonts' | 'styles';
  /** The next control word names a destination that programs may ignore. */
  isIgnorable: boolean;
  font: number;
  style: number;
  /** The number of fallback characters after a `\u` character, for programs that do not know `\u`. */
  fallbackLength: number;
};

/** Destinations that hold no text of the document, or a duplicate of another. */
const SKIPPED_DESTINATIONS = new Set(
  (
    'colortbl listtable listoverridetable revtbl rsidtbl generator info pict object objdata filetbl themedata ' +
    'colorschememapping latentstyles datastore xmlnstbl mmathPr fldinst pntext template nonshppict bkmkstart ' +
    'bkmkend datafield sp shprslt wgrffmtfilter passwordhash listtext'
  ).split(' '),
);

/** Destinations that hold text, although they are marked as ignorable. */
const TEXT_DESTINATIONS = new Set(['shptxt', 'shpinst', 'footnote', 'annotation']);

/** Control words that name a character. */
const CHARACTERS = new Map([
  ['emdash', '—'],
  ['endash', '–'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['~', '\u00a0'],
  ['_', '\u2011'],
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
]);

/** @throws FILE_TOO_COMPLEX for groups nested past XML_DEPTH_MAX, or text past TEXT_MAX_LENGTH */
export function extractRtf(bytes: Uint8Array): ExtractedText {
  const renderer = renderHtml({ keepBoilerplate: true });
  const body = rtfBody(renderer);
  const reader = rtfReader(body);
  for (const token of rtfTokens(bytes)) reader.take(token);
  reader.end();
  body.end();
  return renderer.finish();
}

function rtfReader(body: RtfBody) {
  const groups: Group[] = [];
  const fonts = rtfFonts();
  const characters = characterWriter(body, fonts);
  let group: Group = { ...OUTERMOST };

  const takeWord = (name: string, parameter: number | undefined) => {
    if (SKIPPED_DESTINATIONS.has(name) || (group.isIgnorable && !TEXT_DESTINATIONS.has(name)))
      group.isSkipped = true;
    group.isIgnorable = false;
    if (name === 'u') characters.writeUnit(group, parameter ?? 0);
    else if (CHARACTERS.has(name)) characters.write(group, CHARACTERS.get(name) ?? '');
    else if (setsGroup(group, name, parameter ?? 0) || fonts.take(group, name, parameter ?? 0)) return;
    else if (group.destination === 'text' && !group.isSkipped) body.control(name, parameter);
  };
  const takeSymbol = (character: string) => {
    if (character === '*') group.isIgnorable = true;
    else if (character === '\n' || character === '\r') body.control('par', undefined);
    else characters.write(group, CHARACTERS.get(character) ?? '');
  };
  const take = (token: RtfToken) => {
    if (token.kind === 'bytes') return characters.addBytes(token.bytes);
    characters.endBytes(group);
    if (token.kind === 'open') group = { ...keepGroup(groups, group) };
    else if (token.kind === 'close') group = groups.pop() ?? group;
    else if (token.kind === 'word') takeWord(token.name, token.parameter);
    else takeSymbol(token.character);
  };
  return { take, end: () => characters.endBytes(group) };
}

/** Decodes characters and writes them to their group's destination. */
function characterWriter(body: RtfBody, fonts: ReturnType<typeof rtfFonts>) {
  const styles = styleReader(body);
  let fallbackLeft = 0;
  /** Bytes that are not decoded yet: a character may continue in the next token. */
  let undecoded = '';
  const write = ({ isSkipped, destination, style }: Group, text: string): void => {
    if (isSkipped) return;
    if (destination === 'text') body.text(text);
    if (destination === 'styles') styles.write(style, text);
  };
  return {
    write,
    /** Takes a UTF-16 unit, possibly as a negative number. The bytes after it may be its fallback. */
    writeUnit(group: Group, unit: number): void {
      write(group, String.fromCharCode(unit & 0xffff));
      fallbackLeft = group.fallbackLength;
    },
    addBytes(bytes: string): void {
      const skipped = Math.min(fallbackLeft, bytes.length);
      fallbackLeft -= skipped;
      undecoded += bytes.slice(skipped);
    },
    endBytes(group: Group): void {
      fallbackLeft = 0;
      if (undecoded === '') return;
      write(group, new TextDecoder(fonts.encodingOf(group.font)).decode(Buffer.from(undecoded, 'latin1')));
      undecoded = '';
    },
  };
}

function keepGroup(groups: Group[], group: Group): Group {
  if (groups.push(group) > NESTING_MAX)
    throw tooComplex(`The file nests more than ${NESTING_MAX} groups in each other.`);
  return group;
}

const OUTERMOST: Readonly<Group> = {
  isSkipped: false,
  destination: 'text',
  isIgnorable: false,
  font: -1,
  style: 0,
  fallbackLength: 1,
};

/** Handles the control words that change the group's state. */
function setsGroup(group: Group, name: string, parameter: number): boolean {
  if (name === 'f' || name === 'deff') group.font = parameter;
  else if (name === 'uc') group.fallbackLength = parameter;
  else if (name === 'fonttbl') group.destination = 'fonts';
  else if (name === 'stylesheet') group.destination = 'styles';
  else if (name === 's' && group.destination === 'styles') group.style = parameter;
  else return false;
  return true;
}

/** The encodings of the document and of its fonts. */
function rtfFonts() {
  const fonts = new Map<number, string>();
  let documentEncoding = DEFAULT_ENCODING;
  return {
    /** Handles the control words that set an encoding. */
    take({ destination, font }: Group, name: string, parameter: number): boolean {
      if (name === 'ansicpg') documentEncoding = codePageEncoding(parameter);
      else if (name === 'mac') documentEncoding = 'macintosh';
      else if (name === 'fcharset' || name === 'cpg') {
        const encoding = name === 'cpg' ? codePageEncoding(parameter) : fontEncoding(parameter);
        if (destination === 'fonts' && encoding !== undefined) fonts.set(font, encoding);
      } else return false;
      return true;
    },
    encodingOf: (font: number) => fonts.get(font) ?? documentEncoding,
  };
}

/** Collects the names of styles, which end with a semicolon. */
function styleReader(body: RtfBody) {
  let written = '';
  return {
    write(style: number, text: string): void {
      const [name = '', ...rest] = text.split(';');
      written += name;
      if (rest.length === 0) return;
      body.setStyle(style, written);
      written = '';
    },
  };
}
