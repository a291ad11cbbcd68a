/** Recognises what a compound file ([MS-CFB]) holds by the names at its top. */

import { openCompoundFile } from '../compound-file.ts';
import { ExtractionError } from '../extraction-error.ts';

/** A document in such a file has a stream of this name. The first that is found decides. */
const STREAMS: [name: string, type: 'doc' | 'ppt' | 'xls' | 'msg'][] = [
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['__properties_version1.0', 'msg'],
];

/** The stream of a package under a password ([MS-OFFCRYPTO] 2.3.4.4). */
const ENCRYPTED = 'EncryptedPackage';

/** The names of the streams and storages at the top; without a directory, those known here that stand anywhere. */
export function compoundNames(file: Buffer): string[] {
  try {
    const { streams, storages } = openCompoundFile(file);
    return [...streams, ...storages];
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
    const known = STREAMS.map(([name]) => name).filter((name) => file.includes(utf16(`${name}\0`)));
    return file.includes(utf16(ENCRYPTED)) ? [...known, ENCRYPTED] : known;
  }
}

export function compoundType(file: Buffer): 'doc' | 'ppt' | 'xls' | 'msg' | undefined {
  const names = new Set(compoundNames(file).map((name) => name.toUpperCase()));
  // A presentation or a workbook under a password keeps its name, and an encrypted package hides it.
  if (names.has(ENCRYPTED.toUpperCase())) return undefined;
  return STREAMS.find(([name]) => names.has(name.toUpperCase()))?.[1];
}

/** As bytes: Node's search for a UTF-16 string does not end in a buffer that begins at an odd address. */
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
