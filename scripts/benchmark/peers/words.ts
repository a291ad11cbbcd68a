/** The words of a query, for engines whose query syntax a client has to write. */

/** Letters and digits only: no word contains a quotation mark or an operator. `Café au lait?` → café, au, lait */
export const wordsOf = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The distinct words without stop words, or with them where all words are stop words. */
export function searchedWords(query: string, stopWords: ReadonlySet<string>): string[] {
  const words = [...new Set(wordsOf(query))];
  const searched = words.filter((word) => !stopWords.has(word));
  return searched.length > 0 ? searched : words;
}

/** All stretches of `length` characters; a shorter word itself. Bigrams: 東京都 → 東京, 京都 */
export function ngramsOf(word: string, length: number): string[] {
  const characters = Array.from(word);
  if (characters.length <= length) return [word];
  return characters.slice(length - 1).map((_, start) => characters.slice(start, start + length).join(''));
}

/** The words in quotation marks, joined by OR: FTS5 and Groonga interpret no quoted word. */
export const joinByOr = (words: string[]): string =>
  [...new Set(words)].map((word) => `"${word}"`).join(' OR ');
