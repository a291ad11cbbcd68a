/** Search results for people. */
import type { ExplainedMeaning, Explanation, SearchResult, TermMatch } from '../../../generated/types.gen.ts';
import { formatPages, foundPlace } from '../../client/found-place.ts';
import { formatScore } from '../../formats/format-score.ts';
import { formatTime } from '../../formats/format-time.ts';
import { pluralise } from '../../terminal/formats.ts';
import { indent, markMatches } from '../../terminal/highlighted-text.ts';
import { print, style, terminalColumns, toVisible, toVisibleLine } from '../../terminal/terminal.ts';

const INDENT = '   ';

/** The names of knowledge bases by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Score, knowledge base, page or time, headings, and where the document is from, as far as they are known. */
function describePlace(result: SearchResult, names: Names): string {
  const { score, location, sourceUrl, externalId, document_id, knowledge_base_id, duplicates = 0 } = result;
  const { headings = [] } = location ?? {};
  const place = foundPlace(result);
  const parts = [
    formatScore(score),
    names.get(knowledge_base_id) ?? '',
    formatPages(place, result.type) ?? '',
    place.time === undefined ? '' : formatTime(place.time),
    headings.join(' › '),
    sourceUrl ?? externalId ?? document_id,
    duplicates === 0 ? '' : `the same text in ${pluralise(duplicates, 'other passage')}`,
  ];
  return parts.filter(Boolean).map(toVisibleLine).join(' · ');
}

/** How a passage has a term that it does not have as a word. */
const MATCHES = {
  completion: 'completed',
  guess: 'no text has it, taken for it',
  synonym: 'by a synonym',
} satisfies Record<Exclude<TermMatch, 'word'>, string>;

/** The words that are near in meaning. `: accommodation ≈ hotel` */
const describePairs = ({ pairs }: ExplainedMeaning): string =>
  pairs.length === 0 ? '' : `: ${pairs.map(({ term, word }) => `${term} ≈ ${word}`).join(', ')}`;

/** One line for each part of the score that is not 0. */
function* explainScore(explanation: Explanation): Generator<string> {
  const { terms, neighbours, feedback, fullMatch, missing, phrases = [], meaning, rerank } = explanation;
  const line = (amount: number, what: string) => `${formatScore(amount).padStart(7)}  ${what}`;
  for (const { term, weight, occurrences, contribution, match, words } of terms) {
    const found = match === 'word' ? '' : `, ${MATCHES[match]}: ${words.join(', ') || 'in the title'}`;
    yield line(
      contribution,
      `${term} (${pluralise(occurrences, 'time')}, weight ${formatScore(weight)}${found})`,
    );
  }
  if (neighbours !== 0) yield line(neighbours, 'neighbouring passages');
  if (feedback !== 0) yield line(feedback, 'similarity to the best passages');
  if (fullMatch !== 0) yield line(fullMatch, 'the words side by side');
  if (meaning) yield line(meaning.contribution, `by meaning${describePairs(meaning)}`);
  if (rerank)
    yield line(rerank.contribution, `by the reranker, which found it in place ${rerank.formerRank}`);
  for (const { phrase, occurrences } of phrases)
    yield `         "${phrase}": ` +
      `${occurrences === 0 ? 'in the title or the headings' : pluralise(occurrences, 'time')}`;
  if (missing.length > 0) yield `         missing: ${missing.join(', ')}`;
}

/**
 * Prints results as a list. In a terminal, matches are marked and lines wrapped. `names`: of the knowledge bases to
 * name, where several were searched.
 */
export function showResults(results: SearchResult[], names: Names): void {
  const columns = terminalColumns();
  const paragraph = (text: string) => {
    for (const line of indent(text.trim(), INDENT, columns).split('\n')) print(line.trimEnd());
  };
  for (const [index, result] of results.entries()) {
    if (index > 0) print('');
    print(`${String(index + 1).padEnd(INDENT.length)}${style('bold', toVisibleLine(result.title))}`);
    paragraph(style('dim', describePlace(result, names)));
    for (const text of result.context?.before ?? []) paragraph(style('dim', toVisible(text)));
    paragraph(
      markMatches(result.content, result.highlights ?? [], (match) => style(['bold', 'yellow'], match)),
    );
    for (const text of result.context?.after ?? []) paragraph(style('dim', toVisible(text)));
    if (result.explanation)
      for (const line of explainScore(result.explanation)) print(INDENT + toVisible(line));
  }
}
