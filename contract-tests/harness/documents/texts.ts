/**
 * Makes texts with realistic word frequencies (Zipf's law), in sentences and paragraphs. The same seed makes the same
 * text.
 */

/** Numbers in [0, 1), the same ones for the same seed: mulberry32 (Tommy Ettinger, 2017, public domain). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The most frequent English words in their order. They are half of any text, and identify its language. */
export const COMMON_ENGLISH =
  `the of and to in a is that for it as was with be by on not he his but at are this have from or
had an they which one you were all her she there would their we him been has when who will no more if out so up said
what its about than into them can only other time new some could these two may first then do any like my now over such
our man me even most made after also did many before must through back years where much your way well down should
because each just those people how too little state good very make world still see own work long here get both between
life being under never day same another know while last might us great old year off come since against go came right
used take three system must water number part place small point great form large present order general problem`
    .split(/\s+/)
    .filter((word, i, words) => words.indexOf(word) === i);

/** Parts of rarer words, which look like English and are stemmed like it. Most words have no prefix. */
const BEGINNINGS = '       re un in pre sub de co dis en ex pro'.split(' ');
const ROOTS =
  `act bar cap cast cede claim cord cover cur dict duct fer fin flect form fract gen grad graph ject
  lat lect light loc log mand mark mech mend mit mot nav norm pass pel pend phas plic port pos press prov quest rat
  reg rupt scrib sect sens serv sign sist soci sol spec spir stand strat strict struct sult sum tact tain techn tend
  term test text tract trib val vent vers vid vis viv voc volv ward warm wood work write yard`.split(/\s+/);
const ENDINGS = [
  '', // a root alone is a word as well
  ...`able al ance ant ary ate ation ed ence ent er ers est ful ible ic ical ies ing ings ion ions ious ish ism ist ity
  ive ize less ly ment ness or ory ous s ship ure`.split(/\s+/),
];

/**
 * With this size, texts have as many different words as real ones.
 * 100,000, 400,000 and a million characters of English hold some 4,000, 10,000 and 15,000 words
 * (abstracts of papers: 3,600, 8,700, 14,800).
 */
const ENGLISH_VOCABULARY_SIZE = 20_000;

/**
 * Likewise for the pairs of neighbouring characters, by which Chinese is searched.
 * 1,000, 10,000, 100,000 and 400,000 characters hold some 650, 5,500, 36,000 and 99,000 pairs
 * (articles of an encyclopedia: 600, 5,100, 36,000 and 102,000; its shorter extracts 520, 4,600 and 33,000).
 */
const CHINESE_VOCABULARY_SIZE = 40_000;
/** Shares of words of one, two, three and four characters in a dictionary. */
const CHINESE_WORD_LENGTHS = [0.04, 0.7, 0.16, 0.1];
/** The share of words that repeat one of the last words: a text keeps to its subject. */
const CHINESE_REPETITION = 0.45;
const RECENT_WORDS = 60;

/** The most frequent characters of Chinese texts in their order. Other characters come from the block of ideographs. */
const COMMON_CHINESE =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实';
const IDEOGRAPHS_START = 0x4e00;
/** Three thousand characters cover 99 % of modern Chinese. */
const IDEOGRAPHS = 3_000;

/** Numbers in [0, 1). */
export type Random = () => number;

/** One of the values; all are equally likely. */
export const pick = <T>(values: readonly T[], random: Random): T =>
  values[Math.floor(random() * values.length)] as T; // the index is within an array that is never empty

/** Draws an index below `count`. The r-th has a probability in proportion to 1 / (r + 2.7) (Mandelbrot's form). */
function createZipf(count: number, random: Random): () => number {
  const cumulative: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    sum += 1 / (rank + 2.7);
    cumulative.push(sum);
  }
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? sum) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function makeEnglishVocabulary(): string[] {
  const random = createRandom(1);
  const words = new Set(COMMON_ENGLISH);
  while (words.size < ENGLISH_VOCABULARY_SIZE) {
    const second = random() < 0.1 ? pick(ROOTS, random) : '';
    words.add(pick(BEGINNINGS, random) + pick(ROOTS, random) + second + pick(ENDINGS, random));
  }
  return [...words];
}

