/** Says of a file in a format that is not read what it is, and what its owner can do. */

import { COMPOUND_SIGNATURE } from '../compound-file.ts';
import { archiveFacts } from '../zip-type.ts';
import { compoundNames } from './compound-type.ts';
import { REFUSED_FORMATS, REFUSED_TEXTS, type RefusedFormat } from './refused-formats.ts';
import { isOldTar } from './tar-header.ts';

/** A beginning that decides lies within this many bytes. */
const BEGINNING_LENGTH = 4096;

/** The format of a text that is noise for a reader, such as PostScript. */
export function refusedText(head: string): RefusedFormat | undefined {
  return REFUSED_TEXTS.find(({ begins }) => begins?.test(head));
}

/** Nothing that a text begins with: characters that texts do not have, or a long signature. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary formats have them
const SURE = /[\0-\x08\x0e-\x1f\x7f-\xff]|^.{8}/;

/** The format of a file that is certainly no text by its beginning, however it goes on. */
export function refusedBytes(head: string): RefusedFormat | undefined {
  return REFUSED_FORMATS.find(({ begins }) => SURE.test(begins?.exec(head)?.[0] ?? ''));
}

/** A document of another program by the names of its parts; undefined for an archive of files. */
export const refusedArchive = (names: string[], extension: string): RefusedFormat | undefined =>
  choose(({ holds = [] }) => holds.some((part) => names.some((name) => name.startsWith(part))), extension);

/** The format of a file that is no text; undefined where it is not known. */
export function refusedFormat(file: Buffer, extension: string): RefusedFormat | undefined {
  const head = file.toString('latin1', 0, BEGINNING_LENGTH);
  if (head.startsWith('PK\x03\x04')) {
    const { names, mediaType } = archiveFacts(file);
    const format = refusedArchive(names, extension) ?? refusedByExtension(extension);
    return format ?? (mediaType === '' ? undefined : DOCUMENT);
  }
  if (head.startsWith(COMPOUND_SIGNATURE)) {
    const names = new Set(compoundNames(file));
    const isHeld = ({ holds = [] }: RefusedFormat) => holds.some((name) => names.has(name));
    return choose(isHeld, extension) ?? refusedByExtension(extension);
  }
  const text = refusedText(head);
  if (text) return text;
  if (isSplit(file)) return refusedByExtension('z01');
  if (isOldTar(file)) return refusedByExtension('arj');
  if (file.toString('latin1', ISO_OFFSET, ISO_OFFSET + ISO_SIGNATURE.length) === ISO_SIGNATURE)
    return refusedByExtension('iso');
  return REFUSED_FORMATS.find(({ begins }) => begins?.test(head)) ?? refusedByExtension(extension);
}

/** An archive that names its type, as OpenDocument does. */
const DOCUMENT: RefusedFormat = {
  name: 'a document of a type that is not read',
  help: 'export it as PDF',
  extensions: '',
};

/** ISO 9660 leaves the first 16 sectors to others. */
const ISO_OFFSET = 32_769;
const ISO_SIGNATURE = 'CD001';

/** The end of a ZIP archive's directory, whose number in a split archive is not 0 (APPNOTE.TXT 4.3.16). */
const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');
const DIRECTORY_END_LENGTH = 22;

function isSplit(file: Buffer): boolean {
  const end = file.lastIndexOf(DIRECTORY_END);
  return end === file.length - DIRECTORY_END_LENGTH && end > 0 && file.readUInt16LE(end + 4) > 0;
}

/** Of several formats, the format with this extension. */
function choose(isSuch: (format: RefusedFormat) => boolean, extension: string): RefusedFormat | undefined {
  const formats = REFUSED_FORMATS.filter(isSuch);
  return formats.find((format) => hasExtension(format, extension)) ?? formats[0];
}

/** The format that the name of a file promises. */
export const refusedByExtension = (extension: string): RefusedFormat | undefined =>
  REFUSED_FORMATS.find((format) => hasExtension(format, extension));

const hasExtension = ({ extensions }: RefusedFormat, extension: string): boolean =>
  extension !== '' && extensions.split(' ').includes(extension);
