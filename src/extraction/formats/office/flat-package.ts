/**
 * Opens Office files that are one XML document: packages with all their parts in one file (Flat OPC, as Word and
 * PowerPoint save "XML document"), and documents of Word 2003.
 */
import { decodeText } from '../../decode-text.ts';
import { type Archive, openArchive, unpackedCounter } from '../archive.ts';

/**
 * `countUnpacked`: as `openArchive`.
 * @throws FILE_CORRUPT, FILE_TOO_COMPLEX
 */
export async function openOfficeFile(
  bytes: Uint8Array,
  countUnpacked: (bytes: number) => void = unpackedCounter(),
): Promise<Archive> {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b; // PK
  if (isArchive) return await openArchive(bytes, countUnpacked);
  const xml = decodeText(bytes, { markup: 'xml' });
  const parts = partsIn(xml);
  return archiveOf(parts.size > 0 ? parts : documentOf2003(xml), countUnpacked);
}

type Part = { content: string; isBinary: boolean };

const PART_START = /<(\w+:)?part\s[^>]*?name="\/?([^"]*)"[^>]*>/g;

/** The parts of a package by their names. Takes linear time: each search begins where the last one ended. */
function partsIn(xml: string): Map<string, Part> {
  const parts = new Map<string, Part>();
  PART_START.lastIndex = 0;
  for (let start = PART_START.exec(xml); start; start = PART_START.exec(xml)) {
    const [, prefix = '', name = ''] = start;
    const end = xml.indexOf(`</${prefix}part>`, PART_START.lastIndex);
    if (end < 0) break;
    const content = xml.slice(PART_START.lastIndex, end);
    const isBinary = content.trimStart().startsWith(`<${prefix}binaryData`);
    parts.set(name, { content: withoutWrapper(content), isBinary });
    PART_START.lastIndex = end;
  }
  return parts;
}

/** The content of the one element around it: `xmlData` or `binaryData`. */
function withoutWrapper(content: string): string {
  return content.slice(content.indexOf('>') + 1, Math.max(0, content.lastIndexOf('</')));
}

/** A document of Word 2003 has its styles in itself. */
function documentOf2003(xml: string): Map<string, Part> {
  const related = '<Relationships><Relationship Id="a" Type="styles" Target="document.xml"/></Relationships>';
  return new Map([
    ['word/document.xml', { content: xml, isBinary: false }],
    ['word/_rels/document.xml.rels', { content: related, isBinary: false }],
  ]);
}

function archiveOf(parts: ReadonlyMap<string, Part>, countUnpacked: (bytes: number) => void): Archive {
  return {
    names: [...parts.keys()],
    declaredSize: (name) => parts.get(name)?.content.length ?? 0,
    async read(name) {
      const part = parts.get(name);
      if (!part) return undefined;
      countUnpacked(part.content.length);
      return Buffer.from(part.content, part.isBinary ? 'base64' : 'utf8');
    },
  };
}
