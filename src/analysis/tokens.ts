/** Text → tokens: words, bigrams of scripts without spaces between words, and compounds with their parts. */
import {
  classesOf,
  EMOJI,
  IN_RUN,
  IN_WORD,
  LOWER,
  MARK,
  NUMBER,
  PICTOGRAPH,
  SURROGATE,
  UNIGRAM_SCRIPT,
  UNSPACED,
  UPPER,
} from './characters.ts';
import { compoundTokens } from './compounds.ts';
import { normaliseText } from './normalise.ts';
import { createNotationReader, type Piece } from './notations/notations.ts';
import { joinWords } from './persian.ts';

/**
 * UTF-16 units of the longest token; a longer word is truncated. PostgreSQL allows a lexeme 2,046 bytes. A unit takes
 * at most 3 bytes in UTF-8, and accent folding triples them at most.
 */
export const TOKEN_MAX_LENGTH = 200;

const WORD = `[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+`;
/**
 * Punctuation that joins words: `node.js`, `a/b`, `x@y.z`, `max_wal_size`, `R&D`, `std::sort`; a comma only in numbers.
 */
const CONNECTOR = "(?:://|::|[\\-._'·\\/@:=&?#%+~\\\\]|(?<=\\p{N}),(?=\\p{N}))";
/** The leading dot of `.NET` and `.pdf`; the trailing punctuation of `C++` and `C#`. */
const LEADING_DOT = '(?:(?<![\\p{L}\\p{N}.])\\.(?=\\p{L}))?';
const TRAILING_PUNCTUATION = '(?:(?:\\+\\+|#)(?![\\p{L}\\p{N}]))?';
/** A flag, or a pictograph, which may have a colour of skin. */
const EMOJI_PIECE = `\\p{RI}{2}|${PICTOGRAPH}\\p{Emoji_Modifier}?`;
const TOKEN = new RegExp(
  `(?<unspaced>${UNSPACED}+)|${LEADING_DOT}${WORD}(?:${CONNECTOR}${WORD})*${TRAILING_PUNCTUATION}|${EMOJI_PIECE}`,
  'yv',
);

/** The same test as `isPlainWord`, for words with letters of two UTF-16 units. */
const PLAIN_ASTRAL = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+)$/u;
const LETTERS = /^[\p{L}\p{M}]+$/u;
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'v');
const EMOJI_START = new RegExp(`^(?:${EMOJI_PIECE})`, 'v');
const SKIN_COLOUR = /(?!^)\p{Emoji_Modifier}$/u;

/**
 * A text's tokens in order and in lower case; the index is the position. `stackedTokens` are further tokens at the
 * positions of some of them: `stackedAt` has the index of the token for each, in ascending order.
 */
export type TokenisedText<Token = string> = {
  tokens: Token[];
  stackedTokens: Token[];
  stackedAt: number[];
};

/** Makes tokens from their text, or from the two UTF-16 units of a bigram (`first` is 0 for a single character). */
export type TokenForm<Token> = {
  ofText(text: string): Token;
  ofPair(first: number, second: number): Token;
};

const AS_TEXT: TokenForm<string> = {
  ofText: (text) => text,
  ofPair: (first, second) => (first === 0 ? String.fromCharCode(second) : String.fromCharCode(first, second)),
};

/** The tokens of a text, as strings. */
export const tokenise = (text: string): TokenisedText => tokeniseAs(AS_TEXT, text);

/**
 * The tokens of a text. Passages and queries have the same ones. Never throws; linear.
 *
 * - A compound → itself (see `compoundTokens`), then its parts.
 * - A run of Han, kana, Hangul, Thai, Lao, Khmer or Myanmar → its overlapping bigrams; a lone character → itself.
 * - An emoji → itself, without its colour of skin.
 *
 * Stacked tokens are the unigrams of longer runs of Han, katakana and Hangul, the bigram across the space between two
 * runs of Hangul, a Persian word joined with its prefix or suffix, and notations (see notations.ts).
 */
