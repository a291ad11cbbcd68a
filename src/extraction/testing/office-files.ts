/** Makes Word documents and presentations with any parts. */
import { extractFile } from '../extract.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';

/** A part that another one refers to: by its relationship's type and id, which default to the part's kind and name. */
export type PartFile = { name: string; type: string; content: string | Uint8Array; id?: string };

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relationshipsPart = (name: string, parts: PartFile[]): ZipEntry => ({
  name,
  content: `<Relationships>${parts
    .map(
      ({ name: target, type, id = target }) =>
        `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="/${target}"/>`,
    )
    .join('')}</Relationships>`,
});

/** A document with this content of its body. Relationships have the names of their parts as ids. */
export function wordFile(body: string, ...parts: PartFile[]): Buffer {
  const main = { name: 'word/document.xml', type: 'officeDocument', content: '' };
  return writeZip([
    relationshipsPart('_rels/.rels', [main]),
    relationshipsPart('word/_rels/document.xml.rels', parts),
    { name: main.name, content: `<w:document><w:body>${body}</w:body></w:document>` },
    ...parts.map(({ name, content }) => ({ name, content })),
  ]);
}

/** Extracts such a document. `warnings`: their messages. */
export async function readWord(body: string, ...parts: PartFile[]) {
  const extraction = await extractFile({ fileName: 'a.docx', bytes: wordFile(body, ...parts) });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return { ...extraction.extracted, warnings: extraction.warnings.map(({ message }) => message) };
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

const PLACED = (x: number, y: number) =>
  `<p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>`;

/** A shape with this text body, at a place, and as a placeholder of a type. */
export const shape = (body: string, at?: [x: number, y: number], placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2"/><p:nvPr>${placeholder && `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr>` +
  `${at ? PLACED(...at) : ''}<p:txBody>${body}</p:txBody></p:sp>`;

/** A paragraph of DrawingML with these runs. */
export const line = (runs: string, properties = ''): string => `<a:p>${properties}${runs}</a:p>`;

export const words = (text: string, properties = ''): string =>
  `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;

/** A presentation of one slide with these shapes, to which these parts are related, and parts of the presentation. */
export function presentationFile(shapes: string, related: PartFile[] = [], others: PartFile[] = []): Buffer {
  const main = { name: 'ppt/presentation.xml', type: 'officeDocument', content: '' };
  const slide = { name: 'ppt/slides/slide1.xml', type: 'slide', content: '' };
  return writeZip([
    relationshipsPart('_rels/.rels', [main]),
    relationshipsPart('ppt/_rels/presentation.xml.rels', [slide, ...others]),
    relationshipsPart('ppt/slides/_rels/slide1.xml.rels', related),
    {
      name: main.name,
      content: `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="${slide.name}"/></p:sldIdLst></p:presentation>`,
    },
    { name: slide.name, content: slideOf(shapes) },
    ...[...related, ...others].map(({ name, content }) => ({ name, content })),
  ]);
}

/** A slide, layout or page of notes with these shapes. */
export const slideOf = (shapes: string): string =>
  `<p:sld><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>${shapes}</p:spTree></p:cSld></p:sld>`;
