/** Finds the words of a query that are terms of synonym groups, and what the passages may have instead. */
import { lexemesOf, type Stems, wordsToStem } from '../../analysis/lexemes.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { type SynonymGroup, writingsOf } from './synonym-groups.ts';
import { queriedWritings, type Whole, wholesOf, writtenInPassages } from './term-notations.ts';

/** A synonym of words of a query: its lexemes in order, in one language or several. */
export type Synonym = { sequence: string[] };

/** `length` tokens of a query, from the place `at` on, that have synonyms. */
export type SynonymSpan = { at: number; length: number; synonyms: Synonym[] };

/** The stems of the words of the query and of the groups, in each language of the searched passages. */
type StemsByLanguage = ReadonlyMap<string, Stems>;

/** Tokens of a query that are compared with the groups: further ones belong to a text rather than a question. */
const TOKENS_MAX = 128;
/**
 * Words of the groups that are compared with a query: as many as three of the largest groups have, or hundreds of
 * usual groups.
 */
const WORDS_MAX = 2_000;
/** Parts of a query that have synonyms: more than a query of ordinary length has words. */
const SPANS_MAX = 32;
/** Places of terms that are compared with each other. */
const PLACES_MAX = 1_000;
/** Synonyms of one part of a query, in all their languages: as many as the largest group has, in two languages. */
const SYNONYMS_MAX = 40;

/** The lexemes of a token in one language. */
type LexemesOf = (token: string) => { asWritten: string[]; unaccented: string[] };

const remembering = (stems: Stems): LexemesOf => {
  const known = new Map<string, ReturnType<LexemesOf>>();
  return (token) => {
    const lexemes = known.get(token) ?? lexemesOf(token, stems);
    known.set(token, lexemes);
    return lexemes;
  };
};

const allOf = ({ asWritten, unaccented }: ReturnType<LexemesOf>): string[] => [...asWritten, ...unaccented];

/**
 * A query in one of its forms: all tokens, or only its words without the parts of compounds and numbers. `lexemes`: of
 * each token, also in other notations. `length`: how many tokens of the query each covers; `at`: the first of them.
 */
type Form = {
  tokens: { at: number; length: number }[];
  lexemes: ReadonlySet<string>[];
  placesOfLexeme: ReadonlyMap<string, number[]>;
};

/** A language, the lexemes of each token in it, and the forms of a query. */
type Language = { lexemesOf: LexemesOf; forms: Form[] };

/** A new list for a key. */
function addTo(lists: Map<string, number[]>, key: string): number[] {
  const list: number[] = [];
  lists.set(key, list);
  return list;
}

function readForm(tokens: Whole[], lexemesOf: LexemesOf): Form {
  const lexemes = tokens.map(({ token, others }) => new Set([...allOf(lexemesOf(token)), ...others]));
  const placesOfLexeme = new Map<string, number[]>();
  for (const [place, ofToken] of lexemes.entries())
    for (const lexeme of ofToken) (placesOfLexeme.get(lexeme) ?? addTo(placesOfLexeme, lexeme)).push(place);
  return { tokens, lexemes, placesOfLexeme };
}

/** The forms of a query: the second one only where it differs. */
function formsOf(query: string, tokens: string[]): Whole[][] {
  const wholes = wholesOf(query, TOKENS_MAX);
  const others = new Map(wholes.map((whole) => [whole.at, whole]));
  const all = tokens.map((token, at) => {
    const whole = others.get(at);
    return { token, at, length: 1, others: whole?.length === 1 ? whole.others : [] };
  });
  return wholes.length === all.length ? [all] : [all, wholes];
}

/** Some tokens of a query, from the place `at` on. */
type Range = { at: number; length: number };

/** Where a form of the query has the tokens of a term side by side, in some form of each. */
function rangesOf(
  written: string[],
  { tokens, lexemes, placesOfLexeme }: Form,
  lexemesOf: LexemesOf,
): Range[] {
  const [first = '', ...others] = written;
  const starts = new Set(allOf(lexemesOf(first)).flatMap((lexeme) => placesOfLexeme.get(lexeme) ?? []));
  if (starts.size === 0) return [];
  const ofOthers = others.map((token) => allOf(lexemesOf(token)));
  const isAt = (place: number) =>
    ofOthers.every((ofToken, i) => ofToken.some((lexeme) => lexemes[place + 1 + i]?.has(lexeme)));
  return [...starts].filter(isAt).flatMap((place) => {
    const [start, end] = [tokens[place], tokens[place + others.length]];
    return start && end ? [{ at: start.at, length: end.at + end.length - start.at }] : [];
  });
}

