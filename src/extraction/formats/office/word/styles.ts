/** Reads what the styles of a Word document say of its text (ECMA-376 part 1, 17.7). */
import { attributeOf, childOf, descendants, readXmlTree, type XmlElement } from '../../../markup/xml-tree.ts';
import { isCodeStyle } from '../code-style.ts';
import type { ListPlace } from './numbering/numbering.ts';
import { type RunLook, runLook } from './run-look.ts';

type Style = { name: string; basedOn: string; outline: number | undefined; place: ListPlace; look: RunLook };

export type WordStyles = {
  /** A paragraph style's heading level from 1; undefined where it is no heading. */
  headingLevel(style: string): number | undefined;
  /** Whether a paragraph style is for code, whose white space counts. */
  isCode(style: string): boolean;
  /** The style, then those that it is based on. */
  chain(style: string): string[];
  /** The list of a paragraph style or numbering style. */
  listPlace(style: string): ListPlace;
  /** The look of text in a character or paragraph style. */
  look(style: string): RunLook;
};

/** Maximum length of a chain of `basedOn`. In a damaged file the chain may be a circle. */
const CHAIN_MAX_LENGTH = 12;

/** What is asked of a style is remembered, since a long document asks for each paragraph. */
export function wordStyles(part: Uint8Array | undefined): WordStyles {
  const styles = part ? readStyles(part) : new Map<string, Style>();
  const chain = remembered((id: string) => chainOf(styles, id));
  const found = <T>(id: string, read: (style: Style) => T | undefined): T | undefined => {
    for (const one of chain(id)) {
      const style = styles.get(one);
      const value = style && read(style);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return {
    headingLevel: remembered((id) => found(id, levelOf)),
    isCode: remembered((id) => found(id, ({ name }) => isCodeStyle(name) || undefined) === true),
    chain,
    listPlace: remembered((id) => ({
      list: found(id, ({ place }) => place.list),
      level: found(id, ({ place }) => place.level),
    })),
    look: remembered((id) => ({
      script: found(id, ({ look }) => look.script),
      isHidden: found(id, ({ look }) => look.isHidden),
      font: found(id, ({ look }) => look.font),
    })),
  };
}

function remembered<T>(find: (id: string) => T): (id: string) => T {
  const known = new Map<string, T>();
  return (id) => {
    if (!known.has(id)) known.set(id, find(id));
    return known.get(id) as T; // has just been set
  };
}

function chainOf(styles: ReadonlyMap<string, Style>, id: string): string[] {
  const chain: string[] = [];
  for (let at: string | undefined = id; at && chain.length < CHAIN_MAX_LENGTH; at = styles.get(at)?.basedOn)
    chain.push(at);
  return chain;
}

/**
 * A style's built-in name decides first: it is English in every language's Word. "heading 2" may have the id
 * "berschrift2". Otherwise the outline level decides.
 */
function levelOf({ name, outline }: Style): number | undefined {
  const named = /^heading (\d)$/i.exec(name)?.[1];
  if (named !== undefined) return Number(named);
  return /^title$/i.test(name) ? 1 : outline;
}

function readStyles(part: Uint8Array): Map<string, Style> {
  return new Map(
    descendants(readXmlTree(part), new Set(['style'])).map((style) => [
      attributeOf(style, 'styleId') ?? '',
      {
        name: propertyOf(style, 'name') ?? '',
        basedOn: propertyOf(style, 'basedOn') ?? '',
        outline: outlineOf(style),
        place: placeOf(style),
        look: lookOf(style),
      },
    ]),
  );
}

/** Level 9 (from 0) means body text. */
function outlineOf(style: XmlElement): number | undefined {
  const outline = Number(propertyOf(style, 'pPr', 'outlineLvl') ?? 9);
  return outline < 9 ? outline + 1 : undefined;
}

function placeOf(style: XmlElement): ListPlace {
  const level = propertyOf(style, 'pPr', 'numPr', 'ilvl');
  return {
    list: propertyOf(style, 'pPr', 'numPr', 'numId'),
    level: level === undefined ? undefined : Number(level),
  };
}

function lookOf(style: XmlElement): RunLook {
  const look: RunLook = { script: undefined, isHidden: undefined, font: undefined };
  for (const property of childOf(style, 'rPr')?.children ?? [])
    if (typeof property !== 'string') runLook(look, property.name, property.attributes);
  return look;
}

function propertyOf(style: XmlElement, ...path: string[]): string | undefined {
  return attributeOf(childOf(style, ...path), 'val');
}
