/** Opens the parts of a presentation: its slides, their layouts and masters. */
import { corrupt } from '../../../extraction-error.ts';
import { readXml } from '../../../markup/read-xml.ts';
import { readXmlTree, type XmlElement } from '../../../markup/xml-tree.ts';
import type { Archive } from '../../archive.ts';
import { mainPart, type Relationship, relationshipId, relationshipsOf } from '../relationships.ts';
import { readAuthors } from './comments.ts';
import { type PlaceholderPlaces, placeholderPlaces } from './placeholders.ts';
import { shapesOf } from './slide.ts';

/** A layout or master. */
export type Design = { shapes: XmlElement | undefined; places: PlaceholderPlaces };

export type Presentation = {
  /** The names of the slides' parts, in the order of the show. */
  slides: string[];
  authors: ReadonlyMap<string, string>;
  /** The layout of a part with these relationships, then its master; each part is read once. */
  designsOf(relationships: readonly Relationship[]): Promise<Design[]>;
  /** All that was read of these. */
  designs(): Design[];
};

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function openPresentation(archive: Archive): Promise<Presentation> {
  const main = await mainPart(archive, 'ppt/presentation.xml');
  const part = await archive.read(main);
  if (part === undefined) throw corrupt('The presentation has no main part.');
  const relationships = await relationshipsOf(archive, main);
  const authors = relationships.filter(({ type }) => type === 'commentAuthors' || type === 'authors');
  const authorParts: Uint8Array[] = [];
  for (const { target } of authors) {
    const bytes = await archive.read(target);
    if (bytes) authorParts.push(bytes);
  }
  const known = new Map<string, Promise<Design[]>>();
  const read: Design[] = [];
  const openDesign = async (name: string): Promise<Design[]> => {
    const bytes = await archive.read(name);
    if (!bytes) return [];
    const shapes = shapesOf(readXmlTree(bytes));
    const design = { shapes, places: placeholderPlaces(shapes) };
    read.push(design);
    return [design, ...(await designsOf(await relationshipsOf(archive, name), 'slideMaster'))];
  };
  const designsOf = async (of: readonly Relationship[], type = 'slideLayout'): Promise<Design[]> => {
    const target = of.find((relationship) => relationship.type === type)?.target;
    if (target === undefined) return [];
    const opened = known.get(target) ?? openDesign(target);
    known.set(target, opened);
    return await opened;
  };
  return {
    slides: slidesIn(part, relationships),
    authors: readAuthors(authorParts),
    designsOf: (of) => designsOf(of),
    designs: () => read,
  };
}

function slidesIn(presentation: Uint8Array, relationships: readonly Relationship[]): string[] {
  const targets = new Map(relationships.map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  readXml(presentation, {
    open(name, attributes) {
      const target = name === 'sldId' ? targets.get(relationshipId(attributes)) : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  return slides;
}
