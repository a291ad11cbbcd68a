/** Turns text into tokens: words, bigrams of scripts without word spaces, and compounds with their parts. */
import { compoundTokens } from './compounds.ts';
import { normaliseText } from './normalise.ts';

/**
 * UTF-16 units of the longest token; a longer word is cut. PostgreSQL allows a lexeme 2,046 bytes, and a unit
 * takes at most 3 in UTF-8, at most tripled by accent folding.
 */
export const TOKEN_MAX_LENGTH = 200;

/** Letters and marks of scripts that write no spaces between words; `〇` counts as the ideograph it is used as. */
const UNSPACED =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}〇]]';
const WORD = `[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+`;
/** What joins words to a compound: `node.js`, `a/b`, `x@y.z`, `max_wal_size`, `R&D`, `std::sort`; a comma only in numbers. */
const CONNECTOR = "(?:://|::|[\\-._'·\\/@:=&?#%+~\\\\]|(?<=\\p{N}),(?=\\p{N}))";
/** `.NET` and `.pdf` in front, `C++` and `C#` behind. */
const LEADING_DOT = '(?:(?<![\\p{L}\\p{N}.])\\.(?=\\p{L}))?';
const TRAILING_SIGN = '(?:(?:\\+\\+|#)(?![\\p{L}\\p{N}]))?';
const TOKEN = new RegExp(
  `(?<unspaced>${UNSPACED}+)|${LEADING_DOT}${WORD}(?:${CONNECTOR}${WORD})*${TRAILING_SIGN}`,
  'gv',
);

/** A word or number that needs no look into its parts: no case change inside, no digit beside a letter, no sign. */
const PLAIN_WORD = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+)$/u;
const LETTERS = /^[\p{L}\p{M}]+$/u;
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'v');

/** A piece of a run that is looked for beside its bigrams; `at` is the index of the token at whose position it stands. */
export type Fragment = { token: string; at: number };

/** A text's tokens in order, lower case (the index is the position), and the fragments beside them in the same order. */
export type TokenisedText = { tokens: string[]; fragments: Fragment[] };

/**
 * The tokens of a text. A compound gives itself (see `compoundTokens`) and then its parts; a run of Han, kana,
 * Hangul, Thai, Lao, Khmer or Myanmar gives its overlapping bigrams, a lone character itself. Fragments are the
 * single Han, katakana and Hangul characters of longer runs, and the bigram over the space between two runs of
 * Hangul. The same for passages and queries. Never throws; linear.
 */
export function tokenise(text: string): TokenisedText {
  const found: TokenisedText = { tokens: [], fragments: [] };
  const { tokens } = found;
  const normalised = normaliseText(text);
  let runEnd = Number.NEGATIVE_INFINITY;
  for (const match of normalised.matchAll(TOKEN)) {
    const raw = match[0];
    if (match.groups?.unspaced) {
      if (runEnd === match.index - 1)
        addBigramOverSpace(found, normalised.slice(runEnd - 1, match.index + 1));
      addRun(found, raw);
      runEnd = match.index + raw.length;
    } else if (PLAIN_WORD.test(raw)) tokens.push(cut(raw.toLowerCase()));
    else for (const token of compoundTokens(raw)) tokens.push(cut(token));
  }
  return found;
}

/** Whether a token is a plain word that a stemmer may change: letters only, of a script written with spaces. */
export function isStemmable(token: string): boolean {
  return LETTERS.test(token) && !UNSPACED_START.test(token);
}

/** A character is taken with its marks: for Thai that lifts nDCG@10 on xquad-th from .946 to .966. */
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gu;
const MARK = /\p{M}/u;

/**
 * Scripts whose single characters say something: nDCG@10 of BM25 on xquad-zh rises from .965 to .968, on cmrc-trial
 * from .984 to .988, on jsquad-valid from .942 to .946; hiragana and Thai lose .0003 and .002.
 */
const TELLING_CHARACTER = /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;

function addRun({ tokens, fragments }: TokenisedText, run: string): void {
  const characters = MARK.test(run) ? (run.match(CHARACTER) ?? []) : Array.from(run);
  if (characters.length === 1) {
    tokens.push(run);
    return;
  }
  const first = tokens.length;
  for (let i = 1; i < characters.length; i++) tokens.push(`${characters[i - 1]}${characters[i]}`);
  for (const [i, token] of characters.entries()) {
    if (TELLING_CHARACTER.test(token)) fragments.push({ token, at: Math.min(first + i, tokens.length - 1) });
  }
}

/** Korean writers differ in where they put spaces: nDCG@10 on korquad-a rises from .957 to .961. */
const HANGUL_OVER_SPACE = /^\p{Script=Hangul} \p{Script=Hangul}$/u;

/** `around` is a space and the UTF-16 units beside it; precomposed Hangul takes one unit a syllable. */
function addBigramOverSpace({ tokens, fragments }: TokenisedText, around: string): void {
  if (HANGUL_OVER_SPACE.test(around))
    fragments.push({ token: around.replace(' ', ''), at: tokens.length - 1 });
}

function cut(token: string): string {
  if (token.length <= TOKEN_MAX_LENGTH) return token;
  return token.slice(0, TOKEN_MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
}
