/** Leaves out what leads to a text and is no text itself: navigation, search, toolbars, and pages of a printed book. */
import { VOID } from '../../markup/html-elements.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

/** WAI-ARIA 1.2, 5.3, and DPUB-ARIA 1.1: the number of a printed page stands in the middle of a sentence. */
const NAVIGATION_ROLES = new Set(
  'navigation search menu menubar toolbar dialog alertdialog doc-pagebreak doc-toc'.split(' '),
);

/** The first role of an element; in books a role of the vocabulary of EPUB 3, which has the same names after `doc-`. */
export function roleOf(attributes: Attributes): string {
  const type = attributes.get('epub:type');
  const roles = attributes.get('role') ?? (type === undefined ? '' : `doc-${type.trim()}`);
  return /^\S*/.exec(roles.trim().toLowerCase())?.[0] ?? '';
}

/** Passes events on, except navigation and what it contains. */
export function withoutNavigation({ open, close, text }: HtmlEvents): HtmlEvents {
  /** The number of open elements from the outermost navigation on. */
  let depth = 0;
  return {
    open(name, attributes) {
      if (depth === 0 && name !== 'nav' && !NAVIGATION_ROLES.has(roleOf(attributes))) open(name, attributes);
      else if (!VOID.has(name)) depth++;
    },
    close(name) {
      if (depth === 0) close(name);
      else depth--;
    },
    text(written) {
      if (depth === 0) text(written);
    },
  };
}
