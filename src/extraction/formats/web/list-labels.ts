/** The labels of list entries that are not 1, 2, 3: `b.`, `iv.`, `10.` (HTML standard, 4.4.5, 4.4.8 and 15.3.7). */
import type { Attributes } from '../../markup/markup-tokens.ts';
import { letterNumber, romanNumber } from '../../rendering/number-formats.ts';

/** `label` is undefined while the entries of the list have their usual numbers. */
type List = { next: number; step: 1 | -1; label: ((number: number) => string) | undefined };

const LISTS = new Set(['ol', 'ul', 'menu', 'dir']);

const letter = (number: number): string => letterNumber(number, { isRepeated: false });
/** By the attribute `type` of a list, or by the style of its entries. */
const LABELS: [style: RegExp, label: (number: number) => string][] = [
  [/^a$|lower-(?:alpha|latin)/, letter],
  [/^A$|upper-(?:alpha|latin)/, (number) => letter(number).toUpperCase()],
  [/^i$|lower-roman/, romanNumber],
  [/^I$|upper-roman/, (number) => romanNumber(number).toUpperCase()],
];
const LIST_STYLE = /list-style(?:-type)?\s*:([^;]*)/i;

/** Follows the lists of a page. `open` returns the attributes of the element; an entry also has its `label`. */
export function listLabels() {
  const lists: (List | undefined)[] = [];
  return {
    open(name: string, attributes: Attributes): Attributes {
      if (LISTS.has(name)) lists.push(name === 'ol' ? listOf(attributes) : undefined);
      const list = lists.at(-1);
      if (name !== 'li' || !list) return attributes;
      const value = integerOf(attributes, 'value');
      if (value !== undefined) Object.assign(list, { next: value, label: list.label ?? String });
      const number = list.next;
      list.next += list.step;
      return list.label ? new Map([...attributes, ['label', `${list.label(number)}.`]]) : attributes;
    },
    close(name: string): void {
      if (LISTS.has(name)) lists.pop();
    },
  };
}

/** A list that counts down from the number of its entries needs its `start`: they have not been read. */
function listOf(attributes: Attributes): List {
  const start = integerOf(attributes, 'start');
  const style = attributes.get('type') ?? LIST_STYLE.exec(attributes.get('style') ?? '')?.[1]?.trim() ?? '';
  const label = LABELS.find(([named]) => named.test(style))?.[1];
  const isReversed = attributes.has('reversed') && start !== undefined;
  return { next: start ?? 1, step: isReversed ? -1 : 1, label: label ?? (isReversed ? String : undefined) };
}

function integerOf(attributes: Attributes, name: string): number | undefined {
  const written = /^\s*([+-]?\d{1,9})/.exec(attributes.get(name) ?? '')?.[1];
  return written === undefined ? undefined : Number(written);
}
