/**
 * Numbers, dates, identifiers and abbreviations: what texts write in several notations, and which tokens stand for all
 * of them. A text with another notation than the common one has a further token for it. A query looks for the tokens of
 * all notations, and those as it writes them weigh most. So the exact one is found first.
 *
 *   text                     tokens                       further token
 *   1.800                    1.800, 1, 800                none: a query for 1800 looks for 1.800 too
 *   1 800                    1, 800                       =1 800
 *   5.3.2024                 5.3.2024, 5, 3, 2024         =2024-03-05, ^03-05
 *   March 5th                march, 5th, 5                ^03-05
 *   978-3-16-148410-0        978-3-16-148410-0, 978 …     =9783161484100
 *   IT department            it, department               ^IT
 */
import { classesOf, NUMBER, UPPER } from '../characters.ts';
import { asciiDigits } from '../normalise.ts';
import { abbreviationOf, createCapitals } from './capitals.ts';
import { otherIdeographs } from './chinese.ts';
import { compactDate, dateAt, isDate, isDateUnit, otherDates } from './dates.ts';
import { identifierAt, identifierOf, otherIdentifiers } from './identifiers.ts';
import { COMMON_FORM, isHint, readableToken } from './marks.ts';
import { groupsAt, isGrouped, otherNumbers } from './numbers.ts';

/** A further token of a text, and the range of what it stands for in UTF-16 units. */
export type Notation = { token: string; start: number; end: number };

/** UTF-16 units that are read from the beginning of a number: the longest notation is an IBAN with blanks. */
const WINDOW = 64;

/** A piece of a text: a word, number or compound from `at` to `end`. `before` is the word before it, if any. */
export type Piece = { at: number; end: number; before: { start: number; end: number } | undefined };

const isDigit = (text: string, at: number): boolean => (classesOf(text.charCodeAt(at)) & NUMBER) !== 0;

/** A blank, a dot and a blank, a hyphen or a slash. */
const GAP_MAX = 2;
const GAP = /^(?:\.? |[-/.])$/;

/** The word before a number of a date; undefined where another sentence or cell stands between them. */
function wordBefore(text: string, { at, before }: Piece): string | undefined {
  if (before === undefined || at - before.end > GAP_MAX) return undefined;
  return GAP.test(text.slice(before.end, at)) ? text.slice(before.start, before.end) : undefined;
}

/** Whether a blank or a bracket and a further group of a number or an identifier follow at `end`. */
function isContinuedAt(text: string, end: number): boolean {
  const next = text.charAt(end);
  if (next !== ' ' && next !== ')') return false;
  const after = text.charCodeAt(end + 1);
  return (classesOf(after) & (NUMBER | UPPER)) !== 0 || after === BLANK || after === BRACKET;
}

const [BLANK, BRACKET] = [0x20, 0x28];

const windowAt = (text: string, at: number): string => asciiDigits(text.slice(at, at + WINDOW));

/** Numbers and identifiers in several pieces, of which this is the first one. */
function severalAt(text: string, { at, end }: Piece): Notation[] {
  const isFirst = text.charAt(at - 1) !== ' ' || !isDigit(text, at - 2);
  if (!isFirst || !isContinuedAt(text, end)) return [];
  const window = windowAt(text, at);
  const several = groupsAt(window) ?? identifierAt(window);
  return several === undefined ? [] : [{ token: several.token, start: at, end: at + several.length }];
}

/** The notations that begin at the digit of a piece. */
function numbersAt(text: string, piece: Piece): Notation[] {
  const { at, before } = piece;
  const date = dateAt(windowAt(text, at), wordBefore(text, piece));
  if (date === undefined) return severalAt(text, piece);
  const start = date.isAfterMonth ? (before?.start ?? at) : at;
  return date.tokens.map((token) => ({ token, start, end: at + date.length }));
}

/**
 * Returns a function for the further tokens of each piece of a normalised text, in ascending order: none for nearly
 * all. `isPlain`: the piece is one word or number. A call takes a bounded time; all together read each line once.
 */
export function createNotationReader(text: string): (piece: Piece, isPlain: boolean) => Notation[] {
  const areCapitalsTelling = createCapitals(text);
  /** The end of the last identifier of several pieces: its other pieces begin none. */
  let covered = 0;
  return (piece, isPlain) => {
    const { at, end } = piece;
    const isNumber = isDigit(text, at);
    const isCapital = !isNumber && areCapitals(text, at);
    if (at < covered || (isPlain && !isNumber && !isCapital)) return [];
    const notations = isNumber ? numbersAt(text, piece) : isCapital ? severalAt(text, piece) : [];
    const abbreviation = isCapital ? abbreviationOf(text.slice(at, end)) : undefined;
    if (abbreviation !== undefined && areCapitalsTelling(at))
      notations.push({ token: abbreviation, start: at, end });
    for (const notation of notations) covered = Math.max(covered, notation.end);
    const identifier = isPlain || notations.length > 0 ? undefined : identifierOf(text.slice(at, end));
    if (identifier !== undefined) notations.push({ token: identifier, start: at, end });
    return notations;
  };
}

/** Whether a capital and a second one, a dot or a digit stand at `at`. */
function areCapitals(text: string, at: number): boolean {
  if ((classesOf(text.charCodeAt(at)) & UPPER) === 0) return false;
  return (classesOf(text.charCodeAt(at + 1)) & (UPPER | NUMBER)) !== 0 || text.charAt(at + 1) === '.';
}

const DIGIT = /\p{N}/u;

/** The common form of a compound that is a date or an identifier. */
function commonFormOf(compound: string): string | undefined {
  const date = dateAt(asciiDigits(compound), undefined);
  if (date?.length === compound.length) return date.tokens.find((token) => token.startsWith(COMMON_FORM));
  return identifierOf(compound);
}

/**
 * The other tokens by which a token of a query finds the same number, date or identifier, or the same Chinese
 * characters. `mayBeChinese`: see there.
 */
export function otherNotations(token: string, isChinese: boolean): string[] {
  if (isHint(token)) return [];
  if (!DIGIT.test(token)) return isChinese ? otherIdeographs(token) : [];
  const numbers = otherNumbers(token);
  const form = token.startsWith(COMMON_FORM) ? token : commonFormOf(token);
  if (form === undefined || numbers.length > 0)
    return [...numbers, ...otherIdentifiers(token), ...compactDate(token)];
  return [form, ...otherDates(form), readableToken(form)].filter((other) => other !== token);
}

/** Digits of an identifier without separators whose beginning is no word: `001a2b3c4d5e`, but not `fy2023q1`. */
const LONG_DIGITS = /(?:\d[^\d]*){7}/;

/** Whether a token is a date, an identifier or a grouped number, whose parts mean little: `800` in `1.800`. */
const isWhole = (token: string): boolean =>
  DIGIT.test(token) &&
  (isGrouped(token) ||
    commonFormOf(token) !== undefined ||
    (LONG_DIGITS.test(token) && otherIdentifiers(readableToken(token)).length > 0));

/** Returns whether a token is only a part of another one of these tokens of a query. */
export function createPartTest(tokens: string[]): (token: string) => boolean {
  const wholes = tokens.filter(isWhole);
  const hasDate = wholes.some(isDate);
  return (token) =>
    DIGIT.test(token)
      ? wholes.some((whole) => whole.length > token.length && whole.includes(token))
      : hasDate && isDateUnit(token);
}
