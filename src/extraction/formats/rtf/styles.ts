/** Finds which paragraph styles of an RTF file are headings. */
import type { Destination } from './groups.ts';

export type RtfStyles = {
  /** Takes the style sheet. */
  destination: Destination;
  /** The level of the headings that have this style. */
  headingLevel(style: number): number | undefined;
};

/** A style named `heading 2` or `title` makes its paragraphs headings. Names end with a semicolon. */
export function rtfStyles(): RtfStyles {
  const levels = new Map<number, number>();
  let style = 0;
  let written = '';
  return {
    destination: {
      write(_, text) {
        const [name = '', ...rest] = text.split(';');
        written += name;
        if (rest.length === 0) return;
        const level =
          /^\s*heading (\d)/i.exec(written)?.[1] ?? (/^\s*title\b/i.test(written) ? 1 : undefined);
        if (level !== undefined) levels.set(style, Number(level));
        style = 0;
        written = '';
      },
      word(_, name, parameter = 0) {
        if (name === 's') style = parameter;
      },
    },
    headingLevel: (number) => levels.get(number),
  };
}
