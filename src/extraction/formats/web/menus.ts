/**
 * Leaves menus out of a page: what all pages of a site repeat says nothing about one of them. Notes, addresses and
 * legal text beside the main part stay, because the reader sees them.
 */
import {
  CONTENT,
  HEADINGS,
  isHidden,
  LINES,
  NOT_RENDERED,
  PARAGRAPHS,
  VOID,
} from '../../markup/html-elements.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';
import { roleOf } from './navigation.ts';

/**
 * Parts beside the main text, by element or role: `edge` is the head or foot that the pages of a site have in common.
 */
type Part = 'edge' | 'beside' | 'named';
const PARTS = new Map<string, Part>([
  ['header', 'edge'],
  ['footer', 'edge'],
  ['banner', 'edge'],
  ['contentinfo', 'edge'],
  ['aside', 'beside'],
  ['complementary', 'beside'],
]);

/** Their headers and footers are their own: the source of a quotation. */
const OWN = new Set(['blockquote', 'figure', 'details', 'fieldset']);

/** Elements that are menus, or hold them, in pages that use no elements of that meaning. */
const UNNAMED = new Set(['div', 'ul', 'ol', 'p', 'table']);
/** Words in classes and ids by which pages without those elements name their menus. */
const MENU_NAME = new RegExp(
  '(?:^|[^a-z])(?:nav|navbar|navi|navigation|(?:sub|top|main|mega)?menus?|breadcrumbs?|topbar|sidebar|' +
    'header|foot|footer|pagination|pager)(?![a-z])',
);

/** A part with more events is the page itself, whatever its name says. It also bounds what waits in memory. */
const PART_MAX_EVENTS = 20_000;

/** With fewer links a part is a note that refers to something. */
const MENU_MIN_LINKS = 3;

/** Fewer words outside links are a logo, a label, or the year of the copyright. */
const LINE_MIN_WORDS = 3;
/** Scripts without spaces count by three characters. */
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]{1,3}|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu;

type Event = { name: string; attributes: Attributes | undefined } | string;
/** `letters`: characters that the reader sees; `linked`: such characters in links to other pages. */
type Line = { events: Event[]; letters: number; linked: number; words: number; isHeading: boolean };
type OpenPart = { part: Part; depth: number; lines: Line[]; events: number; links: number };
type OpenElement = { isContent: boolean; isHidden: boolean; isLink: boolean; isHeading: boolean };

const openPart = (part: Part, depth: number): OpenPart => ({
  part,
  depth,
  lines: [newLine()],
  events: 0,
  links: 0,
});

/** Returns how many events the part has. */
function addEvent(part: OpenPart, event: Event, isBreak: boolean): number {
  if (isBreak) part.lines.push(newLine());
  part.lines.at(-1)?.events.push(event);
  return ++part.events;
}

const newLine = (): Line => ({ events: [], letters: 0, linked: 0, words: 0, isHeading: false });

const toOpenElement = (name: string, attributes: Attributes): OpenElement => ({
  isContent: CONTENT.has(name) || OWN.has(name) || roleOf(attributes) === 'main',
  isHidden: NOT_RENDERED.has(name) || isHidden(attributes),
  isLink: isOutwardLink(name, attributes),
  isHeading: HEADINGS.has(name),
});

/** `depth`: how many open elements have each role. */
function createOpenElements() {
  const open: OpenElement[] = [];
  const depth = { isContent: 0, isHidden: 0, isLink: 0, isHeading: 0 };
  const count = (element: OpenElement, added: 1 | -1) => {
    for (const role of Object.keys(depth) as (keyof OpenElement)[]) if (element[role]) depth[role] += added;
  };
  return {
    open,
    depth,
    begin(element: OpenElement): void {
      open.push(element);
      count(element, 1);
    },
    end(): void {
      const element = open.pop();
      if (element) count(element, -1);
    },
  };
}

