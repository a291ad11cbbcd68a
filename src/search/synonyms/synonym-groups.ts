/** Groups of synonyms as their users set them: their terms as tokens, and what the schema cannot check of them. */

import type { SynonymGroup } from '../../../generated/types.gen.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { validationFailed } from '../../terms/errors.ts';

export type { SynonymGroup };

/** Words of a term, compounds and their parts included; of a script without spaces, pairs of characters. */
const TOKENS_MAX = 16;
/** Terms in all groups together: so many fit into a body (`x-maxValues` in the spec). */
const TERMS_MAX = 5_000;

/**
 * The tokens of a term, in all ways in which it can be written: as it is, and with its words apart (`Wi-Fi` and `Wi
 * Fi`), because a compound is a token before the tokens of its parts.
 */
export function writingsOf(term: string): string[][] {
  const apart = term.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  const writings = [term, apart].map((text) => tokenise(text).tokens).filter(({ length }) => length > 0);
  return writings.filter(
    (tokens, i) => writings.findIndex((other) => other.join(' ') === tokens.join(' ')) === i,
  );
}

/** The problems of a list of terms, by the index of the term. */
function problemsOf(terms: string[]): [number, string][] {
  const firsts = new Map<string, number>();
  return terms.flatMap((term, i): [number, string][] => {
    const [tokens] = writingsOf(term);
    if (tokens === undefined) return [[i, 'must have a letter or digit']];
    if (tokens.length > TOKENS_MAX)
      return [
        [
          i,
          `must have at most ${TOKENS_MAX} words; without spaces between words, ${TOKENS_MAX + 1} characters`,
        ],
      ];
    const written = tokens.join(' ');
    const first = firsts.get(written);
    if (first !== undefined) return [[i, `is the same term as "${terms[first]}" before it`]];
    firsts.set(written, i);
    return [];
  });
}

/** The problems of one group, by the field within it. */
function problemsIn({ terms, finds }: SynonymGroup): [string, string][] {
  if (finds === undefined && terms.length < 2)
    return [['terms', 'must have at least 2 terms, or `finds` must say what the one finds']];
  const problems = [...terms, ...(finds ?? [])];
  return problemsOf(problems).map(([i, problem]) => [
    i < terms.length ? `terms.${i}` : `finds.${i - terms.length}`,
    problem,
  ]);
}

/**
 * Checks groups that fit their schema. A term may be in several groups, and then has the synonyms of all.
 * @throws INPUT_VALIDATION_FAILED that names the fields: a term without a word, with too many, or twice in its group
 */
export function requireValidGroups(groups: SynonymGroup[]): void {
  const termCount = groups.reduce((sum, { terms, finds = [] }) => sum + terms.length + finds.length, 0);
  if (termCount > TERMS_MAX)
    throw validationFailed([], {
      groups: [`must have at most ${TERMS_MAX} terms together, but have ${termCount}`],
    });
  const problems = groups.flatMap((group, i) =>
    problemsIn(group).map(([field, problem]): [string, string[]] => [`groups.${i}.${field}`, [problem]]),
  );
  if (problems.length > 0) throw validationFailed([], Object.fromEntries(problems));
}
