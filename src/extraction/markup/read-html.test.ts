/** Badly nested pages have the elements that browsers show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from './read-html.ts';

/** The events of a page as well-nested markup. */
function repaired(html: string): string {
  const written: string[] = [];
  const events = {
    open: (name: string) => written.push(`<${name}>`),
    close: (name: string) => written.push(`</${name}>`),
    text: (text: string) => written.push(text),
  };
  readHtml(html, events);
  return written.join('');
}

const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

describe('readHtml', () => {
  const repairs: [reason: string, html: string, expected: string][] = [
    [
      'an end tag closes nothing outside its table',
      '<center><table></center><tr><td>a</font></center></b></form></div><td>b</table>',
      `<center><table>${row('a', 'b')}</table></center>`,
    ],
    [
      'an element that begins between the parts of a table ends before the next part',
      '<table><form><center><tr><b><td>a</td></b><center><td>b</td></center></tr></center></form></table>',
      `<table><center></center>${row('a', 'b')}</table>`,
    ],
    [
      'an unclosed cell ends with the next',
      '<table><tr><td><p><b>a<td>b<tr><td>c</table>',
      `<table>${row('<p><b>a</b></p>', 'b')}${row('c')}</table>`,
    ],
    [
      'a cell without a row begins one',
      '<table><td>a<td>b</tr><td>c</table>',
      `<table>${row('a', 'b')}${row('c')}</table>`,
    ],
    [
      'rows without a table begin one, which ends with the element around it',
      '<div><tr><td>a<td>b</div>c',
      `<div><table>${row('a', 'b')}</table></div>c`,
    ],
    [
      'rows without a table end before text',
      '<tr><td>a</tr>b<tr><td>c',
      `<table>${row('a')}</table>b<table>${row('c')}</table>`,
    ],
    [
      'a table ends where a paragraph begins between its rows',
      '<table><tr><td>a</tr><p>b</p>',
      `<table>${row('a')}</table><p>b</p>`,
    ],
    [
      'text outside the cells of a row follows the row',
      '<table><tr>x<td>a</td>y<td>b</tr></table>',
      `<table>${row('a', 'b')}<br>xy<br></table>`,
    ],
    [
      'a table in a cell is whole',
      '<table><tr><td>a<table><tr><td>b</table></td><td>c</table>',
      `<table>${row(`a<table>${row('b')}</table>`, 'c')}</table>`,
    ],
    [
      'a table between rows ends the table',
      '<table><tr><td>a</tr><table><tr><td>b</table>',
      `<table>${row('a')}</table><table>${row('b')}</table>`,
    ],
    [
      'the end of a table ends its cell',
      '<table><tr><td><div>a</table>b',
      `<table>${row('<div>a</div>')}</table>b`,
    ],
    [
      'a group ends with the next',
      '<table><thead><tr><td>a<tbody><tr><td>b</table>',
      `<table><thead>${row('a')}</thead><tbody>${row('b')}</tbody></table>`,
    ],
    [
      'a heading ends with another, and by the end tag of another',
      '<h1>a<h2>b</h3>c',
      '<h1>a</h1><h2>b</h2>c',
    ],
    ['a caption outside a table is text', '<caption>a</caption>b', 'ab'],
  ];
  it.each(repairs)('%s', (_reason, html, expected) => expect(repaired(html)).toBe(expected));

  const languages: [reason: string, html: string, expected: string][] = [
    [
      'prefixes of XHTML are dropped',
      '<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:p>a</x:p></x:html>',
      '<html><p>a</p></html>',
    ],
    ['a prefix that is not declared stays', '<o:p>a</o:p>', '<o:p>a</o:p>'],
    [
      'inline XBRL has one prefix',
      '<p xmlns:q="http://www.xbrl.org/2013/inlineXBRL"><q:nonFraction>1</q:nonFraction></p>',
      '<p><ix:nonfraction>1</ix:nonfraction></p>',
    ],
    [
      'XHTML has elements without end tags',
      '<?xml version="1.0"?><div/><p>a<i/>b</p>',
      '<div></div><p>a<i></i>b</p>',
    ],
    ['HTML has none', '<div/>a', '<div>a</div>'],
    [
      'but the languages inside it have',
      '<math><mi>x</mi><mspace/></math><i/>a',
      '<math><mi>x</mi><mspace></mspace></math><i>a</i>',
    ],
  ];
  it.each(languages)('%s', (_reason, html, expected) => expect(repaired(html)).toBe(expected));

  it('closes what it opens, innermost first', () => {
    const names = fc.constantFrom(
      ...'table tbody tr td caption th template p b div form li h1 svg br'.split(' '),
    );
    const part = fc.oneof(
      names.map((name) => `<${name}>`),
      names.map((name) => `</${name}>`),
      fc.constantFrom('a', ' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const open: string[] = [];
        const events = {
          open: (name: string) => name !== 'br' && open.push(name),
          close: (name: string) => expect(open.pop()).toBe(name),
          text() {},
        };
        readHtml(parts.join(''), events);
        expect(open).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