/** Sends all elements of the lines, and the texts of those that are kept. */
function sendLines(events: HtmlEvents, lines: Line[], kept: Line[]): void {
  const isKept = new Set(kept);
  for (const line of lines)
    for (const event of line.events) if (typeof event !== 'string' || isKept.has(line)) send(events, event);
}

/** Passes events on, except menus, in linear time. Events of a part beside the main text wait for its end. */
export function withoutMenus(events: HtmlEvents): HtmlEvents {
  const { open, depth, begin, end } = createOpenElements();
  let part: OpenPart | undefined;

  /** Keeps an event of the open part until its end. */
  const keep = (event: Event, isBreak: boolean): void => {
    if (part && addEvent(part, event, isBreak) > PART_MAX_EVENTS) endPart(part.lines);
  };
  const endPart = (kept: Line[]): void => {
    const lines = kept.length > 0 ? (part?.lines ?? []) : [];
    part = undefined;
    sendLines(events, lines, kept);
  };
  return {
    open(name, attributes) {
      const begun = part || depth.isContent > 0 ? undefined : partOf(name, attributes);
      if (begun) part = openPart(begun, open.length);
      if (part) keep({ name, attributes }, isBlock(name));
      else events.open(name, attributes);
      if (VOID.has(name)) return;
      const element = toOpenElement(name, attributes);
      if (part && element.isLink) part.links++;
      begin(element);
    },
    close(name) {
      end();
      if (part) keep({ name, attributes: undefined }, isBlock(name));
      else events.close(name);
      if (part?.depth === open.length) endPart(keptLines(part));
    },
    text(text) {
      const line = part?.lines.at(-1);
      if (line && depth.isHidden === 0) measure(line, text, depth);
      if (part) keep(text, false);
      else events.text(text);
    },
  };
}

const isBlock = (name: string): boolean => PARAGRAPHS.has(name) || LINES.has(name);

function send(events: HtmlEvents, event: Event): void {
  if (typeof event === 'string') events.text(event);
  else if (event.attributes) events.open(event.name, event.attributes);
  else events.close(event.name);
}

function partOf(name: string, attributes: Attributes): Part | undefined {
  const part = PARTS.get(roleOf(attributes)) ?? PARTS.get(name);
  if (part || !UNNAMED.has(name)) return part;
  return MENU_NAME.test(namesOf(attributes)) ? 'named' : undefined;
}

/** `mainNav` → `main-nav` */
const namesOf = (attributes: Attributes): string =>
  `${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`
    .slice(0, 500)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** A link to a place in the page belongs to its table of contents or to its notes. */
function isOutwardLink(name: string, attributes: Attributes): boolean {
  const href = name === 'a' ? attributes.get('href') : undefined;
  return href !== undefined && !/^\s*#./.test(href);
}

function measure(
  line: Line,
  text: string,
  { isLink, isHeading }: { isLink: number; isHeading: number },
): void {
  const letters = text.replace(/\s+/g, '').length;
  line.letters += letters;
  line.isHeading ||= isHeading > 0 && letters > 0;
  if (isLink > 0) line.linked += letters;
  else line.words += text.match(WORD)?.length ?? 0;
}

/**
 * An edge keeps its headings, which name the page, and its lines of words. Other parts are left out if most of their
 * text is links; a part that only its name makes a menu keeps its lines of words even then.
 */
function keptLines({ lines, part, links }: OpenPart): Line[] {
  const isText = ({ letters, linked, words, isHeading }: Line) =>
    (isHeading && part === 'edge') || (2 * linked <= letters && words >= LINE_MIN_WORDS);
  if (part === 'edge') return lines.filter(isText);
  const isMenu = links >= MENU_MIN_LINKS && 2 * sum(lines, 'linked') > sum(lines, 'letters');
  if (!isMenu) return lines;
  return part === 'named' ? lines.filter(isText) : [];
}

const sum = (lines: Line[], field: 'letters' | 'linked'): number =>
  lines.reduce((total, line) => total + line[field], 0);
