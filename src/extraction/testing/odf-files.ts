/** Makes OpenDocument texts and presentations. */
import { writeZip, type ZipEntry } from './write-zip.ts';

export type OdfParts = {
  body: string;
  automatic?: string;
  fonts?: string;
  styles?: string;
  more?: ZipEntry[];
};

/** `styles`: the content of the part `styles.xml`. */
export function odfOf(
  type: 'text' | 'presentation',
  { body, automatic = '', fonts = '', styles = '', more = [] }: OdfParts,
): Buffer {
  const content =
    `<office:document-content><office:font-face-decls>${fonts}</office:font-face-decls>` +
    `<office:automatic-styles>${automatic}</office:automatic-styles>` +
    `<office:body><office:${type}>${body}</office:${type}></office:body></office:document-content>`;
  return writeZip([
    { name: 'mimetype', isStored: true, content: `application/vnd.oasis.opendocument.${type}` },
    { name: 'content.xml', content },
    { name: 'styles.xml', content: `<office:document-styles>${styles}</office:document-styles>` },
    ...more,
  ]);
}

export const paragraph = (content: string): string => `<text:p>${content}</text:p>`;