export function tokeniseAs<Token>(form: TokenForm<Token>, text: string): TokenisedText<Token> {
  const found: TokenisedText<Token> = { tokens: [], stackedTokens: [], stackedAt: [] };
  const normalised = normaliseText(text);
  let runEnd = Number.NEGATIVE_INFINITY;
  let word = { start: 0, end: Number.NEGATIVE_INFINITY };
  const addNotations = createNotations(form, found, normalised);
  for (let at = 0; at < normalised.length; ) {
    const end = pieceEnd(normalised, at);
    if (end === at) {
      at += isSurrogate(normalised, at) ? 2 : 1; // a normalised text has no lone surrogates
      continue;
    }
    if (isRunStart(normalised, at)) {
      if (runEnd === at - 1) addBigramOverSpace(form, found, normalised.slice(runEnd - 1, at + 1));
      addRun(form, found, normalised.slice(at, end));
      runEnd = end;
    } else if (isEmoji(normalised, at)) {
      found.tokens.push(form.ofText(normalised.slice(at, end).replace(SKIN_COLOUR, '')));
    } else {
      const first = found.tokens.length;
      const isPlain = addWord(form, found, normalised.slice(at, end));
      addNotations({ at, end, before: word }, { first, isPlain });
      if (word.end === at - 1) addJoinedWord(form, found, normalised.slice(word.start, end));
      word = { start: at, end };
    }
    at = end;
  }
  return found;
}

const isSurrogate = (text: string, at: number): boolean => (classesOf(text.charCodeAt(at)) & SURROGATE) !== 0;

const isRunStart = (text: string, at: number): boolean =>
  isSurrogate(text, at)
    ? UNSPACED_START.test(text.slice(at, at + 2))
    : (classesOf(text.charCodeAt(at)) & IN_RUN) !== 0;

const isEmoji = (text: string, at: number): boolean =>
  (classesOf(text.charCodeAt(at)) & (EMOJI | SURROGATE)) !== 0 && EMOJI_START.test(text.slice(at, at + 4));

/** Whether the piece that begins at `at` is a word or compound: no run without spaces, and no emoji. */
export const isWord = (text: string, at: number): boolean => !isRunStart(text, at) && !isEmoji(text, at);

/** Punctuation that may join a word to the next characters; all other punctuation ends the word. */
const MAY_JOIN = new Set(Array.from("-._'·\\/@:=&?#%+~,", (sign) => sign.charCodeAt(0)));
/** Those of `MAY_JOIN` that may be part of a longer connector or of the word itself: `://`, `::`, `C++`, `C#`. */
const MAY_BE_LONGER = new Set(Array.from(':+#', (sign) => sign.charCodeAt(0)));
const DOT = 0x2e;

/**
 * The end of the word, compound or run without spaces that begins at `at`; `at` itself if there is none. Simple cases
 * do not need `TOKEN`.
 */
export function pieceEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const kind = classesOf(first) & (IN_RUN | IN_WORD | SURROGATE | EMOJI);
  if (kind === 0 && first !== DOT) return at;
  if (kind === IN_RUN || kind === IN_WORD) {
    let end = at + 1;
    while (end < text.length && (classesOf(text.charCodeAt(end)) & kind) !== 0) end++;
    if (end === text.length || endsThere(text, end, kind)) return end;
  }
  TOKEN.lastIndex = at;
  return TOKEN.test(text) ? TOKEN.lastIndex : at;
}

/** Whether the run or word certainly ends before the character at `end`. */
function endsThere(text: string, end: number, kind: number): boolean {
  const next = text.charCodeAt(end);
  if ((classesOf(next) & SURROGATE) !== 0) return false;
  if (kind === IN_RUN || !MAY_JOIN.has(next)) return true;
  if (MAY_BE_LONGER.has(next)) return false;
  return end + 1 === text.length || (classesOf(text.charCodeAt(end + 1)) & (IN_WORD | SURROGATE)) === 0;
}

/** Adds a word. Most words are plain and need no split into parts. Returns whether it is. */
function addWord<Token>(form: TokenForm<Token>, { tokens }: TokenisedText<Token>, raw: string): boolean {
  const isPlain = isPlainWord(raw);
  if (isPlain) tokens.push(form.ofText(truncate(raw.toLowerCase())));
  else for (const token of compoundTokens(raw)) tokens.push(form.ofText(truncate(token)));
  return isPlain;
}

/** Returns a function that stacks the notations of a piece on the first of its tokens. */
function createNotations<Token>(
  form: TokenForm<Token>,
  { tokens, stackedTokens, stackedAt }: TokenisedText<Token>,
  text: string,
) {
  const notationsAt = createNotationReader(text);
  return (piece: Piece, { first, isPlain }: { first: number; isPlain: boolean }): void => {
    if (tokens.length === first) return;
    for (const { token } of notationsAt(piece, isPlain)) {
      stackedTokens.push(form.ofText(token));
      stackedAt.push(first);
    }
  };
}

/**
 * Matches `\p{Lu}?\p{Ll}+`, `\p{Lu}+` or `\p{N}+`: no case change inside, no digit next to a letter, no punctuation.
 */
