/** Writes the comments on a slide, older ones (ECMA-376 part 1, 19.4) and threads ([MS-PPTX] 2.16.3). */
import {
  attributeOf,
  childOf,
  descendants,
  readXmlTree,
  textOf,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import { type HtmlRenderer, writeElement } from '../../../rendering/html-renderer.ts';
import { writeTextBody } from './text-body.ts';

/** The names of the authors by their ids. */
export function readAuthors(parts: readonly Uint8Array[]): Map<string, string> {
  const authors = parts.flatMap((part) => descendants(readXmlTree(part), new Set(['cmAuthor', 'author'])));
  return new Map(
    authors.map((author) => [attributeOf(author, 'id') ?? '', attributeOf(author, 'name')?.trim() ?? '']),
  );
}

export function writeComments(
  renderer: HtmlRenderer,
  part: Uint8Array,
  authors: ReadonlyMap<string, string>,
): void {
  for (const comment of descendants(readXmlTree(part), new Set(['cm', 'reply']))) {
    const label = labelOf(comment, authors);
    const text = textOf(childOf(comment, 'text')).trim();
    if (text !== '') writeElement(renderer, 'p', `${label} ${text}`.trim());
    writeTextBody(renderer, childOf(comment, 'txBody'), { element: 'p', label });
  }
}

/** `Ulla Berg, 2024-05-01:` */
function labelOf(comment: XmlElement, authors: ReadonlyMap<string, string>): string {
  const author = authors.get(attributeOf(comment, 'authorId') ?? '');
  const time = attributeOf(comment, 'dt') ?? attributeOf(comment, 'created');
  const facts = [author, time?.slice(0, '2024-05-01'.length)].filter(Boolean);
  return facts.length > 0 ? `${facts.join(', ')}:` : '';
}
