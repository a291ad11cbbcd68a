/** Reads the headers and footers of printed sheets (ECMA-376 part 1, 18.3.1.46): `&CStaff only&RPage &P of &N`. */

/** A code: a quoted font, a size, a colour, a doubled sign, or one letter. */
const CODE = /&(?:"[^"]*"|\d+|K(?:[\dA-F]{6}|\d\d[+-]\d{3})|[^\d"])/gi;

/** Stands where programs write the number or count of pages, in a part of a header. */
const PAGE = '\u0001';

/** A part with a page number and no more words than this says nothing else: `Page 3 of 12`. */
const PAGE_WORDS_MAX = 2;

/**
 * The texts on the left, in the middle and on the right, without fields: they differ on each page, or name the file.
 */
function pageHeaderTexts(written: string): string[] {
  return written
    .replace(CODE, (code) => {
      if (code === '&&') return '&';
      if (/^&[LCR]$/i.test(code)) return '\n';
      return /^&[PN]$/i.test(code) ? PAGE : '';
    })
    .split('\n')
    .map(withoutPages)
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
}

function withoutPages(part: string): string {
  const text = part.replaceAll(PAGE, ' ').replace(/\s+/g, ' ').trim();
  return part.includes(PAGE) && text.split(' ').length <= PAGE_WORDS_MAX ? '' : text;
}

/** Takes headers and footers as written, and returns their texts, without texts that a sheet has had before. */
export type PageTexts = { take(written: readonly string[]): string[] };

export function pageTexts(): PageTexts {
  const taken = new Set<string>();
  return {
    take: (written) =>
      written.flatMap(pageHeaderTexts).filter((text) => {
        const isNew = !taken.has(text);
        taken.add(text);
        return isNew;
      }),
  };
}
