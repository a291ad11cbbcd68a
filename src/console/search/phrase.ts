/** Phrases of a query: words in quotes, which all results have. */

const QUOTES = /["＂“”„‟«»「」『』｢｣〝]/u;
/** A longer query is a question or a text, which hardly a passage has word by word. */
const PHRASE_MAX_LENGTH = 60;

/** The query as a phrase, in quotes; undefined where it has quotes, is a question, or is one short word. */
export function asPhrase(query: string): string | undefined {
  const words = query.trim();
  const isPhrase =
    /\S\s+\S/u.test(words) || /[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]{3}/u.test(words);
  if (!isPhrase || words.length > PHRASE_MAX_LENGTH || QUOTES.test(words) || /[?？؟]$/u.test(words))
    return undefined;
  return `"${words}"`;
}
