/** Turns tokens into lexemes, and a passage's lexemes into the text form of a PostgreSQL tsvector. */
import { tierMarks } from './marks.ts';
import { foldAccents } from './normalise.ts';
import { isStemmable } from './tokens.ts';

/**
 * Stems distinct tokens in a language of `LANGUAGES` other than `simple`: the stems in the tokens' order, ''
 * for a stop word. (`ts_lexize('english_stem', token)`: an empty array is a stop word.)
 */
export type Stem = (language: string, tokens: string[]) => Promise<string[]>;

/** A language's stems by token, as far as they were asked for; '' for a stop word. */
export type Stems = ReadonlyMap<string, string>;

/** The distinct words for which `lexemesOf` needs stems: the plain words among the tokens, with and without accents. */
export function wordsToStem(tokens: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const token of new Set(tokens)) {
    if (!isStemmable(token)) continue;
    words.add(token);
    words.add(foldAccents(token));
  }
  return [...words];
}

/**
 * The lexemes of a token: its stem without accents, and where it differs the stem of the token without accents
 * (Spanish `información` gives inform, `informacion` itself), so that either spelling finds the other. They are
 * alternatives for one word. A stop word is its own lexeme. `stems` is empty for the language `simple`.
 */
export function lexemesOf(token: string, stems: Stems): string[] {
  const plain = foldAccents(token);
  const lexeme = foldAccents(stems.get(token) || token);
  if (plain === token) return [lexeme];
  const alternative = foldAccents(stems.get(plain) || plain);
  return alternative === lexeme ? [lexeme] : [lexeme, alternative];
}

/** The tokens of a passage and of what stands above it. */
export type PassageTokens = { title: string[]; headings: string[]; content: string[] };

export type PassageLexemes = { tsvector: string; length: number; lexemes: string[] };

/** PostgreSQL manual 8.11.1: positions run to 16383, and a lexeme keeps 256 of them. */
const POSITION_MAX = 16_383;
const POSITIONS_PER_LEXEME_MAX = 255;
/** A title or heading path of more tokens is cut, so that it cannot outweigh the passage. */
const CONTEXT_TOKENS_MAX = 200;

/**
 * A passage as tsvector text (`'lexem':1A,7 'next':2A`): title tokens first (weight A), then headings (B), then
 * content (D, unmarked). `length` counts all these tokens, as term frequencies do; `lexemes` are distinct.
 */
export function passageLexemes(
  tokens: PassageTokens,
  lexemesOfToken: (token: string) => string[],
): PassageLexemes {
  const positions = new Map<string, string[]>();
  let position = 0;
  const add = (token: string, label: string) => {
    position = Math.min(position + 1, POSITION_MAX);
    for (const lexeme of lexemesOfToken(token)) {
      const known = positions.get(lexeme);
      if (!known) positions.set(lexeme, [`${position}${label}`]);
      else if (known.length < POSITIONS_PER_LEXEME_MAX) known.push(`${position}${label}`);
    }
  };
  const title = tokens.title.slice(0, CONTEXT_TOKENS_MAX);
  const headings = tokens.headings.slice(0, CONTEXT_TOKENS_MAX);
  for (const token of title) add(token, 'A');
  for (const token of headings) add(token, 'B');
  for (const token of tokens.content) add(token, '');
  const length = title.length + headings.length + tokens.content.length;
  const marks = [...positions].flatMap(([lexeme, places]) => tierMarks(lexeme, places.length, length));
  const entries = [...positions].map(([lexeme, places]) => `'${escapeLexeme(lexeme)}':${places.join(',')}`);
  const marked = marks.map((mark) => `'${escapeLexeme(mark)}'`);
  return { tsvector: [...entries, ...marked].join(' '), length, lexemes: [...positions.keys(), ...marks] };
}

/** Inside the quotes of tsvector text, quotes and backslashes are doubled (PostgreSQL manual 8.11.1). */
function escapeLexeme(lexeme: string): string {
  return lexeme.replace(/['\\]/g, '$&$&');
}
