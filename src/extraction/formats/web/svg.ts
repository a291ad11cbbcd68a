/** Reads a drawing (SVG 2): the text that it draws, and its title and description. */
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';
import { readHtml } from '../../markup/read-html.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { pageWarnings } from './cut-off.ts';
import { withVisibleText } from './visible-text.ts';

const ROOT =
  /^(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>)*<(?:\w+:)?svg[\s>/]/is;

/** The root element is looked for in this many bytes: programs write long comments before it. */
const HEAD_LENGTH = 16_384;

/** Whether an XML document is a drawing. */
export const isSvg = (bytes: Uint8Array): boolean =>
  ROOT.test(decodeText(bytes.subarray(0, HEAD_LENGTH), { markup: 'xml' }));

export function extractSvg(bytes: Uint8Array): ExtractedFile {
  const renderer = renderHtml();
  const drawing = decodeText(bytes, { markup: 'xml' });
  readHtml(drawing, withVisibleText(withDescriptions(renderer)), {
    isXml: true,
  });
  return { extracted: renderer.finish(), warnings: pageWarnings(drawing) };
}

/** In a page, drawings are icons, and so are their descriptions. */
const withDescriptions = ({ open, close, text }: HtmlEvents): HtmlEvents => {
  const shown = (name: string): string => (name === 'title' || name === 'desc' ? 'p' : name);
  return {
    open: (name, attributes) => open(shown(name), attributes),
    close: (name) => close(shown(name)),
    text,
  };
};
