/** Writes the title that the table of contents gives to a chapter without headings: its headings may be pictures. */
import { isHidden, NOT_RENDERED, VOID } from '../../markup/html-elements.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';
import { saysAll } from '../web/page-title.ts';

const NO_ATTRIBUTES = new Map<string, string>();

/** Passes events on, with the title before the first text, unless that text has all of its words. */
export function withHeading(title: string, { open, close, text }: HtmlEvents): HtmlEvents {
  let isPending = title !== '';
  /** The number of open elements from the outermost hidden one on. */
  let hidden = 0;
  return {
    open(name, attributes) {
      if (!VOID.has(name) && (hidden > 0 || NOT_RENDERED.has(name) || isHidden(attributes))) hidden++;
      open(name, attributes);
    },
    close(name) {
      if (hidden > 0) hidden--;
      close(name);
    },
    text(written) {
      if (isPending && hidden === 0 && written.trim() !== '') {
        isPending = false;
        if (!saysAll(written, title)) {
          open('h1', NO_ATTRIBUTES);
          text(title);
          close('h1');
        }
      }
      text(written);
    },
  };
}
