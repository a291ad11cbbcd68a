/** Finds where the shapes of a slide stand. Placeholders have their place from the slide's layout or master. */
import { attributeOf, childOf, isElement, type XmlElement } from '../../../markup/xml-tree.ts';
import { contentOf } from './alternatives.ts';

/** In English Metric Units (914,400 an inch), from the upper left corner. */
export type Place = { x: number; y: number; height: number };

/** `type`: the kind of content, `body` where it has none. Empty for shapes that are no placeholders. */
export type Placeholder = { type: string; index: string | undefined };

export function placeholderOf(shape: XmlElement): Placeholder | undefined {
  const properties = shape.children.filter(isElement).find(({ name }) => /^nv\w*Pr$/.test(name));
  const element = childOf(properties, 'nvPr', 'ph') ?? childOf(properties, 'ph');
  return element && { type: attributeOf(element, 'type') ?? 'body', index: attributeOf(element, 'idx') };
}

export function ownPlace(shape: XmlElement): Place | undefined {
  const transform =
    childOf(shape, 'xfrm') ?? childOf(shape, 'spPr', 'xfrm') ?? childOf(shape, 'grpSpPr', 'xfrm');
  const [offset, extent] = [childOf(transform, 'off'), childOf(transform, 'ext')];
  if (!offset) return undefined;
  const number = (element: XmlElement | undefined, name: string) =>
    Number(attributeOf(element, name) ?? 0) || 0;
  return { x: number(offset, 'x'), y: number(offset, 'y'), height: number(extent, 'cy') };
}

/** The places of the placeholders of a layout or master. */
export type PlaceholderPlaces = {
  byIndex: ReadonlyMap<string, Place>;
  byType: ReadonlyMap<string, Place>;
};

export function placeholderPlaces(shapes: XmlElement | undefined): PlaceholderPlaces {
  const byIndex = new Map<string, Place>();
  const byType = new Map<string, Place>();
  for (const shape of contentOf(shapes)) {
    const placeholder = placeholderOf(shape);
    const place = placeholder && ownPlace(shape);
    if (!place) continue;
    if (placeholder.index !== undefined) byIndex.set(placeholder.index, place);
    if (!byType.has(generalType(placeholder))) byType.set(generalType(placeholder), place);
  }
  return { byIndex, byType };
}

/** Titles of all kinds have one place in a master, as have texts. */
function generalType({ type }: Placeholder): string {
  if (type === 'ctrTitle') return 'title';
  return type === 'subTitle' || type === 'obj' ? 'body' : type;
}

/** `above`: the places of the slide's layout, then the places of its master. */
export function placeOf(shape: XmlElement, above: readonly PlaceholderPlaces[]): Place | undefined {
  const own = ownPlace(shape);
  const placeholder = placeholderOf(shape);
  if (own || !placeholder) return own;
  const { index } = placeholder;
  for (const { byIndex } of above) {
    const place = index === undefined ? undefined : byIndex.get(index);
    if (place) return place;
  }
  for (const { byType } of above) {
    const place = byType.get(generalType(placeholder));
    if (place) return place;
  }
  return undefined;
}

type Placed = { shape: XmlElement; place: Place | undefined };

/** Shapes beside each other overlap by this share of the lower one. */
const BESIDE_MIN_SHARE = 0.5;

/**
 * From top to bottom, and from left to right where shapes stand beside each other. A shape without a place keeps its
 * own.
 */
export function inReadingOrder(shapes: readonly Placed[]): XmlElement[] {
  let last: Place = { x: 0, y: Number.NEGATIVE_INFINITY, height: 0 };
  const placed = shapes.map(({ shape, place }) => {
    last = place ?? last;
    return { shape, place: last };
  });
  const rows: { shape: XmlElement; place: Place }[][] = [];
  for (const one of placed.toSorted((a, b) => a.place.y - b.place.y)) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (row && first && areBeside(first.place, one.place)) row.push(one);
    else rows.push([one]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.place.x - b.place.x).map(({ shape }) => shape));
}

/** `lower`: begins at the same height as the other, or below. */
function areBeside(upper: Place, lower: Place): boolean {
  const overlap = Math.min(upper.y + upper.height, lower.y + lower.height) - lower.y;
  return upper.y === lower.y || overlap > BESIDE_MIN_SHARE * Math.min(upper.height, lower.height);
}