function drawWordLength(random: Random): number {
  const drawn = random();
  let sum = 0;
  for (const [i, share] of CHINESE_WORD_LENGTHS.entries()) {
    sum += share;
    if (drawn < sum) return i + 1;
  }
  return CHINESE_WORD_LENGTHS.length;
}

function makeChineseVocabulary(): string[] {
  const random = createRandom(2);
  const characters = new Set(COMMON_CHINESE);
  for (let i = 0; i < IDEOGRAPHS; i++) characters.add(String.fromCodePoint(IDEOGRAPHS_START + i * 6));
  const drawCharacter = createZipf(characters.size, random);
  const alphabet = [...characters];
  const words = new Set(COMMON_CHINESE);
  while (words.size < CHINESE_VOCABULARY_SIZE) {
    const length = drawWordLength(random);
    words.add(Array.from({ length }, () => alphabet[drawCharacter()]).join(''));
  }
  return [...words];
}

type Script = {
  vocabulary: string[];
  /** The share of words that repeat one of the last `RECENT_WORDS`. */
  repetition: number;
  blank: string;
  comma: string;
  stop: string;
  /** Writes the first word of a sentence. */
  capitalise(word: string): string;
};

const scripts = {
  english: {
    vocabulary: makeEnglishVocabulary(),
    repetition: 0,
    blank: ' ',
    comma: ', ',
    stop: '. ',
    capitalise: (word: string) => word.charAt(0).toUpperCase() + word.slice(1),
  },
  chinese: {
    vocabulary: makeChineseVocabulary(),
    repetition: CHINESE_REPETITION,
    blank: '',
    comma: '，',
    stop: '。',
    capitalise: (word: string) => word,
  },
} satisfies Record<string, Script>;

export type ScriptName = keyof typeof scripts;

function makeSentence(
  { vocabulary, blank, comma, stop, capitalise }: Script,
  draw: () => number,
  random: Random,
) {
  const length = 6 + Math.floor(random() * 24);
  let sentence = capitalise(vocabulary[draw()] ?? '');
  for (let i = 1; i < length; i++) sentence += (random() < 0.08 ? comma : blank) + (vocabulary[draw()] ?? '');
  return sentence + stop;
}

/** Draws words, or repeats recent ones with the probability `repetition`. */
function repeating(repetition: number, draw: () => number, random: Random): () => number {
  if (repetition === 0) return draw;
  const recent: number[] = [];
  let count = 0;
  return () => {
    const word = count > 0 && random() < repetition ? pick(recent, random) : draw();
    recent[count++ % RECENT_WORDS] = word;
    return word;
  };
}

/** A text of exactly `characters` UTF-16 code units. English is ASCII, Chinese takes three bytes a character. */
export function makeText(scriptName: ScriptName, characters: number, seed: number): string {
  const script = scripts[scriptName];
  const random = createRandom(seed);
  const draw = repeating(script.repetition, createZipf(script.vocabulary.length, random), random);
  const parts: string[] = [];
  for (let length = 0; length < characters; ) {
    const isParagraphEnd = random() < 0.2;
    const sentence = makeSentence(script, draw, random) + (isParagraphEnd ? '\n\n' : '');
    parts.push(sentence);
    length += sentence.length;
  }
  return parts.join('').slice(0, characters);
}

/** A query of `count` words of moderate frequency, joined by blanks. */
export function makeQuery(count: number, random: Random): string {
  const { vocabulary } = scripts.english;
  const words = Array.from(
    { length: count },
    () => vocabulary[COMMON_ENGLISH.length + Math.floor(random() * 2_000)] ?? '',
  );
  return words.join(' ');
}
