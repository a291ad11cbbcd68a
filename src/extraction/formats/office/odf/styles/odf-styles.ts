/**
 * Reads what the styles of an OpenDocument file say about its text (OpenDocument 1.3 part 3, clauses 16, 19 and 20).
 */
import type { Attributes } from '../../../../markup/markup-tokens.ts';
import { attribute } from '../../../../markup/read-xml.ts';
import type { TextPosition } from '../../../../rendering/text-runs.ts';
import { isCodeStyle } from '../../code-style.ts';
import { type ListLevel, listLevel } from './list-levels.ts';

/** Styles of different families may have the same name. */
export type StyleFamily = 'text' | 'paragraph' | 'table' | 'drawing-page';

type Style = {
  parent: string;
  position?: TextPosition | 'baseline';
  isHidden?: boolean;
  /** The family name of the font, or the name of its declaration. */
  font?: string;
  /** Empty where the style has no numbering, whatever its parent has. */
  listStyle?: string;
  /** False: a paragraph in a list has no number and no bullet. */
  isNumbered?: boolean;
  masterPage?: string;
  isCode?: boolean;
  showsFooter?: boolean;
};

export type OdfStyles = {
  /** Takes an element of `office:font-face-decls`, `office:styles` or `office:automatic-styles`. */
  take(name: string, attributes: Attributes): void;
  /** A property of a style or of its parents; undefined where none of them sets it. */
  property<Key extends keyof Style>(family: StyleFamily, name: string, key: Key): Style[Key] | undefined;
  /** The family name of the font of a text style; undefined where it has the font of the text around it. */
  font(textStyle: string): string | undefined;
  /** The levels of a list style, from the outermost; of the numbering of headings where the name is OUTLINE. */
  listLevels(name: string): readonly ListLevel[] | undefined;
};

/** Name of the numbering of headings. No list style has an empty name. */
export const OUTLINE = '';

/** Maximum length of a chain of parent styles. In a damaged file the chain may be a circle. */
const CHAIN_MAX_LENGTH = 12;

/** No styles yet. `common`: the styles that are looked up after the own ones. */
export function odfStyles(common?: OdfStyles): OdfStyles {
  const styles = new Map<string, Style>();
  const lists = new Map<string, ListLevel[]>();
  const fonts = new Map<string, string>();
  /** The style and the list whose properties and levels follow. */
  let [style, levels]: [Style | undefined, ListLevel[]] = [undefined, []];
  const property: OdfStyles['property'] = (family, name, key) => {
    let id = name;
    for (let i = 0; id !== '' && i < CHAIN_MAX_LENGTH; i++) {
      const found = styles.get(`${family}/${id}`);
      if (!found) return common?.property(family, id, key);
      if (found[key] !== undefined) return found[key];
      id = found.parent;
    }
    return undefined;
  };
  return {
    take(name, attributes) {
      // Formats and list levels have properties too.
      if (name.endsWith('-style')) style = undefined;
      if (name === 'style') {
        style = newStyle(attributes);
        styles.set(styleId(attributes), style);
      } else if (name === 'font-face') {
        fonts.set(attribute(attributes, 'name') ?? '', unquoted(attribute(attributes, 'font-family')));
      } else if (name === 'list-style' || name === 'outline-style') {
        levels = [];
        lists.set(listName(name, attributes), levels);
      } else if (/^(?:list|outline)-level-style/.test(name)) addLevel(levels, name, attributes);
      else if (style) readProperties(style, name, attributes);
    },
    property,
    font(textStyle) {
      const name = property('text', textStyle, 'font');
      return name === undefined ? undefined : fonts.get(name) || name;
    },
    listLevels: (name) => lists.get(name) ?? common?.listLevels(name),
  };
}

const styleId = (attributes: Attributes): string =>
  `${attribute(attributes, 'family')}/${attribute(attributes, 'name')}`;

function addLevel(levels: ListLevel[], name: string, attributes: Attributes): void {
  const { level, definition } = listLevel(name, attributes);
  if (level !== undefined) levels[level - 1] = definition;
}

const listName = (element: string, attributes: Attributes): string =>
  element === 'outline-style' ? OUTLINE : (attribute(attributes, 'name') ?? '');

const unquoted = (family = ''): string => family.replace(/^['"]|['"]$/g, '');

/** By a name that people see, or one in which blanks have their code. A parent need not be in the file. */
const isCode = (attributes: Attributes): boolean =>
  ['display-name', 'name', 'parent-style-name'].some((key) =>
    isCodeStyle((attribute(attributes, key) ?? '').replaceAll('_20_', ' ')),
  );

function newStyle(attributes: Attributes): Style {
  const listStyle = attribute(attributes, 'list-style-name');
  const masterPage = attribute(attributes, 'master-page-name');
  return {
    parent: attribute(attributes, 'parent-style-name') ?? '',
    ...(listStyle !== undefined && { listStyle }),
    ...(masterPage && { masterPage }),
    ...(isCode(attributes) && { isCode: true }),
  };
}

function readProperties(style: Style, name: string, attributes: Attributes): void {
  if (name === 'drawing-page-properties') {
    const footer = attribute(attributes, 'display-footer');
    if (footer !== undefined) style.showsFooter = footer === 'true';
  }
  const numbers = attribute(attributes, 'enable-numbering');
  if (numbers !== undefined) style.isNumbered = numbers === 'true';
  if (name !== 'text-properties') return;
  const position = attribute(attributes, 'text-position');
  if (position !== undefined) style.position = positionOf(position);
  const font = attribute(attributes, 'font-name') ?? unquoted(attribute(attributes, 'font-family'));
  if (font !== '') style.font = font;
  const display = attributes.get('text:display');
  if (display !== undefined) style.isHidden = display === 'none';
}

/** Clause 20.392: `super` or `sub`, or the distance from the base line as a percentage of the font height. */
function positionOf(written: string): TextPosition | 'baseline' {
  const [place = ''] = written.trim().split(/\s+/);
  if (place === 'super' || Number.parseFloat(place) > 0) return 'sup';
  return place === 'sub' || Number.parseFloat(place) < 0 ? 'sub' : 'baseline';
}
