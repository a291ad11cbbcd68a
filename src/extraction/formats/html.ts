/** HTML page → text with headings, lists, tables and code, without scripts and boilerplate. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { isBlank } from '../../indexing/split/extracted-text.ts';
import { readHtml } from '../markup/read-html.ts';
import { renderHtml } from '../rendering/html-renderer.ts';

/**
 * A page's text and structure. Boilerplate such as navigation is left out unless nothing else would remain.
 * Never throws. Takes linear time in the page's length, however deep its elements nest.
 */
export function extractHtml(html: string): ExtractedText {
  const text = render(html, { keepBoilerplate: false });
  return isBlank(text.text) ? render(html, { keepBoilerplate: true }) : text;
}

function render(html: string, options: { keepBoilerplate: boolean }): ExtractedText {
  const renderer = renderHtml(options);
  readHtml(html, renderer);
  return renderer.finish();
}
