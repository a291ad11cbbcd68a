/** Makes readable text of an HTML page: without scripts and boilerplate, with headings, lists, tables and code. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { isBlank } from '../../indexing/split/extracted-text.ts';
import { readTags } from './html-tags.ts';
import { renderHtml } from './html-text.ts';

/**
 * A page's text and structure. Navigation, and what frames the page rather than belonging to its text, is left
 * out unless nothing would remain. Never throws; linear in the page's length, however deep its elements nest.
 */
export function extractHtml(html: string): ExtractedText {
  const text = render(html, { keepBoilerplate: false });
  return isBlank(text.text) ? render(html, { keepBoilerplate: true }) : text;
}

function render(html: string, options: { keepBoilerplate: boolean }): ExtractedText {
  const renderer = renderHtml(options);
  readTags(html, renderer);
  return renderer.finish();
}
