/** Reads comments on cells, of both kinds (ECMA-376 part 1, 18.7; [MS-XLSX] 2.6.203). */
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { stringReader } from './strings.ts';

/** The author of a comment that repeats a thread for older programs. */
const THREAD_COPY = /^tc=/;

/** The texts of a part `comments`. Those of threads stand in another part. */
export function readComments(part: Uint8Array): CellText[] {
  const reader = stringReader();
  const authors: string[] = [];
  const comments: CellText[] = [];
  let isCopy = false;
  let inAuthor = false;
  readXml(part, {
    open(name, attributes) {
      if (name === 'author') authors.push('');
      inAuthor = name === 'author';
      if (name === 'comment')
        isCopy = THREAD_COPY.test(authors[Number(attribute(attributes, 'authorId') ?? -1)] ?? '');
      reader.open(name, attributes);
    },
    close(name) {
      inAuthor = false;
      reader.close(name);
      if (name !== 'comment') return;
      const text = reader.take();
      if (!isCopy) comments.push(text);
    },
    text(written) {
      if (inAuthor) authors.push(`${authors.pop() ?? ''}${written}`);
      else reader.text(written);
    },
  });
  return comments;
}

/** The comments of a part `threadedComment`, each thread in its order. */
export function readThreads(part: Uint8Array): string[] {
  const comments: string[] = [];
  let text: string | undefined;
  readXml(part, {
    open(name) {
      if (name === 'text') text = '';
    },
    close(name) {
      if (name !== 'text' || text === undefined) return;
      comments.push(text);
      text = undefined;
    },
    text(written) {
      if (text !== undefined) text += written;
    },
  });
  return comments;
}
