/** The lexemes of a document's words in each of its languages. */
import type { Language } from '../../analysis/language.ts';
import { lexemesOf, type Stem, wordsToStem } from '../../analysis/lexemes.ts';
import type { LexemeLookup, PassageTokens, TokenIdText } from './postings.ts';
import { enlarge, type TokenIds } from './token-ids.ts';

export type TermDictionary = ReturnType<typeof createTermDictionary>;

/** Creates the term dictionary of a document. It requests the stem of each word once. */
export function createTermDictionary(stem: Stem, tokenIds: TokenIds) {
  const languages = new Map<Language, LanguageWords>();
  const wordsIn = (language: Language): LanguageWords => {
    const words = languages.get(language) ?? createLanguageWords(tokenIds);
    languages.set(language, words);
    return words;
  };
  return {
    /**
     * Requests the stems of those words of the passages that it does not know yet.
     * @throws what `stem` throws
     */
    async learn(language: Language, passages: PassageTokens[]): Promise<void> {
      if (language === 'simple') return;
      const { markSeen, stems, learn } = wordsIn(language);
      const words = wordsToStem(textsOfUnseen(passages, markSeen, tokenIds)).filter(
        (word) => !stems.has(word),
      );
      const found = words.length === 0 ? [] : await stem(language, words);
      for (const [i, word] of words.entries()) learn(word, found[i] ?? word);
    },
    /** Maps the tokens of a language to lexemes. Their stems must be known. */
    lexemesIn: (language: Language): LexemeLookup => wordsIn(language),
    /** Returns a function that recognises the known stop words. */
    stopWordsIn: (language: Language): ((token: number) => boolean) => wordsIn(language).isStopWord,
  };
}

/** The texts of the tokens for which `markSeen` returns true: those that it has not seen before. */
function textsOfUnseen(
  passages: PassageTokens[],
  markSeen: (token: number) => boolean,
  tokenIds: TokenIds,
): string[] {
  const found: string[] = [];
  const addUnseen = ({ tokens }: TokenIdText): void => {
    for (const token of tokens) if (markSeen(token)) found.push(tokenIds.textOf(token));
  };
  for (const { title, headings, content } of passages) {
    addUnseen(title);
    addUnseen(headings);
    addUnseen(content);
  }
  return found;
}

/** Flags of a token. */
const SEEN = 1;
const STOP_WORD = 2;

/** Initial capacity: most documents are a page long. */
const INITIAL_TOKENS = 1 << 10;

type LanguageWords = ReturnType<typeof createLanguageWords>;

/** Flags of tokens. */
function createFlags() {
  let flags = new Int32Array(INITIAL_TOKENS);
  return {
    has: (token: number, flag: number): boolean => ((flags[token] ?? 0) & flag) !== 0,
    add(token: number, flag: number): void {
      while (token >= flags.length) flags = enlarge(flags);
      flags[token] = (flags[token] ?? 0) | flag;
    },
  };
}

/** The known words of one language. */
function createLanguageWords(tokenIds: TokenIds) {
  const stems = new Map<string, string>();
  const flags = createFlags();
  /** By token: the id of its lexeme plus 1; 0 is unknown. */
  let lexemes = new Int32Array(INITIAL_TOKENS);
  const alternatives = new Map<number, number>();

  const lexemesOfText = (token: number): number[] => {
    const { asWritten, unaccented } = lexemesOf(tokenIds.textOf(token), stems);
    return [...asWritten, ...unaccented].map(tokenIds.ofText);
  };
  const findLexemes = (token: number): number => {
    const [lexeme = token, alternative] = isIdeographs(tokenIds.pairOf(token)) ? [] : lexemesOfText(token);
    if (alternative !== undefined) alternatives.set(token, alternative);
    while (token >= lexemes.length) lexemes = enlarge(lexemes);
    lexemes[token] = lexeme + 1;
    return lexeme;
  };
  return {
    stems,
    learn(word: string, stem: string): void {
      stems.set(word, stem);
      if (stem === '') flags.add(tokenIds.ofText(word), STOP_WORD);
    },
    /** Returns whether a token is new, and remembers it. */
    markSeen(token: number): boolean {
      if (flags.has(token, SEEN)) return false;
      flags.add(token, SEEN);
      return true;
    },
    isStopWord: (token: number): boolean => flags.has(token, STOP_WORD),
    lexeme(token: number): number {
      const known = lexemes[token] ?? 0;
      return known === 0 ? findLexemes(token) : known - 1;
    },
    alternative: (token: number): number | undefined =>
      alternatives.size === 0 ? undefined : alternatives.get(token),
  };
}

const isIdeograph = (unit: number): boolean => unit >= 0x3400 && unit <= 0x9fff;

/**
 * Whether a pair of UTF-16 units (see `pairOf`) is one ideograph or two. Such a text is its own lexeme in every
 * language: it has no stem and no accent.
 */
function isIdeographs(pair: number): boolean {
  const first = pair >>> 16;
  return isIdeograph(pair & 0xffff) && (first === 0 || isIdeograph(first));
}
