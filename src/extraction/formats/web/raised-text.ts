/** Finds text that a style raises as a superscript, as programs for page design write the marks of notes. */
import type { Attributes } from '../../markup/markup-tokens.ts';

const RAISED = /(?:vertical-align|font-variant-position)\s*:\s*super/i;
/** The class at the end of a selector: `span.mark`. */
const CLASS = /\.([\w-]+)$/;

/** The classes whose text a style sheet raises. Takes linear time. */
export function raisedClasses(sheet: string): string[] {
  return sheet.split('}').flatMap((rule) => {
    const begin = rule.lastIndexOf('{');
    if (begin < 0 || !RAISED.test(rule.slice(begin))) return [];
    const selectors = rule.slice(rule.lastIndexOf('{', begin - 1) + 1, begin).split(',');
    return selectors.flatMap((selector) => CLASS.exec(selector.trim())?.[1] ?? []);
  });
}

/** Whether a style, or one of these sets of classes, raises the text of an element. */
export function isRaised(attributes: Attributes, classes: ReadonlySet<string>[]): boolean {
  if (RAISED.test(attributes.get('style') ?? '')) return true;
  if (classes.every(({ size }) => size === 0)) return false;
  const names = attributes.get('class')?.split(/\s+/) ?? [];
  return names.some((name) => classes.some((raised) => raised.has(name)));
}
