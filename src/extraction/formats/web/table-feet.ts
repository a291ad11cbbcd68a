/** Moves the foot of a table to its end, where browsers show it: it may stand before the body (HTML 4.01, 11.2.3). */
import { VOID } from '../../markup/html-elements.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

type Event = () => void;

export function withFeetLast({ open, close, text }: HtmlEvents): HtmlEvents {
  /** The feet of each open table. */
  const tables: Event[][] = [];
  /** The foot that is being read, and the number of open elements in it, itself included. */
  let foot: { events: Event[]; depth: number } | undefined;
  return {
    open(name, attributes) {
      if (!foot && name === 'tfoot' && tables.length > 0) foot = { events: [], depth: 0 };
      if (foot) {
        foot.events.push(() => open(name, attributes));
        if (!VOID.has(name)) foot.depth++;
        return;
      }
      if (name === 'table') tables.push([]);
      open(name, attributes);
    },
    close(name) {
      if (foot) {
        foot.events.push(() => close(name));
        foot.depth--;
        if (foot.depth > 0) return;
        for (const event of foot.events) tables.at(-1)?.push(event);
        foot = undefined;
        return;
      }
      if (name === 'table') for (const event of tables.pop() ?? []) event();
      close(name);
    },
    text(written) {
      if (foot) foot.events.push(() => text(written));
      else text(written);
    },
  };
}