/** The distinct ones of some ranges. */
const distinctRanges = (ranges: Range[]): Range[] => [
  ...new Map(ranges.map((range) => [`${range.at} ${range.length}`, range])).values(),
];

/**
 * The lexemes of a term in order, for each language that has others: as written, and without accents. A passage with
 * accents has the latter too.
 */
function sequencesOf(term: string, languages: Language[]): string[][] {
  const sequences = new Map<string, string[]>();
  for (const tokens of writtenInPassages(term)) {
    for (const { lexemesOf } of languages) {
      const lexemes = tokens.map(lexemesOf);
      const asWritten = lexemes.flatMap(({ asWritten: [lexeme] }) => lexeme ?? []);
      const unaccented = lexemes.flatMap((each) => allOf(each).at(-1) ?? []);
      for (const sequence of [asWritten, unaccented]) sequences.set(sequence.join(' '), sequence);
    }
  }
  return [...sequences.values()];
}

/** What a term of a group finds. */
const foundBy = (term: string, { terms, finds }: SynonymGroup): string[] =>
  finds ?? terms.filter((other) => other !== term);

/** Where a term of a group is in the query, and the terms that it finds. */
type Place = Range & { found: string[] };

const isWithin = (inner: Place, outer: Place): boolean =>
  inner.length < outer.length && inner.at >= outer.at && inner.at + inner.length <= outer.at + outer.length;

/**
 * Returns the parts of a query that have synonyms, in their order: for `PTO carry over` the first token with `paid time
 * off`. Of terms within each other only the longest counts: `New York` has no synonym of `York`.
 */
export function findSpans(query: string, groups: SynonymGroup[], stems: StemsByLanguage): SynonymSpan[] {
  if (groups.length === 0) return [];
  const tokens = tokenise(query).tokens.slice(0, TOKENS_MAX);
  const forms = formsOf(query, tokens);
  const languages = [...stems.values()].map((ofLanguage): Language => {
    const lexemesOf = remembering(ofLanguage);
    return { lexemesOf, forms: forms.map((form) => readForm(form, lexemesOf)) };
  });
  const inQuery = (written: string[]) =>
    languages.flatMap(({ lexemesOf, forms }) => forms.flatMap((form) => rangesOf(written, form, lexemesOf)));
  const places = groups.flatMap((group) =>
    group.terms.flatMap((term) =>
      queriedWritings(term).flatMap((written) =>
        distinctRanges(inQuery(written)).map((range): Place => ({ ...range, found: foundBy(term, group) })),
      ),
    ),
  );
  const distinct = [...Map.groupBy(places, ({ at, length }) => `${at} ${length}`).values()].slice(
    0,
    PLACES_MAX,
  );
  const outermost = distinct.flatMap(([first, ...others]) =>
    first === undefined || distinct.some(([other]) => other && isWithin(first, other))
      ? []
      : [{ ...first, found: new Set([first, ...others].flatMap((place) => place.found)) }],
  );
  const readSequences = createSequences(languages);
  return outermost
    .sort((left, right) => left.at - right.at || right.length - left.length)
    .slice(0, SPANS_MAX)
    .map(({ at, length, found }) => {
      const own = tokens.slice(at, at + length);
      const inLanguages = languages.map(({ lexemesOf }) => own.map(lexemesOf).map(allOf));
      const isOther = (sequence: string[]) => !inLanguages.some((lexemes) => hasSequence(lexemes, sequence));
      const sequences = [...found].slice(0, SYNONYMS_MAX).flatMap(readSequences).filter(isOther);
      return { at, length, synonyms: sequences.slice(0, SYNONYMS_MAX).map((sequence) => ({ sequence })) };
    });
}

/** `sequencesOf`, once for each term: many places of a query may find it. */
function createSequences(languages: Language[]): (term: string) => string[][] {
  const known = new Map<string, string[][]>();
  return (term) => {
    const sequences = known.get(term) ?? sequencesOf(term, languages);
    known.set(term, sequences);
    return sequences;
  };
}

/** Whether these are the lexemes of a sequence: then the query has it itself. */
const hasSequence = (lexemes: string[][], sequence: string[]): boolean =>
  lexemes.length === sequence.length && sequence.every((lexeme, i) => lexemes[i]?.includes(lexeme));

