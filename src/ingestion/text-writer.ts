/** Collects the readable text of a marked-up document: white space collapsed, blocks apart, with offsets. */

/** An offset into the text to come; known once something is written after it was asked for. */
export type Mark = { offset: number | undefined };

export type TextWriter = {
  /** Writes running text; white space collapses to one blank, none at line starts. */
  write(text: string): void;
  /** Writes text as it is. */
  writeVerbatim(text: string): void;
  /** Ends the line (1) or the paragraph (2) before what is written next. */
  breakLine(newlines: 1 | 2): void;
  /** Replaces pending breaks before what is written next by a sign: a list marker, a cell separator. */
  sign(text: string): void;
  /** Drops the signs that nothing followed. */
  dropSigns(): void;
  /** Where the next written character will stand. */
  mark(): Mark;
  /** Where the last written character ended. */
  end(): number;
  text(): string;
};

/** Makes an empty writer; all its methods take time in proportion to what they write. */
export function createTextWriter(): TextWriter {
  const written: string[] = [];
  let length = 0;
  let newlines = 0;
  let blank = false;
  let signs = '';
  let marks: Mark[] = [];

  const push = (text: string) => {
    written.push(text);
    length += text.length;
  };
  const settle = () => {
    if (length > 0 && newlines > 0) push('\n'.repeat(newlines));
    else if (length > 0 && blank && signs === '') push(' ');
    if (signs !== '') push(signs);
    for (const mark of marks) mark.offset = length;
    marks = [];
    newlines = 0;
    blank = false;
    signs = '';
  };

  return {
    write(text) {
      const words = text.replace(/\s+/g, ' ');
      const trimmed = words.trim();
      if (words.startsWith(' ')) blank = true;
      if (trimmed === '') return;
      settle();
      push(trimmed);
      blank = words.endsWith(' ');
    },
    writeVerbatim(text) {
      if (text === '') return;
      settle();
      push(text);
    },
    breakLine(count) {
      if (signs === '') newlines = Math.max(newlines, count);
    },
    sign(text) {
      signs += text;
    },
    dropSigns() {
      signs = '';
    },
    mark() {
      const mark: Mark = { offset: undefined };
      marks.push(mark);
      return mark;
    },
    end: () => length,
    text: () => written.join(''),
  };
}
