/** The phrases of a query, as the words of a search and as lexemes of the index. */
import { wordsToStem } from '../../analysis/lexemes.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { spellPhrase } from './phrase-spellings.ts';
import { quotedTexts } from './quoted-phrases.ts';

/**
 * The phrases of a query that count, and the tokens that they have together. Each phrase is looked for on its own if no
 * passage has all of them. A longer text in quotes counts by its words.
 */
const PHRASES_MAX = 8;
const PHRASE_TOKENS_MAX = 128;

/** A phrase as the query writes it, and its tokens in each of its spellings. */
export type SpeltPhrase = { text: string; spellings: string[][] };

/** `spelt`: the phrases that count; `excess`: the texts of the others. */
export type QuotedPhrases = { spelt: SpeltPhrase[]; excess: string[] };

/** The distinct phrases of a query. Punctuation in quotes is none. */
export function readPhrases(query: string): QuotedPhrases {
  const spelt: SpeltPhrase[] = [];
  const excess: string[] = [];
  const known = new Set<string>();
  let tokenCount = 0;
  for (const { text } of quotedTexts(query)) {
    const { tokens } = tokenise(text);
    const key = tokens.join('\n');
    if (tokens.length === 0 || known.has(key)) continue;
    known.add(key);
    const phrase = text.trim();
    if (spelt.length === PHRASES_MAX || tokenCount + tokens.length > PHRASE_TOKENS_MAX) excess.push(phrase);
    else {
      spelt.push({ text: phrase, spellings: spellPhrase(text) });
      tokenCount += tokens.length;
    }
  }
  return { spelt, excess };
}

/** The distinct tokens of all spellings; the tokens of the phrases as written come first. */
export const tokensOf = (phrases: SpeltPhrase[]): string[] => [
  ...new Set([
    ...phrases.flatMap(({ spellings: [first = []] }) => first),
    ...phrases.flatMap(({ spellings }) => spellings.flat()),
  ]),
];

/** The words of the phrases that need stems. */
export const phraseWordsToStem = (phrases: SpeltPhrase[]): string[] => wordsToStem(tokensOf(phrases));

/**
 * A phrase in the index: for each spelling that passages may have, the lexemes of each of its tokens. Without
 * spellings, no passage has it.
 */
export type Phrase = { text: string; spellings: string[][][] };

/**
 * The tokens of the phrases whose lexemes are looked up in the index: all of the phrases as they are written, and of
 * their other spellings those that fit into `max`.
 */
export const tokensToLookUp = ({ spelt }: QuotedPhrases, max: number): string[] =>
  tokensOf(spelt).slice(0, Math.max(PHRASE_TOKENS_MAX, max));

/**
 * The phrases in the index. `lexemes`: of each token that was looked up, as the token is written: a phrase is
 * never guessed. Lexemes that `frequencies` lacks occur nowhere.
 */
export function toPhrases(
  { spelt }: QuotedPhrases,
  lexemes: ReadonlyMap<string, string[]>,
  frequencies: ReadonlyMap<string, number>,
): Phrase[] {
  const heldBy = (token: string) => (lexemes.get(token) ?? []).filter((lexeme) => frequencies.has(lexeme));
  const held = new Map(tokensOf(spelt).map((token) => [token, heldBy(token)]));
  return spelt.map(({ text, spellings }) => ({
    text,
    spellings: spellings
      .map((tokens) => tokens.map((token) => held.get(token) ?? []))
      .filter((tokens) => tokens.every((own) => own.length > 0)),
  }));
}

/** The lexemes of the phrases. */
export const lexemesOfPhrases = (phrases: Phrase[]): string[] => [
  ...new Set(phrases.flatMap(({ spellings }) => spellings.flat(2))),
];
