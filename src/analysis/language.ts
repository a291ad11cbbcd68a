/** Detects the language of a text, among those that PostgreSQL can stem. */
import { classesOf, LETTER, SURROGATE, UNSTEMMED, UNSTEMMED_SCRIPTS } from './characters.ts';
import { SCORED_LANGUAGES, scoreLanguages } from './language-scores.ts';

/**
 * PostgreSQL's Snowball configurations, the same in 15 to 18 (without Estonian, which is new in 18). `simple` stands
 * for a language that has no stemmer or is uncertain.
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
 * Languages by ISO 639-1 code. Irish, Nepali and Yiddish are missing because they are not scored. Malay stands for
 * Indonesian (`ms` covers both) and Croatian for Serbian (Snowball's Serbian stemmer reads Latin script).
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

/** The language in which PostgreSQL stems texts of an ISO 639-1 code. */
export const languageOfCode = (code: string): Language => LANGUAGE_BY_CODE[code] ?? 'simple';

/** Scored language → our language, in the order of the scores. */
const SCORED = SCORED_LANGUAGES.map(languageOfCode);

/** UTF-16 units that are scored; a longer text is sampled. */
const SCORED_LENGTH = 1000;
/** Samples of a long text, spread over it: a title page or a licence at the beginning may be in another language. */
const SAMPLE_COUNT = 4;
/**
 * UTF-16 units of a passage that are scored first. 150 are as reliable as 300 (.996 to 1.000 on the texts of xquad-en,
 * -de, -ru, -ar and scifact) and take .34 to .61 of the time.
 */
const BEGINNING_LENGTH = 150;
/** Letters that a passage needs before its own detected language can replace its document's. */
const OWN_LANGUAGE_MIN_LETTERS = 100;
/**
 * An unexpected language must lead the likeliest expected one in its score (from 0 to 1) by this over the number of
 * letters. Share of stretches of xquad-en and -de whose own language is found:
 *
 *   letters                             20     40     70    100
 *   nothing expected                   .85    .95    .98    .99
 *   their own language expected        .98   .996   .999   .998
 *   the other of the two expected      .51    .88    .97    .99
 *
 * Without the lead, 353 of cacm's 3,204 titles and abstracts had no language or another than English; now none has.
 */
const CLEAR_LEAD = 6;
/** Above this share of letters from scripts without stemmers, a text is not scored: it is Chinese, Thai … */
const UNSTEMMED_MIN_SHARE = 0.3;

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;
const ASTRAL_LETTER = /\p{L}/u;
/** Matches `UNSTEMMED` characters of two UTF-16 units. */
const ASTRAL_UNSTEMMED = new RegExp(UNSTEMMED_SCRIPTS, 'u');

/**
 * Detects the language of a text of any length. `expected` are the languages around the text, if they are known: a
 * short text is in one of them unless it is clearly in another language. Returns `simple` where unsure. Never throws.
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

/** The best score of the scored languages that map to this one; for `simple`, of all languages without a stemmer. */
const bestScoreOf = (language: Language, scores: Float64Array): number =>
  scores.reduce((best, score, i) => (SCORED[i] === language ? Math.max(best, score) : best), 0);

/**
 * A passage is in its document's language if more than this share of its tokens are stop words of that language. Half
 * to nine tenths of the passages of xquad-en and -de, cranfield, msmarco-sub and pubmedqa have that many. A text in
 * another language never has: the highest share is .28, of German stop words in Dutch texts.
 */
const STOP_WORDS_MIN_SHARE = 0.3;

/** Whether the stop words alone show the language of a passage. It takes a thirtieth of the time of detecting it. */
export function hasManyStopWords<Token>(tokens: Token[], isStopWord: (token: Token) => boolean): boolean {
  return tokens.filter(isStopWord).length > STOP_WORDS_MIN_SHARE * tokens.length;
}

/**
 * The language of a passage: its document's, unless the passage has enough letters and is clearly in another language.
 * The beginning is scored first: most passages are in their document's language, and that takes a fraction of the time.
 */
export function detectPassageLanguage(text: string, documentLanguage: Language): Language {
  const expected = [documentLanguage];
  const beginning = text.slice(0, BEGINNING_LENGTH);
  if (countLetters(sampleOf(text)).letters < OWN_LANGUAGE_MIN_LETTERS) return documentLanguage;
  if (detectLanguage(beginning, expected) === documentLanguage) return documentLanguage;
  return detectLanguage(text, expected);
}

/** Counts the letters, and all characters of scripts without a stemmer, marks and punctuation included. */
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
  if (text.length <= SCORED_LENGTH) return text;
  const length = SCORED_LENGTH / SAMPLE_COUNT;
  const stride = (text.length - length) / (SAMPLE_COUNT - 1);
  const starts = Array.from({ length: SAMPLE_COUNT }, (_, i) => Math.floor(i * stride));
  return starts.map((start) => text.slice(start, start + length)).join(' ');
}
