/** Paragraphs, lists, notes and fields (OpenDocument 1.3 part 3, clauses 5 to 7). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { labelled } from '../../../rendering/html-renderer.ts';
import type { UnreadParts } from '../unread.ts';
import { type ElementReaders, isHidden, type Opened, whole } from './elements.ts';
import type { Flow } from './flow.ts';
import { type ListNumbering, listNumbering } from './styles/list-numbering.ts';
import type { OdfStyles } from './styles/odf-styles.ts';

export type TextContext = {
  flow: Flow;
  styles: OdfStyles;
  unread: UnreadParts;
  /** Takes the name of a master page, which some of the pages have. */
  useMasterPage(name: string): void;
  /** The text stands on many pages: the numbers of pages are left out. */
  isRepeated: boolean;
  /** The number of open titles of slides. Their paragraphs are headings. */
  titles: { open: number };
};

/** Deleted text, scripts, settings, templates of indexes, pronunciation. */
const SKIPPED = [
  'tracked-changes',
  'scripts',
  'script',
  'font-face-decls',
  'settings',
  'meta',
  'binary-data',
  'ruby-text',
  'table-of-content-source',
  'illustration-index-source',
  'table-index-source',
  'object-index-source',
  'user-index-source',
  'alphabetical-index-source',
  'bibliography-source',
];

export function textElements(context: TextContext): ElementReaders {
  return {
    ...skipped(),
    ...paragraphElements(context),
    ...blankElements(context),
    ...noteElements(context),
    ...fieldElements(context),
  };
}

const skipped = (): ElementReaders =>
  Object.fromEntries(SKIPPED.map((name) => [name, () => 'skip' as const]));

function paragraphElements(context: TextContext): ElementReaders {
  const { flow, styles, useMasterPage, titles } = context;
  const lists = listNumbering(styles);
  const openParagraph = (attributes: Attributes, outlineLevel: number | undefined): Opened => {
    const style = attribute(attributes, 'style-name') ?? '';
    const isHidden = styles.property('paragraph', style, 'isHidden') === true;
    if (isHidden) context.unread.hidden();
    useMasterPage(styles.property('paragraph', style, 'masterPage') ?? '');
    const label = lists.labelOf({ style, level: outlineLevel, attributes });
    const number = typeof label === 'object' ? label.number : undefined;
    const level = outlineLevel ?? (titles.open > 0 ? 1 : undefined);
    const plain = styles.property('paragraph', style, 'isCode') ? 'pre' : 'p';
    const element = level !== undefined ? `h${Math.min(level, 6)}` : label ? 'li' : plain;
    if (element === 'li')
      flow.openParagraph(element, { attributes: number ? labelled(number) : undefined, isHidden });
    else flow.openParagraph(element, { label: number ?? '', isHidden });
    return () => flow.closeParagraph(element);
  };
  const openEntry = (attributes: Attributes, hasNoLabel: boolean): Opened => {
    lists.openEntry(attributes, { hasNoLabel });
    return lists.closeEntry;
  };
  return {
    p: (attributes) => openParagraph(attributes, undefined),
    h: (attributes) => openParagraph(attributes, outlineLevelOf(attributes)),
    list(attributes) {
      lists.openList(attributes);
      return lists.closeList;
    },
    'list-item': (attributes) => openEntry(attributes, false),
    'list-header': (attributes) => openEntry(attributes, true),
    'numbered-paragraph': (attributes) => openNumberedParagraph(lists, attributes),
    number: () =>
      flow.capture((label) => (flow.isInParagraph() ? flow.relabel(label.trim()) : lists.takeWritten(label))),
    span: (attributes) => openSpan(context, attribute(attributes, 'style-name') ?? ''),
    section: (attributes) => (isHidden(attributes) ? hide(context) : undefined),
  };
}

/** No line of code is indented by more. */
const BLANKS_MAX = 80;

const blankElements = ({ flow }: TextContext): ElementReaders => ({
  s: whole((attributes) =>
    flow.write(' '.repeat(Math.min(Math.abs(Number(attribute(attributes, 'c'))) || 1, BLANKS_MAX))),
  ),
  tab: whole(() => flow.write('\t')),
  'line-break': whole(flow.breakLine),
});

/** A paragraph that states its list and level itself (clause 5.3.6). */
function openNumberedParagraph(lists: ListNumbering, attributes: Attributes): Opened {
  const level = Math.min(Number(attribute(attributes, 'level') ?? 1) || 1, LIST_LEVELS_MAX);
  for (let i = 0; i < level; i++) {
    lists.openList(i === 0 ? attributes : new Map());
    lists.openEntry(i === level - 1 ? attributes : new Map(), { hasNoLabel: false });
  }
  return () => {
    for (let i = 0; i < level; i++) lists.closeList();
  };
}

/** Of list styles (clause 16.31). */
const LIST_LEVELS_MAX = 10;

function openSpan(context: TextContext, style: string): Opened {
  const { flow, styles } = context;
  const isHidden = styles.property('text', style, 'isHidden');
  if (isHidden) return hide(context);
  flow.openSpan({ position: styles.property('text', style, 'position'), font: styles.font(style), isHidden });
  return flow.closeSpan;
}

function hide({ unread }: TextContext): 'skip' {
  unread.hidden();
  return 'skip';
}

function outlineLevelOf(attributes: Attributes): number {
  const level = Number(attribute(attributes, 'outline-level') ?? 1);
  return level >= 1 ? Math.floor(level) : 6;
}

/** Footnotes, endnotes and comments. */
function noteElements({ flow }: TextContext): ElementReaders {
  /** Who wrote the open comment, and when; undefined outside comments. */
  let author: string[] | undefined;
  const openNote = (): Opened => {
    if (flow.isHidden()) return 'skip';
    flow.openNote();
    return flow.closeNote;
  };
  const takeAuthor = (length?: number): Opened => {
    // The same names are fields in paragraphs.
    if (!author || flow.isInParagraph()) return undefined;
    return flow.capture((text) => {
      author?.push(text.trim().slice(0, length));
      flow.labelNote(`${author?.filter((part) => part !== '').join(', ')}:`);
    });
  };
  return {
    note: openNote,
    // The mark stands before the note only: in the sentence it would part words that belong together.
    'note-citation': () => flow.capture((mark) => flow.labelNote(mark.trim())),
    annotation() {
      if (flow.isHidden()) return 'skip';
      flow.openNote();
      author = [];
      return () => {
        author = undefined;
        flow.closeNote();
      };
    },
    creator: () => takeAuthor(),
    date: () => takeAuthor('2024-05-01'.length),
  };
}

/** Of the fields, which show their value, only those that have another value on each page. */
function fieldElements({ flow, isRepeated }: TextContext): ElementReaders {
  const pageNumber = (): Opened => {
    if (isRepeated) return 'skip';
    // `<number>` where no program has filled it in.
    return flow.capture((number) => flow.write(/^<.*>$/.test(number) ? '' : number));
  };
  return {
    'page-number': pageNumber,
    'page-count': pageNumber,
    'hidden-paragraph': whole((attributes) => {
      if (isHidden(attributes)) flow.hideParagraph();
    }),
  };
}
