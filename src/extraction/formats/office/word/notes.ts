/** Footnotes, endnotes and comments of a Word document (ECMA-376 part 1, 17.11 and 17.13.4). */
import { attributeOf, descendants, readXmlTree, type XmlElement } from '../../../markup/xml-tree.ts';
import { listNumber } from './numbering/list-numbers.ts';
import type { WordPart } from './word-part.ts';

export type NoteKind = 'footnote' | 'endnote' | 'comment';

/** `label`: what precedes the note's text: its mark, or a comment's author and day. */
export type Note = { label: string; content: XmlElement; part: WordPart };

export type WordNotes = {
  /** Takes a reference in the text. Returns the note at its first reference. `hasMark`: its mark is written out. */
  refer(kind: NoteKind, id: string, hasMark: boolean): Note | undefined;
  /** Notes that nothing refers to, in the file's order. */
  rest(): Note[];
};

/** `format`: of the marks (17.18.59). `start`: the first number. */
export type NoteNumbers = { format: string; start: number };

export type NoteParts = { part: WordPart | undefined; numbers: NoteNumbers };

export function wordNotes(parts: Record<NoteKind, NoteParts>): WordNotes {
  const kinds = {
    footnote: notesOf(parts.footnote, 'footnote'),
    endnote: notesOf(parts.endnote, 'endnote'),
    comment: notesOf(parts.comment, 'comment'),
  };
  return {
    refer(kind, id, hasMark) {
      const { waiting, part, numbers } = kinds[kind];
      const content = waiting.get(id);
      if (!content || !part) return undefined;
      waiting.delete(id);
      if (kind === 'comment') return { label: labelOf(content), content, part };
      const mark = hasMark ? '' : listNumber(numbers.start + kinds[kind].count++, numbers.format);
      return { label: mark, content, part };
    },
    rest: () =>
      Object.values(kinds).flatMap(({ waiting, part }) =>
        part ? [...waiting.values()].map((content) => ({ label: labelOf(content), content, part })) : [],
      ),
  };
}

/** `Ulla Berg, 2024-05-01:`; footnotes have neither. */
export function labelOf(comment: XmlElement): string {
  const date = attributeOf(comment, 'date') ?? attributeOf(comment, 'createdate');
  const day = date?.slice(0, '2024-05-01'.length);
  const facts = [attributeOf(comment, 'author')?.trim(), day].filter(Boolean);
  return facts.length > 0 ? `${facts.join(', ')}:` : '';
}

/** The notes of a part by their ids. Those of a type are lines between text and notes. */
function notesOf({ part, numbers }: NoteParts, name: NoteKind) {
  const elements = part ? descendants(readXmlTree(part.bytes), new Set([name])) : [];
  const notes = elements.filter((element) => (attributeOf(element, 'type') ?? 'normal') === 'normal');
  const waiting = new Map(notes.map((note, i) => [attributeOf(note, 'id') ?? `unnamed ${i}`, note]));
  return { part, numbers, waiting, count: 0 };
}
