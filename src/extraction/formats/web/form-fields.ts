/** Writes what the fields of a form show: typed texts, chosen options, ticks. Buttons are left out. */
import { isHidden } from '../../markup/html-elements.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

/** Inputs that show no text of theirs. Those of unknown types show what has been typed. */
const WITHOUT_TEXT = new Set('hidden password submit button reset image file range color'.split(' '));
const TICKED = new Set(['checkbox', 'radio']);
/** Fields with an end tag. A choice shows its chosen options alone. */
const FIELDS = new Set(['textarea', 'select', 'option', 'button', 'progress', 'meter']);
const NOT_SHOWN = 'template';

/** Passes events on. Each field stands apart from the words beside it. */
export function withFormFields({ open, close, text }: HtmlEvents): HtmlEvents {
  /** What the open fields are passed on as. */
  const opened: string[] = [];
  return {
    open(name, attributes) {
      if (name === 'input' && !isHidden(attributes)) text(` ${shownInput(attributes)} `);
      if (!FIELDS.has(name)) return open(name, attributes);
      const element = elementFor(name, attributes);
      opened.push(element);
      text(' ');
      open(element, attributes);
    },
    close(name) {
      if (!FIELDS.has(name)) return close(name);
      close(opened.pop() ?? name); // every close has its open
      text(' ');
    },
    text,
  };
}

function elementFor(name: string, attributes: Attributes): string {
  if (name === 'option') return attributes.has('selected') ? 'span' : NOT_SHOWN;
  return name === 'textarea' || name === 'select' ? 'span' : name;
}

function shownInput(attributes: Attributes): string {
  const type = attributes.get('type')?.trim().toLowerCase() ?? '';
  if (TICKED.has(type)) return isSwitch(attributes) ? '' : attributes.has('checked') ? '☒' : '☐';
  return WITHOUT_TEXT.has(type) ? '' : (attributes.get('value') ?? '').trim();
}

/** Pages open their menus by boxes that nobody sees. */
const isSwitch = (attributes: Attributes): boolean => attributes.get('role') === 'button';
