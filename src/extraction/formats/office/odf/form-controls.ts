/** The controls of forms (OpenDocument 1.3 part 3, clause 13): what each of them shows. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';

export type FormControls = {
  /** Takes an element of `office:forms`. */
  take(name: string, attributes: Attributes): void;
  /** The label and the value of the control with this id; empty where it shows neither. */
  textOf(id: string): string;
};

/** `mark`: of a box or a radio button. */
type Control = { label: string; value: string; mark: string; chosen: string[] };

/** Controls whose value is sent, but not shown. */
const VALUE_NOT_SHOWN = new Set(['checkbox', 'radio', 'button', 'image', 'hidden', 'password']);

export function formControls(): FormControls {
  const controls = new Map<string, Control>();
  let current: Control | undefined;
  return {
    take(name, attributes) {
      const id = attribute(attributes, 'id');
      if (id !== undefined) {
        current = newControl(name, attributes);
        controls.set(id, current);
      } else if (name === 'option' && isChosen(attributes)) {
        current?.chosen.push(attribute(attributes, 'label') ?? '');
      }
    },
    textOf(id) {
      const control = controls.get(id);
      if (!control) return '';
      const { label, value, mark, chosen } = control;
      return [mark, label, chosen.join(', ') || value].filter((part) => part !== '').join(' ');
    },
  };
}

function newControl(name: string, attributes: Attributes): Control {
  const value = attribute(attributes, 'current-value') ?? attribute(attributes, 'value') ?? '';
  return {
    label: attribute(attributes, 'label') ?? '',
    value: VALUE_NOT_SHOWN.has(name) ? '' : value,
    mark: markOf(name, attributes),
    chosen: [],
  };
}

function markOf(name: string, attributes: Attributes): string {
  if (name !== 'checkbox' && name !== 'radio') return '';
  const state = attribute(attributes, 'current-state') ?? attribute(attributes, 'state');
  return state === 'checked' || isChosen(attributes) ? '☒' : '☐';
}

const isChosen = (attributes: Attributes): boolean =>
  (attribute(attributes, 'current-selected') ?? attribute(attributes, 'selected')) === 'true';
