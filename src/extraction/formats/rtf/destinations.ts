/** The destinations of an RTF file: groups whose first word says what they hold. */
import type { FileWarning } from '../../extracted-file.ts';
import type { RtfBody } from './body.ts';
import type { Destination, Group } from './groups.ts';

/** Groups that hold no text of the document, or another form of text that is read. */
const SKIPPED = new Set(
  (
    'colortbl listtable listoverridetable revtbl rsidtbl generator info pict objdata filetbl themedata ' +
    'colorschememapping latentstyles datastore xmlnstbl mmathPr mmathPict template nonshppict bkmkstart bkmkend ' +
    'datafield sp shprslt wgrffmtfilter passwordhash nonesttables xe tc tcn rxe'
  ).split(' '),
);

/** Text boxes (as newer and as older files have them), footnotes and endnotes. */
const NOTES = new Set(['shptxt', 'dptxbxtext', 'footnote']);
const HEADERS_AND_FOOTERS = new Set(
  'header headerl headerr headerf footer footerl footerr footerf'.split(' '),
);

/** Groups whose text is not the document's. */
const ASIDE = new Map<string, Destination>([
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtext', 'label'],
  ['pntext', 'label'],
  ['atnauthor', 'author'],
  ['atndate', 'date'],
  ['fldinst', 'instruction'],
]);

/** Groups that are read although they are marked as ignorable. */
const READ = new Set([
  ...NOTES,
  ...HEADERS_AND_FOOTERS,
  ...ASIDE.keys(),
  ...['annotation', 'shpinst', 'do', 'nesttableprops'],
]);

/** Embedded and linked objects of other programs. */
const OBJECTS = new Set(['objemb', 'objlink', 'objautlink', 'objocx']);

/** Fields that have another value on each page, and so say nothing in a header. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

export type RtfDestinations = {
  /** Takes a control word, which may begin a destination in its group. */
  begin(group: Group, name: string): void;
  /** Writes text of a group whose text is not the document's. */
  write(group: Group, text: string): void;
  warnings(): FileWarning[];
};

export function rtfDestinations(body: RtfBody): RtfDestinations {
  const styles = styleReader(body);
  const texts = { label: '', author: '', date: '', instruction: '' };
  const unread = { objects: 0, equations: 0 };
  let openHeaders = 0;
  const openHeader = (): (() => void) => {
    const close = body.openRepeated();
    openHeaders++;
    return () => {
      openHeaders--;
      close();
    };
  };
  const introduceComment = () => {
    const facts = [texts.author.trim(), dayOf(texts.date)].filter((fact) => fact !== '');
    if (facts.length > 0) body.introduce(`${facts.join(', ')}:`);
  };
  const openComment = (): (() => void) => {
    const close = body.openNote();
    introduceComment();
    return () => {
      Object.assign(texts, { author: '', date: '' });
      close();
    };
  };
  /** Begins a group that stands apart from the text around it, and has none of its look. */
  const beginApart = (group: Group, end: () => void): void => {
    Object.assign(group, { destination: 'text', position: undefined, isHidden: false, end });
  };
  const beginAside = (group: Group, destination: Destination): void => {
    group.destination = destination;
    if (
      destination === 'label' ||
      destination === 'author' ||
      destination === 'date' ||
      destination === 'instruction'
    )
      texts[destination] = '';
    if (destination === 'label') group.end = () => body.label(texts.label);
    if (destination === 'date') group.end = introduceComment;
  };
  return {
    begin(group, name) {
      if (group.isSkipped) return;
      if (name === 'moMath') unread.equations++;
      if (OBJECTS.has(name)) unread.objects++;
      const aside = ASIDE.get(name);
      if (SKIPPED.has(name) || (group.isIgnorable && !READ.has(name))) group.isSkipped = true;
      else if (name === 'fldrslt' && openHeaders > 0 && PAGE_FIELD.test(texts.instruction))
        group.isSkipped = true;
      else if (aside) beginAside(group, aside);
      else if (NOTES.has(name)) beginApart(group, body.openNote());
      else if (name === 'annotation') beginApart(group, openComment());
      else if (HEADERS_AND_FOOTERS.has(name)) beginApart(group, openHeader());
      group.isIgnorable = false;
    },
    write({ destination, style }, text) {
      if (destination === 'styles') styles.write(style, text);
      else if (destination !== 'text' && destination !== 'fonts') texts[destination] += text;
    },
    warnings: () => warningsOf(unread),
  };
}

function warningsOf({ objects, equations }: { objects: number; equations: number }): FileWarning[] {
  const parts = [
    objects > 0 && (objects === 1 ? 'an embedded object' : `${objects} embedded objects`),
    equations > 0 && (equations === 1 ? 'an equation' : `${equations} equations`),
  ].filter((part) => part !== false);
  if (parts.length === 0) return [];
  return [{ code: 'PARTS_NOT_READ', message: `Not read: ${parts.join(' and ')}.` }];
}

/** The day in a packed date: from bit 11 five bits of the day, four of the month, nine of the year from 1900. */
function dayOf(written: string): string {
  const packed = Number.parseInt(written, 10) || 0;
  const [day, month, year] = [(packed >> 11) & 0x1f, (packed >> 16) & 0xf, 1900 + ((packed >> 20) & 0x1ff)];
  const padded = (part: number) => String(part).padStart(2, '0');
  return day > 0 && month > 0 && month <= 12 ? `${year}-${padded(month)}-${padded(day)}` : '';
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
