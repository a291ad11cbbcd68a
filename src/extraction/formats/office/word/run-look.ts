/**
 * What of a run's look changes its text: its position, whether it is hidden, a symbol font (ECMA-376 part 1, 17.3.2).
 */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { isSymbolFont } from '../../../symbol-fonts.ts';
import { isOn } from '../on-off.ts';

/** What is undefined comes from the style. An empty script is the base line, an empty font is no symbol font. */
export type RunLook = {
  script: 'sup' | 'sub' | '' | undefined;
  isHidden: boolean | undefined;
  font: string | undefined;
};

/** Takes a property of a run into its look. */
export function runLook(look: RunLook, name: string, attributes: Attributes): void {
  const value = attribute(attributes, 'val');
  if (name === 'vertAlign')
    look.script = value === 'superscript' ? 'sup' : value === 'subscript' ? 'sub' : '';
  if (name === 'position') look.script ??= scriptAt(Number(value ?? 0));
  if (name === 'vanish') look.isHidden = isOn(value);
  if (name === 'rFonts') look.font = symbolFont(attributes);
}

/** Text that is raised or lowered by this many half-points (17.3.2.24), as LibreOffice writes superscripts. */
const SCRIPT_MIN_POSITION = 3;

function scriptAt(position: number): RunLook['script'] {
  if (position >= SCRIPT_MIN_POSITION) return 'sup';
  return position <= -SCRIPT_MIN_POSITION ? 'sub' : undefined;
}

/** The symbol font of the run; empty for another font, undefined where the run names none. */
function symbolFont(attributes: Attributes): string | undefined {
  const fonts = ['ascii', 'hAnsi'].flatMap((name) => attribute(attributes, name) ?? []);
  const [font] = fonts;
  if (font === undefined) return undefined;
  return fonts.every(isSymbolFont) ? font : '';
}
