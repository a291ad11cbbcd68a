/**
 * Reads the equations of RTF files, whose control words are the elements of Office Math Markup with `m` before them.
 */
import { isElement, textOf, type XmlElement, type XmlNode } from '../../../markup/xml-tree.ts';
import { linearEquation } from '../../office/equations/equation.ts';
import type { Group } from '../groups.ts';

/** Reads a group as an equation, and gives it to `done` as text when the group ends. */
export function readEquation(group: Group, done: (equation: string) => void): void {
  const root = newElement('oMath');
  const open = [root];
  const texts = [''];
  const close = () => {
    const element = open.pop();
    const text = texts.pop() ?? '';
    if (element && text !== '') addText(element, text, open.at(-1)?.children.at(-2));
  };
  group.destination = {
    write(_, text) {
      texts.push((texts.pop() ?? '') + text);
    },
    word(inner, name) {
      // The first word names the element; those after it describe a run.
      if (inner.end || !name.startsWith('m')) return;
      const element = newElement(name.slice(1));
      open.at(-1)?.children.push(element);
      open.push(element);
      texts.push('');
      inner.end = close;
    },
  };
  group.end = () => done(linearEquation(root));
}

const newElement = (name: string): XmlElement => ({ name, attributes: new Map(), children: [] });

const WORD_END = /\p{L}{2}$/u;
const WORD_START = /^\p{L}{2}/u;

/**
 * The text of a run is text. That of a property is its value. LibreOffice writes the words of an equation as runs that
 * follow each other (`before`), without the blank between them.
 */
function addText(element: XmlElement, text: string, before: XmlNode | undefined): void {
  if (element.name !== 'r') {
    element.attributes = new Map([['val', text.trim()]]);
    return;
  }
  const isAfterRun = before !== undefined && isElement(before) && before.name === 'r';
  const isNextWord = isAfterRun && WORD_START.test(text) && WORD_END.test(textOf(before));
  element.children.push({ ...newElement('t'), children: [isNextWord ? ` ${text}` : text] });
}
