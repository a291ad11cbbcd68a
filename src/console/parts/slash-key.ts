/** The key `/` leads to the search field, as in other search pages. */
import { addressOf, visit } from '../routes.ts';

/** Where a person types, `/` is a letter; in a dialog, the page behind it is out of reach. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;

/** Focuses the search field of the page. A page without one is left for the search. */
export function focusSearchOnSlash(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  event.preventDefault();
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) visit(addressOf.search());
  field?.focus();
  field?.select();
}
