/** Chooses between newer and older markup of the same content (ECMA-376 part 3, 7.5). */
import { childrenOf, descendants, isElement, textOf, type XmlElement } from '../../../markup/xml-tree.ts';

/** The elements inside an element, with the first alternative that holds anything in place of each choice. */
export function contentOf(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? [])
    .filter(isElement)
    .flatMap((child) => (child.name === 'AlternateContent' ? alternativeOf(child) : [child]));
}

function alternativeOf(element: XmlElement): XmlElement[] {
  const choice = childrenOf(element, 'Choice').find(holdsContent);
  return contentOf(choice ?? childrenOf(element, 'Fallback')[0]);
}

const SHOWN = new Set(['chart', 'relIds', 'oleObj', 'tbl']);

function holdsContent(element: XmlElement): boolean {
  return (
    descendants(element, SHOWN).length > 0 ||
    descendants(element, new Set(['t'])).some((text) => textOf(text).trim() !== '')
  );
}