export function isPlainWord(word: string): boolean {
  const kinds = UPPER | LOWER | NUMBER;
  let rest = 0;
  for (let i = 1; i < word.length; i++) {
    const kind = classesOf(word.charCodeAt(i)) & kinds;
    if (kind === 0) return PLAIN_ASTRAL.test(word);
    rest |= kind;
  }
  const first = classesOf(word.charCodeAt(0)) & kinds;
  if (first === 0) return PLAIN_ASTRAL.test(word);
  return rest === 0 || rest === first || (first === UPPER && rest === LOWER);
}

/** Whether a token is a plain word that a stemmer may change: letters only, of a script written with spaces. */
export function isStemmable(token: string): boolean {
  return LETTERS.test(token) && !UNSPACED_START.test(token);
}

/** A character with its combining marks. Bigrams of these raise nDCG@10 on xquad-th from .946 to .966. */
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gu;

/**
 * Adds a run's bigrams, and the unigrams of those scripts in which single characters are informative (`UNIGRAM_SCRIPT`:
 * Han, katakana, Hangul). With unigrams, nDCG@10 of BM25 changes:
 *
 *   xquad-zh       .965 → .968
 *   cmrc-trial     .984 → .988
 *   jsquad-valid   .942 → .946
 *
 * With unigrams of hiragana and Thai it would fall by .0003 and .002.
 */
function addRun<Token>(form: TokenForm<Token>, found: TokenisedText<Token>, run: string): void {
  if (run.length === 1) found.tokens.push(form.ofText(run));
  else if (hasOnlyUnits(run)) addUnits(form, found, run);
  else addCharacters(form, found, run.match(CHARACTER) ?? []);
}

/** Whether each UTF-16 unit of the run is a whole character. */
function hasOnlyUnits(run: string): boolean {
  for (let i = 0; i < run.length; i++) {
    if ((classesOf(run.charCodeAt(i)) & (MARK | SURROGATE)) !== 0) return false;
  }
  return true;
}

function addUnits<Token>(form: TokenForm<Token>, found: TokenisedText<Token>, run: string): void {
  const { tokens, stackedTokens, stackedAt } = found;
  const first = tokens.length;
  const last = first + run.length - 2;
  let before = 0;
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i);
    if (i > 0) tokens.push(form.ofPair(before, unit));
    before = unit;
    if ((classesOf(unit) & UNIGRAM_SCRIPT) === 0) continue;
    stackedTokens.push(form.ofPair(0, unit));
    stackedAt.push(Math.min(first + i, last));
  }
}

function addCharacters<Token>(
  form: TokenForm<Token>,
  { tokens, stackedTokens, stackedAt }: TokenisedText<Token>,
  characters: string[],
): void {
  const first = tokens.length;
  if (characters.length === 1) tokens.push(form.ofText(characters[0] ?? ''));
  else {
    for (let i = 1; i < characters.length; i++)
      tokens.push(form.ofText(`${characters[i - 1]}${characters[i]}`));
    for (const [i, character] of characters.entries()) {
      if (!UNIGRAM_CHARACTER.test(character)) continue;
      stackedTokens.push(form.ofText(character));
      stackedAt.push(Math.min(first + i, tokens.length - 1));
    }
  }
}

const UNIGRAM_CHARACTER = /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Korean writers differ in where they put spaces. These bigrams raise nDCG@10 on korquad-a from .957 to .961. */
const HANGUL_OVER_SPACE = /^\p{Script=Hangul} \p{Script=Hangul}$/u;

/** `around` is a space and the UTF-16 unit on each side; a precomposed Hangul syllable is one unit. */
function addBigramOverSpace<Token>(
  form: TokenForm<Token>,
  { tokens, stackedTokens, stackedAt }: TokenisedText<Token>,
  around: string,
): void {
  if (!HANGUL_OVER_SPACE.test(around)) return;
  stackedTokens.push(form.ofText(around.replace(' ', '')));
  stackedAt.push(tokens.length - 1);
}

/** `words` are two words and the character between them. */
function addJoinedWord<Token>(
  form: TokenForm<Token>,
  { tokens, stackedTokens, stackedAt }: TokenisedText<Token>,
  words: string,
): void {
  const joined = joinWords(words);
  if (joined === undefined) return;
  stackedTokens.push(form.ofText(joined));
  stackedAt.push(tokens.length - 1);
}

function truncate(token: string): string {
  if (token.length <= TOKEN_MAX_LENGTH) return token;
  return token.slice(0, TOKEN_MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
}
