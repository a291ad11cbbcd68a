/** HTML page → text with headings, lists, tables and code, without scripts and menus. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { hasOnlyHeadings, isBlank } from '../../indexing/split/extracted-text.ts';
import { decodeText } from '../decode-text.ts';
import type { ExtractedFile } from '../extracted-file.ts';
import type { HtmlEvents } from '../markup/open-elements.ts';
import { readHtml } from '../markup/read-html.ts';
import type { ReaderContext } from '../reader-context.ts';
import { renderHtml } from '../rendering/html-renderer.ts';
import { pageWarnings } from './web/cut-off.ts';
import { withoutMenus } from './web/menus.ts';
import { withoutNavigation } from './web/navigation.ts';
import { belowTitle, withTitleRead } from './web/page-title.ts';
import { withVisibleText } from './web/visible-text.ts';

/** Reads a file that is a page. */
export function extractHtmlFile(
  bytes: Uint8Array,
  { charset }: Pick<ReaderContext, 'charset'>,
): ExtractedFile {
  const html = decodeText(bytes, { markup: 'html', charset });
  const { text, title } = readPage(html);
  const extracted = isBlank(text.text) ? text : belowTitle(text, title);
  return { extracted, warnings: pageWarnings(html), ...(title !== '' && { title }) };
}

/**
 * A page's text and structure, below its title. Menus, and what browsers show only without scripts, are left out unless
 * nothing but headings would remain. Never throws. Takes linear time in the page's length, however deep its elements
 * nest. `hasTitle`: false where the reader does not see the title, as in a mail.
 */
export function extractHtml(html: string, { hasTitle = true } = {}): ExtractedText {
  const { text, title } = readPage(html);
  return hasTitle && !isBlank(text.text) ? belowTitle(text, title) : text;
}

/** `title`: '' where the page has none. */
type Page = { text: ExtractedText; title: string };

function readPage(html: string): Page {
  const page = render(html, (renderer) => withoutNavigation(withoutMenus(renderer)));
  return hasOnlyHeadings(page.text) ? render(html, withFallbacks) : page;
}

function render(html: string, filter: (renderer: HtmlEvents) => HtmlEvents): Page {
  const renderer = renderHtml();
  const { events, title } = withTitleRead(withVisibleText(filter(renderer)));
  readHtml(html, events);
  return { text: renderer.finish(), title: title() };
}

/** Shows what browsers show without scripts. */
const withFallbacks = ({ open, close, text }: HtmlEvents): HtmlEvents => ({
  open: (name, attributes) => open(name === 'noscript' ? 'div' : name, attributes),
  close: (name) => close(name === 'noscript' ? 'div' : name),
  text,
});
