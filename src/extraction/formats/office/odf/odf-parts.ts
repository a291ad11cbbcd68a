/** The parts of an OpenDocument file (OpenDocument 1.3 part 2, clause 4; part 3, clause 3.1). */
import { corrupt, encrypted } from '../../../extraction-error.ts';
import type { Unpacking } from '../../../reader-context.ts';
import { type Archive, openArchive, readUndamaged } from '../../archive.ts';

export type OdfParts = {
  content: Uint8Array;
  styles: Uint8Array;
  settings: Uint8Array;
  /** The contents of objects in the document by their names, such as `Object 1`; undefined for a damaged one. */
  objects: ReadonlyMap<string, Uint8Array | undefined>;
};

/**
 * A file is an archive, or one flat XML document with everything.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function odfParts(bytes: Uint8Array, unpacking?: Unpacking): Promise<OdfParts> {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b; // PK
  if (!isArchive) return { content: bytes, styles: bytes, settings: bytes, objects: new Map() };
  const archive = await openArchive(bytes, unpacking?.countUnpacked);
  // Part 2, 4.8: the manifest lists encrypted parts.
  if ((await archive.read('META-INF/manifest.xml'))?.includes('encryption-data')) throw encrypted();
  const content = await archive.read('content.xml');
  if (content === undefined) throw corrupt('The document has no content.');
  return {
    content,
    styles: (await readUndamaged(archive, 'styles.xml')) ?? Buffer.alloc(0),
    settings: (await readUndamaged(archive, 'settings.xml')) ?? Buffer.alloc(0),
    objects: await readObjects(archive),
  };
}

const OBJECT_CONTENT = /^(.+)\/content\.xml$/;

async function readObjects(archive: Archive): Promise<Map<string, Uint8Array | undefined>> {
  const objects = new Map<string, Uint8Array | undefined>();
  for (const name of archive.names) {
    const object = OBJECT_CONTENT.exec(name)?.[1];
    if (object !== undefined) objects.set(object, await readUndamaged(archive, name));
  }
  return objects;
}
