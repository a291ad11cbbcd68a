/** Detects the language of a text, among those that PostgreSQL can stem. */
import { classesOf, LETTER, SURROGATE, UNSTEMMED, UNSTEMMED_SCRIPTS } from './characters.ts';
import { SCORED_LANGUAGES, scoreLanguages } from './language-scores.ts';

/**
 * PostgreSQL's Snowball configurations, the same in 15 to 18 (Estonian, new in 18, is left out), and `simple`:
 * a language without a stemmer, or none that is sure.
 */
export const LANGUAGES = [
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'simple',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * By ISO 639-1 code. Irish, Nepali and Yiddish are not among the languages that are scored. Malay stands for Indonesian
 * (`ms` covers both) and Croatian for Serbian (Snowball's Serbian stemmer reads Latin script).
 */
const LANGUAGE_BY_CODE: Record<string, Language | undefined> = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  ca: 'catalan',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  el: 'greek',
  hi: 'hindi',
  hu: 'hungarian',
  ms: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  hr: 'serbian',
  es: 'spanish',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
};

/** The language that each scored one is taken for. */
const SCORED = SCORED_LANGUAGES.map((code): Language => LANGUAGE_BY_CODE[code] ?? 'simple');

/** UTF-16 units that are scored (the rest is ignored): more is sampled down to this. */
const SAMPLE_LENGTH = 1000;
/** A long text is sampled at this many places: a title page or a licence at the head may be in another language. */
const SAMPLE_COUNT = 4;
/**
 * UTF-16 units of a passage that are looked at first. 150 tell the language as surely as 300 do (.996 to 1.000 on the
 * texts of xquad-en, -de, -ru, -ar and scifact), in .34 to .61 of the time.
 */
const BEGINNING_LENGTH = 150;
/** Letters that a passage must have for its own detection to count against its document's language. */
const OWN_LANGUAGE_MIN_LETTERS = 100;
/**
 * A language that is not expected needs a lead in its score, from 0 to 1, over the likeliest that is: this over the
 * number of letters. Shares of stretches of xquad-en and -de that are taken for their own language:
 *
 *   letters                             20     40     70    100
 *   nothing expected                   .85    .95    .98    .99
 *   their own language expected        .98   .996   .999   .998
 *   the other of the two expected      .51    .88    .97    .99
 *
 * Of cacm's 3,204 titles and abstracts, 353 were taken for no language or another than English; now none is.
 */
const CLEAR_LEAD = 6;
/** Share of letters from scripts without stemmers above which a text needs no detection: it is Chinese, Thai … */
const UNSTEMMED_MIN_SHARE = 0.3;

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;
const ASTRAL_LETTER = /\p{L}/u;
/** As `UNSTEMMED` has those of one unit. */
const ASTRAL_UNSTEMMED = new RegExp(UNSTEMMED_SCRIPTS, 'u');

/**
 * The language of a text of any length. `expected` are the languages that its surroundings are in, if they are known:
 * a short text is in one of them unless it is clearly in another language. `simple` where unsure. Never throws.
 */
export function detectLanguage(text: string, expected: readonly Language[] = []): Language {
  const sample = sampleOf(text);
  const { letters, unstemmed } = countLetters(sample);
  if (letters === 0) return expected[0] ?? 'simple';
  if (unstemmed >= UNSTEMMED_MIN_SHARE * letters) return 'simple';
  const { scores, best, isReliable } = scoreLanguages(sample);
  const found = best === undefined ? 'simple' : (SCORED[best] as Language); // one for each score
  if (expected.includes(found)) return found;
  const [likeliest] = expected
    .map((language) => ({ language, score: bestScoreOf(language, scores) }))
    .sort((left, right) => right.score - left.score);
  // None of the expected languages has any of its letters.
  if (likeliest === undefined || likeliest.score === 0) return isReliable ? found : 'simple';
  const lead = (best === undefined ? 0 : (scores[best] as number)) - likeliest.score;
  return isReliable && lead * letters > CLEAR_LEAD ? found : likeliest.language;
}

/** The best score of those that are taken for a language; for `simple`, of all that have no stemmer. */
const bestScoreOf = (language: Language, scores: Float64Array): number =>
  scores.reduce((best, score, i) => (SCORED[i] === language ? Math.max(best, score) : best), 0);

/**
 * Share of a passage's tokens that are stop words of its document's language, from which on it is in that language.
 * Of the passages of xquad-en and -de, cranfield, msmarco-sub and pubmedqa a half to nine tenths have it; no text of
 * another language does: Dutch ones say German stop words most, .28 at most.
 */
const STOP_WORDS_MIN_SHARE = 0.3;

/** Whether its stop words alone tell that a passage is in a language: thirty times faster than its detection. */
export function isToldByStopWords<Token>(tokens: Token[], isStopWord: (token: Token) => boolean): boolean {
  return tokens.filter(isStopWord).length > STOP_WORDS_MIN_SHARE * tokens.length;
}

/**
 * The language of a passage: its document's, unless it has enough letters and is clearly in another one. Most
 * passages are in their document's, which their beginning shows in a fraction of the time.
 */
export function detectPassageLanguage(text: string, documentLanguage: Language): Language {
  const expected = [documentLanguage];
  const beginning = text.slice(0, BEGINNING_LENGTH);
  if (countLetters(sampleOf(text)).letters < OWN_LANGUAGE_MIN_LETTERS) return documentLanguage;
  if (detectLanguage(beginning, expected) === documentLanguage) return documentLanguage;
  return detectLanguage(text, expected);
}

/** How many characters are letters, and how many belong to a script without stemmer, which marks and signs may too. */
function countLetters(text: string): { letters: number; unstemmed: number } {
  let [letters, unstemmed, surrogates] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const classes = classesOf(text.charCodeAt(i));
    if ((classes & LETTER) !== 0) letters++;
    if ((classes & UNSTEMMED) !== 0) unstemmed++;
    if ((classes & SURROGATE) !== 0) surrogates++;
  }
  for (const character of surrogates === 0 ? [] : (text.match(ASTRAL) ?? [])) {
    if (ASTRAL_LETTER.test(character)) letters++;
    if (ASTRAL_UNSTEMMED.test(character)) unstemmed++;
  }
  return { letters, unstemmed };
}

function sampleOf(text: string): string {
  if (text.length <= SAMPLE_LENGTH) return text;
  const length = SAMPLE_LENGTH / SAMPLE_COUNT;
  const stride = (text.length - length) / (SAMPLE_COUNT - 1);
  const starts = Array.from({ length: SAMPLE_COUNT }, (_, i) => Math.floor(i * stride));
  return starts.map((start) => text.slice(start, start + length)).join(' ');
}
