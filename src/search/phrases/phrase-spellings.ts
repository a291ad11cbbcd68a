/**
 * The ways in which a text may write a phrase, so that its words have other positions in the index. There a compound is
 * a token before the tokens of its parts, and a run without spaces is a row of bigrams, which a line break interrupts.
 *
 *   phrase              spelling            because of
 *   red brown dog       red brown-dog       compounds: red, browndog, brown, dog
 *   the e-mail address  the email address   the phrase has the compound: email, e, mail
 *   Abs.2 Nr.3          Abs 2 Nr 3
 *   机器学习              机器\n学习            a line break without 器学
 *   기계 학습             기계학습              spaces in scripts that need none
 *
 * Spellings are texts, so that they have the tokens of passages that write them.
 */
import { UNSPACED } from '../../analysis/characters.ts';
import { tokenise } from '../../analysis/tokens.ts';

/** Tokens of all spellings of a phrase together. */
const SPELT_TOKENS_MAX = 512;
/** Words of the longest phrase whose words may be joined. With more, compounds count as the phrase writes them. */
const JOINED_WORDS_MAX = 16;
/** Words that hyphens join in a compound. */
const JOINED_PARTS_MAX = 3;
/**
 * Characters on each side of a line break within a run. Single ones would match by chance: they have the positions of
 * the bigrams around them.
 */
const BROKEN_FROM = 2;
/** Between digits, a compound keeps its punctuation (`1.10`). */
const JOINTS = ['-', '.', '/'];

const OTHER_SIGNS = /[^\p{L}\p{M}\p{N}]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED, 'v');
const SPACE_IN_RUN = new RegExp(`(?<=${UNSPACED})\\s+(?=${UNSPACED})`, 'gv');
const RUN = new RegExp(`${UNSPACED}+`, 'gv');
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gu;

/** A word with its parts apart (`HTTPServer` → `http server`), where they are the whole word. */
function partsApart(word: string): string {
  if (HAS_UNSPACED.test(word)) return word;
  const [whole, ...parts] = tokenise(word).tokens;
  return parts.length > 0 && parts.join('') === whole ? parts.join(' ') : word;
}

/** A word without the punctuation between its parts (`e-mail` → `email`). */
function asWhole(word: string): string {
  if (HAS_UNSPACED.test(word)) return word;
  const [whole, ...parts] = tokenise(word).tokens;
  return whole !== undefined && parts.length > 0 ? whole : word;
}

/** The words with those from `from` up to `to` joined by `joint`. */
const joinAt = (words: string[], from: number, to: number, joint: string): string =>
  [...words.slice(0, from), words.slice(from, to).join(joint), ...words.slice(to)].join(' ');

/** Texts in which some of the words after the first are a compound. One that begins with the first word needs none. */
function* joinWords(words: string[]): Generator<string> {
  if (words.length > JOINED_WORDS_MAX) return;
  for (let parts = 2; parts <= JOINED_PARTS_MAX; parts++) {
    for (let from = 1; from + parts <= words.length; from++) {
      const joined = words.slice(from, from + parts);
      if (joined.some((word) => HAS_UNSPACED.test(word))) continue;
      const joints = joined.some((word) => /\p{N}/u.test(word)) ? JOINTS : JOINTS.slice(0, 1);
      for (const joint of joints) yield joinAt(words, from, from + parts, joint);
    }
  }
}

/** Texts with a line break within one of the runs. */
function* breakRuns(text: string): Generator<string> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const characters = run.match(CHARACTER) ?? [];
    for (let at = BROKEN_FROM; at <= characters.length - BROKEN_FROM; at++) {
      const broken = `${characters.slice(0, at).join('')}\n${characters.slice(at).join('')}`;
      yield text.slice(0, index) + broken + text.slice(index + run.length);
    }
  }
}

function* spellingTexts(phrase: string): Generator<string> {
  yield phrase;
  const apart = phrase.replace(OTHER_SIGNS, ' ').trim();
  const words = apart.split(' ').map(partsApart).join(' ').split(' ');
  yield words.join(' ');
  yield phrase.split(/\s+/u).map(asWhole).join(' ');
  yield words.join(' ').replace(/(?<=\p{L}) (?=\p{N})/gu, '-'); // Abs.2 Nr.3
  const unbroken = apart.replace(SPACE_IN_RUN, '');
  yield unbroken;
  yield* breakRuns(unbroken);
  yield* joinWords(words);
}

/** The tokens of a phrase in each of its spellings, the first as it is written. The same for the same text. */
export function spellPhrase(phrase: string): string[][] {
  const spellings = new Map<string, string[]>();
  let spelt = 0;
  for (const text of spellingTexts(phrase)) {
    const { tokens } = tokenise(text);
    const key = tokens.join('\n');
    if (tokens.length === 0 || spellings.has(key)) continue;
    spelt += tokens.length;
    if (spelt > SPELT_TOKENS_MAX && spellings.size > 0) break;
    spellings.set(key, tokens);
  }
  return [...spellings.values()];
}
