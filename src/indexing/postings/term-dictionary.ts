/** The lexemes of a document's words in each of its languages. */
import type { Language } from '../../analysis/language.ts';
import { lexemesOf, type Stem, wordsToStem } from '../../analysis/lexemes.ts';
import type { NumberedText, PassageTokens, TokenLexemes } from './postings.ts';
import { enlarge, type TokenIds } from './token-ids.ts';

export type TermDictionary = ReturnType<typeof createTermDictionary>;

/**
 * Creates the term dictionary of a document. It requests each word's stem once. `numbers` are the document's token ids.
 */
export function createTermDictionary(stem: Stem, numbers: TokenIds) {
  const languages = new Map<Language, LanguageWords>();
  const wordsIn = (language: Language): LanguageWords => {
    const words = languages.get(language) ?? createLanguageWords(numbers);
    languages.set(language, words);
    return words;
  };
  return {
    /** Requests the stems of the passages' words that it does not know yet. @throws what `stem` throws */
    async learn(language: Language, passages: PassageTokens[]): Promise<void> {
      if (language === 'simple') return;
      const { meet, stems, learn } = wordsIn(language);
      const words = wordsToStem(textsMet(passages, meet, numbers)).filter((word) => !stems.has(word));
      const found = words.length === 0 ? [] : await stem(language, words);
      for (const [i, word] of words.entries()) learn(word, found[i] ?? word);
    },
    /** The lexemes of known words. */
    lexemesIn: (language: Language): TokenLexemes => wordsIn(language),
    /** Returns whether a word is a stop word, as far as is known. */
    stopWordsIn: (language: Language): ((token: number) => boolean) => wordsIn(language).isStopWord,
  };
}

/** The texts of the tokens for which `meet` returns true, each once. */
function textsMet(passages: PassageTokens[], meet: (token: number) => boolean, numbers: TokenIds): string[] {
  const found: string[] = [];
  const meetAll = ({ tokens }: NumberedText): void => {
    for (const token of tokens) if (meet(token)) found.push(numbers.textOf(token));
  };
  for (const { title, headings, content } of passages) {
    meetAll(title);
    meetAll(headings);
    meetAll(content);
  }
  return found;
}

/** Flags of a token. */
const MET = 1;
const STOP_WORD = 2;

/** Initial capacity: most documents are a page. */
const INITIAL_TOKENS = 1 << 10;

type LanguageWords = ReturnType<typeof createLanguageWords>;

/** The known words of one language. */
function createLanguageWords(numbers: TokenIds) {
  const stems = new Map<string, string>();
  let flags = new Int32Array(INITIAL_TOKENS);
  /** By token: its lexeme's number plus 1; 0 is unknown. */
  let lexemes = new Int32Array(INITIAL_TOKENS);
  const alternatives = new Map<number, number>();

  const flag = (token: number, added: number): void => {
    while (token >= flags.length) flags = enlarge(flags);
    flags[token] = (flags[token] ?? 0) | added;
  };
  const findLexemes = (token: number): number => {
    const [lexeme = token, alternative] = isIdeographs(numbers.pairOf(token))
      ? [token]
      : Object.values(lexemesOf(numbers.textOf(token), stems))
          .flat()
          .map(numbers.ofText);
    if (alternative !== undefined) alternatives.set(token, alternative);
    while (token >= lexemes.length) lexemes = enlarge(lexemes);
    lexemes[token] = lexeme + 1;
    return lexeme;
  };
  return {
    stems,
    learn(word: string, stem: string): void {
      stems.set(word, stem);
      if (stem === '') flag(numbers.ofText(word), STOP_WORD);
    },
    /** Returns whether a token is new. */
    meet(token: number): boolean {
      if (((flags[token] ?? 0) & MET) !== 0) return false;
      flag(token, MET);
      return true;
    },
    isStopWord: (token: number): boolean => ((flags[token] ?? 0) & STOP_WORD) !== 0,
    lexeme(token: number): number {
      const known = lexemes[token] ?? 0;
      return known === 0 ? findLexemes(token) : known - 1;
    },
    alternative: (token: number): number | undefined =>
      alternatives.size === 0 ? undefined : alternatives.get(token),
  };
}

const isIdeograph = (unit: number): boolean => unit >= 0x3400 && unit <= 0x9fff;

/** Whether a text of at most two UTF-16 units is its own lexeme in every language: it has no stem and no accent. */
function isIdeographs(pair: number): boolean {
  const first = pair >>> 16;
  return isIdeograph(pair & 0xffff) && (first === 0 || isIdeograph(first));
}
