/** What of a query a full match has: tsqueries of its words at their places. `proximity.ts` ranks by them. */
import { quoteLexeme } from '../../../analysis/lexemes.ts';
import { tokenise } from '../../../analysis/tokens.ts';
import type { NamedTerm } from '../../query/query-terms.ts';
import type { SynonymSpan } from '../../synonyms/synonym-spans.ts';
import type { ScoredTerm } from '../term-scores.ts';
import { sequenceQuery } from '../variants.ts';

/** `isTelling`, `isWeak`: see `WeightedTerm`. */
type Name = NamedTerm & { isTelling: boolean; isWeak: boolean };
type Term = ScoredTerm & Name;

/** A longer query is a question or a text, which no passage has word by word. */
const ORDERED_TOKENS_MAX = 16;
/** UTF-16 units of a query that may have so few tokens. */
const ORDERED_MAX_LENGTH = 400;
/**
 * Values of the statement, tsqueries or NULL: the whole query, a question in a heading only; it with synonyms, or what
 * it is about in a heading (`inHeadings`, `withHeading`); its informative words side by side, or a whole question in
 * any place; and all informative words in any place.
 */
export const FULL_MATCH_VALUES = ['wholeQuery', 'nearlyWhole', 'wordsInOrder', 'allWords'] as const;
export type FullMatchValue = (typeof FULL_MATCH_VALUES)[number];

const anyOf = (operands: string[]): string =>
  operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;

/** tsquery text for the passages with the term, or with a synonym of it. */
const operandOf = ({ variants }: Term): string =>
  anyOf(variants.map(({ sequence }) => sequenceQuery(sequence)));

/** tsquery text for the term itself, with these labels; undefined where passages have synonyms only. */
function ownOperandOf({ variants }: Term, labels = ''): string | undefined {
  const own = variants.filter(({ match }) => match !== 'synonym');
  return own.length === 0 ? undefined : anyOf(own.map(({ sequence }) => sequenceQuery(sequence, labels)));
}

/** A token of the query with its place there, and its tsquery text; undefined where no passage has it. */
type Placed = Pick<Name, 'isInformative' | 'isTelling' | 'isWeak'> & {
  place: number;
  operand: string | undefined;
};

/** What a synonym in the place of a word is. */
const TELLING = { isInformative: true, isTelling: true, isWeak: false };

/** Labels of the positions in the title and the headings of a passage. */
const HEADINGS = ':AB';
/** Those in the headings alone: all passages of a document have its title. */
const SECTION_HEADINGS = ':B';

/**
 * tsquery text for the words that say what a query is about, side by side in a heading: all but the common ones. So
 * `How do I make a backup?` has the section Backups first, and not a sentence that says "Make a backup".
 */
function inHeadings(tokens: string[], named: NamedTokens): string | undefined {
  return sequenceOf(
    placeTokens(tokens, named, HEADINGS).filter(({ isTelling }) => isTelling),
    1,
  );
}

/**
 * tsquery text for all words that say what a question is about, at any places, one of them in the heading of a section:
 * so `How do I restore a backup?` has the section Backups before a list of changes that quotes the question. Undefined
 * for a single word, which `inHeadings` asks for.
 */
function withHeading(tokens: string[], named: NamedTokens): string | undefined {
  const telling = placeTokens(tokens, named).filter(({ isTelling }) => isTelling);
  const headings = placeTokens(tokens, named, SECTION_HEADINGS).filter(({ isTelling }) => isTelling);
  const operands = telling.map(({ operand }) => operand);
  if (operands.length < 2 || operands.includes(undefined)) return undefined;
  return `(${operands.join('&')}&(${headings.map(({ operand }) => operand).join('|')}))`;
}

/**
 * tsquery text for terms at the same distances as in the query; undefined for fewer than `least`, or an unknown one.
 */
function sequenceOf(placed: Placed[], least: number): string | undefined {
  if (placed.length < least) return undefined;
  let sequence = '';
  let before = 0;
  for (const { place, operand } of placed) {
    if (operand === undefined) return undefined;
    sequence += sequence === '' ? operand : ` <${place - before}> ${operand}`;
    before = place;
  }
  return `(${sequence})`;
}

/** The tokens of a query in order; none if they are too many. `labels`: of the positions where they stand. */
function placeTokens(tokens: string[], { known, unknown }: NamedTokens, labels = ''): Placed[] {
  if (tokens.length > ORDERED_TOKENS_MAX) return [];
  return tokens.map((token, place) => {
    const term = known.get(token);
    const { isInformative, isTelling, isWeak } = term ?? unknown.get(token) ?? TELLING;
    return { place, operand: term && ownOperandOf(term, labels), isInformative, isTelling, isWeak };
  });
}

/** The first of the terms with each token. */
const byToken = <Named extends Name>(terms: Named[]): Map<string, Named> =>
  new Map(terms.toReversed().flatMap((term) => term.tokens.map((token) => [token, term])));

/**
 * The informative words of a query that stand side by side there; none where a function word is between them, or where
 * fewer than `least` are no common ones. `How do I restore a backup?` says nothing of a text with "restore the backup".
 */
