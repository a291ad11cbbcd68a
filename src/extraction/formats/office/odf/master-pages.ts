/** Headers and footers of pages, and what stands on every slide (OpenDocument 1.3 part 3, clauses 16.9 to 16.16). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml, type XmlEvents } from '../../../markup/read-xml.ts';

export type MasterPages = {
  /** Notes that pages of the document have this master page. Empty: none is named. */
  use(name: string): void;
  /** The master pages in use, and the master pages that follow them. */
  used(): ReadonlySet<string>;
};

/** `styles`: the part that lists the master pages. */
export function masterPages(styles: Uint8Array): MasterPages {
  const next = new Map<string, string>();
  readXml(styles, {
    open(name, attributes) {
      if (name === 'master-page')
        next.set(attribute(attributes, 'name') ?? '', attribute(attributes, 'next-style-name') ?? '');
    },
  });
  // The first page has this one where its first paragraph names none.
  const standard = next.has('Standard') ? 'Standard' : ([...next.keys()][0] ?? '');
  const used = new Set<string>();
  return {
    use(name) {
      if (name !== '') used.add(name);
      else if (used.size === 0) used.add(standard);
    },
    used() {
      for (const name of used) used.add(next.get(name) ?? '');
      return used;
    },
  };
}

/** Numbers and dates of slides, what stands for the text of slides, and pages of printed notes. */
const NOT_SHOWN = new Set(
  (
    'title subtitle outline text notes object table chart orgchart graphic page handout header date-time ' +
    'page-number'
  ).split(' '),
);

function isShown(name: string, attributes: Attributes): boolean {
  if (name === 'notes' || name === 'forms') return false;
  if (attribute(attributes, 'display') === 'false' || attribute(attributes, 'placeholder') === 'true')
    return false;
  return !NOT_SHOWN.has(attribute(attributes, 'class') ?? '');
}

/**
 * Passes on what stands on the used master pages, and nothing else of a part. `beginBlock` is called before each
 * header, footer or shape, and returns what ends it.
 */
export function masterPageEvents(
  { open, close, text }: Required<XmlEvents>,
  { used, beginBlock }: { used: ReadonlySet<string>; beginBlock(): () => void },
): Required<XmlEvents> {
  /** Open elements inside the master page; undefined outside. */
  let depth: number | undefined;
  let skipped = 0;
  let endBlock = () => {};
  return {
    open(name, attributes) {
      const isPage = name === 'master-page' && depth === undefined;
      if (skipped > 0) skipped++;
      else if (isPage && used.has(attribute(attributes, 'name') ?? '')) depth = 0;
      else if (isPage || (depth === 0 && !isShown(name, attributes))) skipped = 1;
      else if (depth !== undefined) {
        if (depth === 0) endBlock = beginBlock();
        depth++;
        open(name, attributes);
      }
    },
    close(name) {
      if (skipped > 0) skipped--;
      else if (depth === 0) depth = undefined;
      else if (depth !== undefined) {
        close(name);
        depth--;
        if (depth === 0) endBlock();
      }
    },
    text(written) {
      if (skipped === 0 && depth) text(written);
    },
  };
}
