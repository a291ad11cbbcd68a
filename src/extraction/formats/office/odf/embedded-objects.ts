/** Reads charts, equations and other objects, which have documents of their own inside the file. */
import type { UnreadParts } from '../unread.ts';
import type { OdfParts } from './odf-parts.ts';

export type EmbeddedObjects = {
  /** Reads the content of the object of this name (`Object 1`), or notes that it was not read. */
  read(name: string, readContent: (content: Uint8Array) => void): void;
};

/** Objects in objects; office programs have one level. */
const DEPTH_MAX = 4;

/** Each object is read once, so that a file that shows it again and again takes linear time. */
export function embeddedObjects(objects: OdfParts['objects'], unread: UnreadParts): EmbeddedObjects {
  const read = new Set<string>();
  let depth = 0;
  return {
    read(name, readContent) {
      if (read.has(name)) return;
      read.add(name);
      const content = objects.get(name);
      if (content === undefined || depth >= DEPTH_MAX) {
        unread.object('', name);
        return;
      }
      depth++;
      readContent(content);
      depth--;
    },
  };
}
