/** What a model reads of a passage, to embed it or to put it in order. */

/** The title and the headings above a passage, each once, and then its content. */
export const passageText = (title: string, headings: readonly string[], content: string): string =>
  `${[...new Set([title, ...headings])].join(' › ')}\n${content}`;
