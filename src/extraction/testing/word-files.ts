/** Makes Word documents with any parts. */
import { writeZip, type ZipEntry } from './write-zip.ts';

/** A part that another one refers to: by its relationship's type and id, which default to the part's kind and name. */
export type WordPartFile = { name: string; type: string; content: string | Uint8Array; id?: string };

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const relationshipsPart = (name: string, parts: WordPartFile[]): ZipEntry => ({
  name,
  content: `<Relationships>${parts
    .map(
      ({ name: target, type, id = target }) =>
        `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="/${target}"/>`,
    )
    .join('')}</Relationships>`,
});

/** A document with this content of its body. Relationships have the names of their parts as ids. */
export function wordFile(body: string, ...parts: WordPartFile[]): Buffer {
  const main = { name: 'word/document.xml', type: 'officeDocument', content: '' };
  return writeZip([
    relationshipsPart('_rels/.rels', [main]),
    relationshipsPart('word/_rels/document.xml.rels', parts),
    { name: main.name, content: `<w:document><w:body>${body}</w:body></w:document>` },
    ...parts.map(({ name, content }) => ({ name, content })),
  ]);
}

/** A paragraph of these runs, each a text or markup. */
export const paragraph = (runs: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;

export const run = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;

export const cell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(run(text))}</w:tc>`;

export const row = (cells: string[], properties = ''): string =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells.join('')}</w:tr>`;
