/** Marks the words of a passage that a query has found, and cuts a snippet around them. */
import type { Snippet } from '../../../generated/types.gen.ts';
import { type Span, spanReader } from '../../analysis/token-spans.ts';
import { tokenise } from '../../analysis/tokens.ts';
import type { Phrase } from '../phrases/phrases.ts';
import { withoutQuoted } from '../phrases/quoted-phrases.ts';
import type { NamedTerm } from '../query/query-terms.ts';
import type { ScoredTerm } from '../ranking/term-scores.ts';
import { type Matches, placesOfSequence } from './matches.ts';
import { phraseSpans } from './phrase-marks.ts';

/** Code points of the longest snippet. */
const SNIPPET_MAX = 300;
/** Code points before the first mark of a snippet: they often have the beginning of its sentence. */
const SNIPPET_LEAD = 60;

/** Joins ranges that overlap or adjoin, such as the ranges of a run's bigrams. Ascending. */
function union(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** A single character of a bigram has the bigram's position: its range within `span`. */
function narrow(span: Span, characters: string[], lexeme: string): Span {
  const within = characters.slice(span.start, span.end);
  const at = within.length > 1 && [...lexeme].length === 1 ? within.indexOf(lexeme) : -1;
  return at === -1 ? span : { start: span.start + at, end: span.start + at + 1 };
}

/** The tokens that a query has beside its phrases; all of its tokens where no phrase counts. */
export function freeTokens(query: string, phrases: Phrase[]): ReadonlySet<string> {
  const { tokens, stackedTokens } = tokenise(phrases.length === 0 ? query : withoutQuoted(query));
  return new Set([...tokens, ...stackedTokens]);
}

type Marked = { terms: (ScoredTerm & NamedTerm)[]; phrases: Phrase[]; free: ReadonlySet<string> };

/**
 * The ranges of a passage's content that match the query, in code points, ascending. Where informative words match,
 * stop words and single characters of bigrams are left out: they would mark half of the text. Phrases are marked as a
 * whole, and their words nowhere else; if only the title or the headings have them, their words are marked as others.
 */
export function highlight(content: string, matches: Matches, { terms: all, phrases, free }: Marked): Span[] {
  const characters = [...content];
  const spanOf = spanReader(content);
  const ofPhrases = phraseSpans(phrases, matches, spanOf);
  const terms =
    ofPhrases.length === 0 ? all : all.filter(({ tokens }) => tokens.some((token) => free.has(token)));
  const spansOf = ({ variants }: ScoredTerm): Span[] =>
    variants.flatMap(({ sequence }) =>
      placesOfSequence(sequence, matches.tokens).flatMap((first) =>
        sequence.flatMap((lexeme, i) => {
          const span = spanOf(first + i, lexeme);
          return span === undefined ? [] : [narrow(span, characters, lexeme)];
        }),
      ),
    );
  const informative = terms.filter(({ isInformative }) => isInformative).flatMap(spansOf);
  const ofWords = informative.length + ofPhrases.length > 0 ? informative : terms.flatMap(spansOf);
  return union([...ofPhrases, ...withoutCoincidences(characters, union(ofWords))]);
}

/** Scripts without spaces in which two characters are rarely a word. Of the others, Chinese has most such words. */
const SYLLABIC = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hiragana}]/u;

/** Leaves out single bigrams of syllabic scripts, which match by chance, unless there is nothing else. */
function withoutCoincidences(characters: string[], spans: Span[]): Span[] {
  const chosen = spans.filter(
    ({ start, end }) => end - start > 2 || !SYLLABIC.test(characters.slice(start, end).join('')),
  );
  return chosen.length > 0 ? chosen : spans;
}

/** Code points by which a snippet is shortened at each end at most, to begin and end between words. */
const WORD_REACH = 20;

/** Moves `at` on to the beginning of a word, if one is near. */
function wordStart(characters: string[], at: number): number {
  if (at === 0) return at;
  for (let on = 0; on < WORD_REACH; on++) if (/\s/u.test(characters[at + on - 1] ?? '')) return at + on;
  return at;
}

/** Moves `at` back to the end of a word, if one is near. */
function wordEnd(characters: string[], at: number): number {
  if (at >= characters.length) return characters.length;
  for (let back = 0; back < WORD_REACH; back++) if (/\s/u.test(characters[at - back] ?? '')) return at - back;
  return at;
}

/**
 * The start of the first mark after which a snippet has the most marked characters; 0 without marks. A passage may have
 * hundreds of marks: as they ascend, both ends of the range only move on.
 */
function densestStart(marks: Span[]): number {
  let [best, most, marked, next] = [marks[0]?.start ?? 0, 0, 0, 0];
  for (const [first, { start, end }] of marks.entries()) {
    for (let mark = marks[next]; mark && mark.end <= start + SNIPPET_MAX - SNIPPET_LEAD; mark = marks[++next])
      marked += mark.end - mark.start;
    if (marked > most) [best, most] = [start, marked];
    // A mark that is longer than the range was not counted.
    if (next === first) next++;
    else marked -= end - start;
  }
  return best;
}

/**
 * The part of a content with the most marked characters: SNIPPET_MAX code points at most, begun and ended between words
 * where words have spaces. Without marks, the beginning of the content.
 */
export function cutSnippet(content: string, marks: Span[]): Snippet {
  const characters = [...content];
  if (characters.length <= SNIPPET_MAX) return { text: content, start: 0 };
  const lead = Math.max(0, densestStart(marks) - SNIPPET_LEAD);
  const start = wordStart(characters, Math.min(lead, characters.length - SNIPPET_MAX));
  const end = wordEnd(characters, start + SNIPPET_MAX);
  return { text: characters.slice(start, end).join(''), start };
}