function sideBySide(placed: Placed[], least: number): Placed[] {
  const isInformative = (each: Placed) => each.isInformative;
  const between = placed.slice(placed.findIndex(isInformative), placed.findLastIndex(isInformative));
  const isBroken = between.some(({ isWeak }) => isWeak);
  const telling = placed.filter(({ isTelling }) => isTelling);
  return isBroken || telling.length < least ? [] : placed.filter(isInformative);
}

const QUESTION_MARK = /[?？؟]\s*$/u;

/**
 * Whether a query asks a question. A text that has it word by word, but not in a heading, only mentions it, as a list
 * of changes does. The section about it answers it.
 */
const isQuestion = (query: string, [first]: Placed[]): boolean =>
  QUESTION_MARK.test(query) || (first?.isWeak ?? false);

/** Ways of writing a query with synonyms. Passages with a further one are found, but come no earlier for it. */
const WRITINGS_MAX = 32;

/** The tokens with each synonym in the place of a span, and as they are. */
function replaceSpans(placed: Placed[], [span, ...others]: SynonymSpan[]): Placed[][] {
  if (span === undefined || placed.length === 0) return [placed];
  const rests = replaceSpans(placed, others);
  const end = span.at + span.length;
  const replaced = rests.flatMap((rest) =>
    span.synonyms.map(({ sequence }) => {
      const moved = sequence.length - span.length;
      const instead = sequence.map((lexeme, i) => ({
        place: span.at + i,
        operand: quoteLexeme(lexeme),
        ...TELLING,
      }));
      const after = rest.filter(({ place }) => place >= end);
      return [
        ...rest.filter(({ place }) => place < span.at),
        ...instead,
        ...after.map((token) => ({ ...token, place: token.place + moved })),
      ];
    }),
  );
  return [...rests, ...replaced].slice(0, WRITINGS_MAX);
}

/** Signs that are no words. */
const SIGNS = /[^\p{L}\p{M}\p{N}]+/gu;
/**
 * A sign that may join words or be a token: a symbol, punctuation within a word, or at its beginning. Other punctuation
 * separates words in any case: to tokenise `وأين؟` once more took a tenth of Node's time for a query.
 */
const JOINED = new RegExp(
  String.raw`[^\p{L}\p{M}\p{N}\p{P}\s]` +
    String.raw`|(?<=[\p{L}\p{N}])(?!['’，。、；：？！])\p{P}(?=[\p{L}\p{N}])` +
    String.raw`|(?<![\p{L}\p{N}])(?![\p{Ps}\p{Pi}\p{Pf}"'¿¡])\p{P}(?=[\p{L}\p{N}])`,
  'u',
);

/** The terms of a query by their tokens: those that passages have, and the others. */
type NamedTokens = { known: ReadonlyMap<string, Term>; unknown: ReadonlyMap<string, Name> };
type QueryWords = { tokens: string[]; terms: Term[]; unknown: Name[]; spans?: SynonymSpan[] };

/**
 * The values of `FULL_MATCH_VALUES`. Words that punctuation joins (`Abs.2`) also match as separate words, which have
 * other places: a compound is a token before the tokens of its parts.
 */
export function fullMatchValues(query: string, words: QueryWords): Record<FullMatchValue, string | null> {
  const isShort = query.length <= ORDERED_MAX_LENGTH && words.tokens.length <= 2 * ORDERED_TOKENS_MAX;
  const apart = isShort && JOINED.test(query) ? [tokenise(query.replace(SIGNS, ' ')).tokens] : [];
  const writings = isShort ? [words.tokens, ...apart] : [];
  const named = { known: byToken(words.terms), unknown: byToken(words.unknown) };
  const placed = (labels?: string) => writings.map((tokens) => placeTokens(tokens, named, labels));
  const inAnyPlace = placed();
  const [asTyped = []] = inAnyPlace;
  const [, ...replaced] = replaceSpans(asTyped, words.spans ?? []);
  // A single word with a synonym of several words must come before that one.
  const least = words.spans?.length ? 1 : 2;
  const sequences = (placed: Placed[][]) => placed.flatMap((each) => sequenceOf(each, least) ?? []);
  const asks = isQuestion(query, asTyped);
  const either = (sequences: (string | undefined)[]) => sequences.filter(Boolean).join('|') || null;
  const informative = words.terms.filter(({ isInformative }) => isInformative);
  return {
    wholeQuery: either(sequences(asks ? placed(HEADINGS) : inAnyPlace)),
    nearlyWhole: either([
      isShort ? inHeadings(words.tokens, named) : undefined,
      ...(asks ? [withHeading(words.tokens, named)] : sequences(replaced)),
    ]),
    wordsInOrder: either([
      ...sequences([...inAnyPlace, ...replaced].map((placed) => sideBySide(placed, least))),
      ...(asks ? sequences([...inAnyPlace, ...replaced]) : []),
    ]),
    allWords: informative.map(operandOf).join('&') || null,
  };
}

/** The values of `FULL_MATCH_VALUES` where the words of a query do not count. */
export const NO_FULL_MATCHES = { wholeQuery: null, nearlyWhole: null, wordsInOrder: null, allWords: null };
