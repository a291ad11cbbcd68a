/** Finds which paragraph styles of a Word document are headings. */
import { attribute, readXml } from '../../markup/read-xml.ts';

type Style = { id: string; name: string; basedOn: string; outline: number | undefined };

/** Maximum length of a chain of `basedOn`. In a damaged file the chain may be a circle. */
const CHAIN_MAX_LENGTH = 12;

/**
 * Style id → heading level from 1. The style's built-in name decides first: it is English in every language's Word.
 * "heading 2" may have the id "berschrift2". Otherwise the outline level decides, else the parent style.
 */
export function headingLevels(stylesPart: Uint8Array): Map<string, number> {
  const styles = readStyles(stylesPart);
  const levels = new Map<string, number>();
  for (const id of styles.keys()) {
    const level = levelOf(styles, id);
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}

function levelOf(styles: Map<string, Style>, id: string): number | undefined {
  let style = styles.get(id);
  for (let i = 0; style && i < CHAIN_MAX_LENGTH; i++) {
    const named = /^heading (\d)$/i.exec(style.name)?.[1];
    if (named !== undefined) return Number(named);
    if (/^title$/i.test(style.name)) return 1;
    if (style.outline !== undefined) return style.outline;
    style = styles.get(style.basedOn);
  }
  return undefined;
}

function readStyles(part: Uint8Array): Map<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  readXml(part, {
    open(name, attributes) {
      const value = attribute(attributes, 'val') ?? '';
      if (name === 'style') {
        style = { id: attribute(attributes, 'styleId') ?? '', name: '', basedOn: '', outline: undefined };
        styles.set(style.id, style);
      } else if (!style) return;
      else if (name === 'name') style.name = value;
      else if (name === 'basedOn') style.basedOn = value;
      else if (name === 'outlineLvl' && Number(value) < 9) style.outline = Number(value) + 1;
    },
    close(name) {
      if (name === 'style') style = undefined;
    },
  });
  return styles;
}
