/** A note never stands inside a sentence, a word or a row. */
import { expect, test } from 'vitest';
import { renderHtml } from './html-renderer.ts';

/** `<p>` opens an element, `</p>` closes it, anything else is text. */
function rendered(markup: string): string {
  const renderer = renderHtml();
  for (const [part, end, name] of markup.matchAll(/<(\/?)(\w+)>|[^<]+/g)) {
    if (name === undefined) renderer.text(part);
    else if (end === '/') renderer.close(name);
    else renderer.open(name);
  }
  return renderer.finish().text;
}

test.each([
  ['<p>Hives are inspec<note>In rain.</note>ted.</p><p>Next</p>', 'Hives are inspected.\n\nIn rain.\n\nNext'],
  ['<p>a<note><p>one</p><p>two</p></note>b<note>three</note></p>c', 'ab\n\none\n\ntwo\n\nthree\n\nc'],
  ['<table><tr><td>a<note>n</note></td><td>b</td></tr><tr><td>c</td></tr></table>d', 'a | b\nc\n\nn\n\nd'],
  ['<p>a<note>b<note>c</note>d</note>e</p>', 'ae\n\nbd\n\nc'],
  ['a<note>b<br>c</note>d', 'a\n\nb\nc\n\nd'],
  ['<p>a<note>b', 'a\n\nb'],
])('%s', (markup, text) => expect(rendered(markup)).toBe(text));
