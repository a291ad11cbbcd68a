/** Reads the elements of a part, each by the function for its name. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { type MathWriter, writeMath } from '../../../markup/mathml.ts';
import type { XmlEvents } from '../../../markup/read-xml.ts';

/** What follows from an element: its content is skipped, or something is done when it closes. */
export type Opened = 'skip' | (() => void) | undefined;

/** By the element's name without its prefix. */
export type ElementReaders = Record<string, (attributes: Attributes) => Opened>;

/** For elements without content, which stand for a character or a command. */
export const whole =
  (read: (attributes: Attributes) => void): ((attributes: Attributes) => Opened) =>
  (attributes) => {
    read(attributes);
    return undefined;
  };

/** Elements without a reader are passed over, their content is read. */
export function elementEvents(readers: ElementReaders, text: (text: string) => void): Required<XmlEvents> {
  const byName = new Map(Object.entries(readers));
  const closing: (() => void)[] = [];
  let skipped = 0;
  return {
    open(name, attributes) {
      if (skipped > 0) {
        skipped++;
        return;
      }
      const opened = isHidden(attributes) && !SELF_HIDING.has(name) ? 'skip' : byName.get(name)?.(attributes);
      if (opened === 'skip') skipped = 1;
      else closing.push(opened ?? (() => {}));
    },
    close() {
      if (skipped > 0) skipped--;
      else closing.pop()?.();
    },
    text(written) {
      if (skipped === 0) text(written);
    },
  };
}

/** Passes events on, and gives the text of each equation to `write` in place of its elements. */
export function withEquations(
  { open, close, text }: Required<XmlEvents>,
  write: (equation: string) => void,
): Required<XmlEvents> {
  let math: MathWriter | undefined;
  return {
    open(name, attributes) {
      if (name === 'math') math ??= writeMath();
      if (math) math.open(name, attributes);
      else open(name, attributes);
    },
    close(name) {
      if (!math) return close(name);
      const equation = math.close();
      if (equation === undefined) return;
      math = undefined;
      write(equation);
    },
    text(written) {
      if (math) math.text(written);
      else text(written);
    },
  };
}

/** Gives all elements inside these containers to another reader, instead of reading them as text. */
export function delegating(
  { open, close, text }: Required<XmlEvents>,
  containers: Record<string, (name: string, attributes: Attributes) => void>,
): Required<XmlEvents> {
  const byName = new Map(Object.entries(containers));
  let take: ((name: string, attributes: Attributes) => void) | undefined;
  let depth = 0;
  return {
    open(name, attributes) {
      take ??= byName.get(name);
      if (!take) return open(name, attributes);
      if (depth > 0) take(name, attributes);
      depth++;
    },
    close(name) {
      if (!take) return close(name);
      depth--;
      if (depth === 0) take = undefined;
    },
    text(written) {
      if (!take) text(written);
    },
  };
}

/** Whether the document does not show a section, text or field (clauses 19.768, 19.806). Asked of every element. */
export function isHidden(attributes: Attributes): boolean {
  for (const [name, value] of attributes) {
    if (value === 'none' && name.endsWith(':display')) return true;
    if (value === 'true' && name.endsWith(':is-hidden')) return true;
  }
  return false;
}

/** Their readers decide. */
const SELF_HIDING = new Set(['section', 'hidden-paragraph']);
