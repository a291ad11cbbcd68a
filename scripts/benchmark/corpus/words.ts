/** The words of the search corpus: real function words, and some hundred thousand invented, pronounceable words. */
import {
  COMMON_ENGLISH,
  createRandom,
  pick,
  type Random,
} from '../../../contract-tests/harness/documents/texts.ts';

/** English tokens of a few gigabytes of pages: far more than a stemmer's cache holds. */
const VOCABULARY_SIZE = 300_000;
/** Distinct numbers and identifiers. Most occur in only one or two passages. */
const IDENTIFIERS = 200_000;
const TOPICS = 2_000;
const WORDS_OF_A_TOPIC = 300;
/** Topics draw words from this rank on. More frequent words belong to no topic. */
const TOPIC_FIRST_RANK = 200;

const ONSETS =
  'b c d f g h l m n p r s t v w b c d f g l m n p r s t br ch cl cr dr fl gr pl pr sh sl st str th tr'.split(
    ' ',
  );
const VOWELS = 'a e i o u a e i o u a e i o ai ea ee oa ou'.split(' ');
const CODAS = '            n r l s t d m nd nt rt st rk sh'.split(' ');
/** Endings for the stemmer to remove. */
const ENDINGS = '             s s ed ing er ly al ed ing ation ers ment ness tion able ity ive ous'.split(
  ' ',
);

/** Mandelbrot's shift of Zipf's law. A larger shift flattens the head: function words are steep, topics flat. */
const FUNCTION_WORD_SHIFT = 2.7;
const WORD_SHIFT = 8;
const TOPIC_SHIFT = 5;

/** Draws a rank below `count` with a probability near 1 / (rank + shift), by the inverse of that density's integral. */
const drawRank = (count: number, shift: number, random: Random): number =>
  Math.min(count - 1, Math.floor(shift * ((count + shift) / shift) ** random() - shift));

/** Frequent words are short in every language. */
function syllablesAt(rank: number, random: Random): number {
  if (rank < 2_000) return 1 + Math.round(random());
  return rank < 60_000 ? 2 : 2 + Math.round(random());
}

function makeWord(rank: number, random: Random): string {
  let word = '';
  for (let left = syllablesAt(rank, random); left > 0; left--) {
    word += pick(ONSETS, random) + pick(VOWELS, random) + pick(CODAS, random);
  }
  return word + pick(ENDINGS, random);
}

/** Invented words by falling frequency. None is a function word. */
function makeVocabulary(): string[] {
  const random = createRandom(11);
  const words = new Set(COMMON_ENGLISH);
  while (words.size < VOCABULARY_SIZE + COMMON_ENGLISH.length) words.add(makeWord(words.size, random));
  return [...words].slice(COMMON_ENGLISH.length);
}

/** The invented words, the most frequent first. */
const vocabulary = makeVocabulary();
const ranks = new Map(vocabulary.map((word, rank) => [word, rank]));

/** The rank of an invented word by frequency, from 0; undefined for any other word. */
export const rankOf = (word: string): number | undefined => ranks.get(word);

/** Function words that stemmers keep. They occur in a twentieth to a quarter of the passages. */
const WORDS_WITH_MEANING = new Set(
  `one would said time new could two may first like man even made also many must back years much way well people
  little state good make world still see work long get life never day another know last might us great old year come
  since go came right used take three system water number part place small point form large present order general
  problem`.split(/\s+/),
);
const stopWords = new Set(COMMON_ENGLISH.filter((word) => !WORDS_WITH_MEANING.has(word)));

/** Whether a search ignores this word of the corpus. */
export const isStopWord = (word: string): boolean => stopWords.has(word);

/** An invented word above this rank occurs in at least a fiftieth of the passages. */
const COMMON_WORDS = 60;

/** The most common words that a search uses. */
export const commonWords: readonly string[] = [...WORDS_WITH_MEANING, ...vocabulary.slice(0, COMMON_WORDS)];

/** For each topic its words as ranks, evenly spread over the orders of magnitude. */
function makeTopics(): Uint32Array[] {
  const random = createRandom(12);
  const spread = VOCABULARY_SIZE / TOPIC_FIRST_RANK;
  return Array.from({ length: TOPICS }, () =>
    Uint32Array.from({ length: WORDS_OF_A_TOPIC }, () =>
      Math.min(VOCABULARY_SIZE - 1, Math.floor(TOPIC_FIRST_RANK * spread ** random())),
    ),
  );
}

const topics = makeTopics();

/** Draws a topic, popular ones more often. */
export const drawTopic = (random: Random): number => drawRank(TOPICS, TOPIC_SHIFT, random);

export const drawTopicWord = (topic: number, random: Random): string =>
  vocabulary[topics[topic]?.[drawRank(WORDS_OF_A_TOPIC, TOPIC_SHIFT, random)] ?? 0] ?? '';

export const drawWord = (random: Random): string =>
  vocabulary[drawRank(VOCABULARY_SIZE, WORD_SHIFT, random)] ?? '';

export const drawFunctionWord = (random: Random): string =>
  COMMON_ENGLISH[drawRank(COMMON_ENGLISH.length, FUNCTION_WORD_SHIFT, random)] ?? '';

/** The identifier with this number: an error code, setting, version, file, year or amount. */
function makeIdentifier(number: number): string {
  const digits = (number * 7919) % 100_000;
  const word = vocabulary[number % 5_000] ?? '';
  const kinds = [
    () => `ERR-${digits}`,
    () => `max_${word}_size`,
    () => `v${1 + (digits % 9)}.${digits % 40}.${Math.floor(digits / 1000)}`,
    () => `INV-${2015 + (digits % 11)}-${String(digits).padStart(6, '0')}`,
    () => `${1900 + (digits % 130)}`,
    () => `${word}${digits % 100}.cfg`,
    () => `${(digits / 10).toFixed(1)}`,
  ];
  return kinds[number % kinds.length]?.() ?? '';
}

export const drawIdentifier = (random: Random): string =>
  makeIdentifier(drawRank(IDENTIFIERS, WORD_SHIFT, random));
