/** Groups of synonyms as lines that people write: `PTO, paid time off` and `laptop => ThinkPad, MacBook`. */
import type { SynonymGroup } from '../../generated/types.gen.ts';

/** Before a comma, an arrow or a backslash that belongs to a term. At the beginning of a line: before a number sign. */
const escapeTerm = (term: string): string => term.replace(/\\|,|=>|^#/g, '\\$&');

const formatTerms = (terms: string[]): string => terms.map(escapeTerm).join(', ');

/** One line for each group. */
export const formatSynonyms = (groups: SynonymGroup[]): string =>
  groups
    .map(({ terms, finds }) => formatTerms(terms) + (finds ? ` => ${formatTerms(finds)}` : ''))
    .join('\n');

/** A line's parts: `sides` of its arrows, each with its terms. A backslash takes the meaning from what follows it. */
function splitLine(line: string): string[][] {
  const sides: string[][] = [['']];
  const pieces = line.match(/\\=>|\\.|=>|,|[^\\,=]+|./gsu) ?? [];
  for (const piece of pieces) {
    const terms = sides.at(-1) ?? [];
    if (piece === '=>') sides.push(['']);
    else if (piece === ',') terms.push('');
    else terms[terms.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
  }
  return sides.map((terms) => terms.map((term) => term.trim()).filter((term) => term !== ''));
}

/**
 * The groups in such lines, as Solr and Elasticsearch have them. Empty lines, and those that begin with `#`, are none.
 * @throws {SyntaxError} a sentence about the first line that is no group, with its number
 */
export function parseSynonyms(text: string): SynonymGroup[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
    const [terms = [], finds, ...others] = splitLine(line);
    if (others.length > 0) throw new SyntaxError(`Line ${i + 1} has two arrows (=>).`);
    if (terms.length === 0 || finds?.length === 0)
      throw new SyntaxError(`Line ${i + 1} has no terms on a side of its arrow (=>).`);
    if (finds === undefined && terms.length === 1)
      throw new SyntaxError(
        `Line ${i + 1} has one term only: write PTO, paid time off; or laptop => ThinkPad.`,
      );
    return [{ terms, ...(finds && { finds }) }];
  });
}
