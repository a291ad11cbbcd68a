/** Writes the equations of a page as text. */
import { type MathWriter, writeMath } from '../../markup/mathml.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

/** Passes events on, and the text of an equation in place of its elements. */
export function withEquations({ open, close, text }: HtmlEvents): HtmlEvents {
  let math: MathWriter | undefined;
  /** An equation is a paragraph of its own, or a part of a sentence. */
  let element = 'span';
  return {
    open(name, attributes) {
      if (!math && name === 'math') {
        math = writeMath();
        element = attributes.get('display') === 'block' ? 'div' : 'span';
        open(element, attributes);
      }
      if (math) math.open(name, attributes);
      else open(name, attributes);
    },
    close(name) {
      if (!math) {
        close(name);
        return;
      }
      const line = math.close();
      if (line === undefined) return;
      math = undefined;
      text(line);
      close(element);
    },
    text(written) {
      if (math) math.text(written);
      else text(written);
    },
  };
}