/** The words of groups whose stems `findSpans` needs, and the groups within bounds that have these. */
export function readGroups(groups: SynonymGroup[]): { groups: SynonymGroup[]; toStem: string[] } {
  const toStem = new Set<string>();
  const within = groups.filter(({ terms, finds = [] }) => {
    const words = wordsToStem([...terms, ...finds].flatMap(writingsOf).flat());
    if (toStem.size + words.length > WORDS_MAX) return false;
    for (const word of words) toStem.add(word);
    return true;
  });
  return { groups: within, toStem: [...toStem] };
}

/** The spans with as many of their synonyms, in order, as together have `lexemesMax` lexemes; and those lexemes. */
export function withinLexemes(
  spans: SynonymSpan[],
  lexemesMax: number,
): { spans: SynonymSpan[]; lexemes: string[] } {
  const lexemes = new Set<string>();
  const isWithin = ({ sequence }: Synonym): boolean => {
    const added = sequence.filter((lexeme) => !lexemes.has(lexeme));
    if (lexemes.size + added.length > lexemesMax) return false;
    for (const lexeme of added) lexemes.add(lexeme);
    return true;
  };
  const within = spans.map((span) => ({ ...span, synonyms: span.synonyms.filter(isWithin) }));
  return { spans: within.filter(({ synonyms }) => synonyms.length > 0), lexemes: [...lexemes] };
}

/** Words of a synonym that is not long: nearly all. */
const SHORT_MAX = 3;

/**
 * What synonyms may cost together. `words`: of all of them, which the index looks up. `comparisons`: the passages with
 * the rarest word of each, times its words; PostgreSQL compares the positions of these, which takes up to 10 µs for one
 * if function words fill it. A single word has no positions to compare. Both count once for each term that has the
 * synonym.
 */
type Cost = { words: number; comparisons: number };

/**
 * What long ones may cost.
 *
 * Processor time with 228 synonyms of 14 function words for 12 words of a query, over all and over these:
 *
 *     290 passages   2,060 ms    80
 *   5,000            3,930      840
 */
const LONG_COST_MAX: Cost = { words: 128, comparisons: 40_000 };
/**
 * What short ones may cost. With less, more costs: the other synonyms look so rare that candidates are found by them.
 *
 * Processor time with 19 synonyms of frequent words for each of 12 words of a query, among 6,131 passages:
 *
 *                   over all   over these   words 256, comparisons 40,000
 *   two words        706 ms       256          156
 *   three words        -          288          449
 *   single words     413          424          428
 */
const SHORT_COST_MAX: Cost = { words: 512, comparisons: 100_000 };

type Priced = { synonym: Synonym; cost: Cost };

function priceOf(synonym: Synonym, terms: number, frequencies: ReadonlyMap<string, number>): Priced {
  const passages = Math.min(...synonym.sequence.map((lexeme) => frequencies.get(lexeme) ?? 0));
  const words = terms * synonym.sequence.length;
  return { synonym, cost: { words, comparisons: synonym.sequence.length === 1 ? 0 : words * passages } };
}

/** Those of the synonyms that cost more than `max` together with the cheaper ones. The cheapest one is always kept. */
function tooDear(priced: Priced[], max: Cost): Synonym[] {
  const total = { words: 0, comparisons: 0 };
  return priced
    .toSorted((left, right) => left.cost.comparisons - right.cost.comparisons)
    .filter(({ cost }, i) => {
      total.words += cost.words;
      total.comparisons += cost.comparisons;
      return i > 0 && (total.words > max.words || total.comparisons > max.comparisons);
    })
    .map(({ synonym }) => synonym);
}

/** The spans without synonyms that would take too much time: synonyms of rare words stay. */
export function affordable(spans: SynonymSpan[], frequencies: ReadonlyMap<string, number>): SynonymSpan[] {
  const priced = spans.flatMap(({ length, synonyms }) =>
    synonyms.map((synonym) => priceOf(synonym, length, frequencies)),
  );
  const isShort = ({ synonym }: Priced) => synonym.sequence.length <= SHORT_MAX;
  const dropped = new Set([
    ...tooDear(priced.filter(isShort), SHORT_COST_MAX),
    ...tooDear(
      priced.filter((each) => !isShort(each)),
      LONG_COST_MAX,
    ),
  ]);
  if (dropped.size === 0) return spans;
  return spans
    .map((span) => ({ ...span, synonyms: span.synonyms.filter((synonym) => !dropped.has(synonym)) }))
    .filter(({ synonyms }) => synonyms.length > 0);
}
