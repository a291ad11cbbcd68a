/** Chooses the phrases of a query that count as phrases: those that passages have. Of the others the words count. */
import type { Phrase } from './phrases.ts';

/**
 * Passages that are read at most to find which phrases occur. If no passage has all phrases of a query, each is looked
 * for on its own, phrases of rare words first. Of 180,000 English passages, to read all with four common words takes a
 * quarter of a second of a core; without this bound, eight such phrases took two.
 */
const CHECKED_PASSAGES_MAX = 200_000;

/**
 * - `rank` ranks the passages that have all of the phrases, or, without any, those with words of the query. Empty if
 *   there are none. `findsAny`: whether there is one is all that counts.
 * - `passagesMax`: the most passages that are read to find one with the phrase.
 */
type Ranking<Passage> = {
  rank(phrases: Phrase[], options: { findsAny: boolean }): Promise<Passage[]>;
  passagesMax(phrase: Phrase): number;
};

/** The phrases that passages have. One is looked for after the other, so that a query takes one connection. */
async function findHeld<Passage>(
  phrases: Phrase[],
  { rank, passagesMax }: Ranking<Passage>,
): Promise<Phrase[]> {
  const held = new Set<Phrase>();
  let passages = 0;
  const rarestFirst = phrases
    .map((phrase) => ({ phrase, most: passagesMax(phrase) }))
    .sort((left, right) => left.most - right.most);
  for (const { phrase, most } of rarestFirst) {
    passages += most;
    if (passages > CHECKED_PASSAGES_MAX) break;
    if ((await rank([phrase], { findsAny: true })).length > 0) held.add(phrase);
  }
  return phrases.filter((phrase) => held.has(phrase));
}

/**
 * Returns the passages with all `held` phrases: of the query's phrases those that passages have. If none has all of
 * them, no phrase is held, and passages count by their words alone.
 */
export async function rankWithPhrases<Passage>(
  phrases: Phrase[],
  ranking: Ranking<Passage>,
): Promise<{ found: Passage[]; held: Phrase[] }> {
  const rankBy = (held: Phrase[]) => ranking.rank(held, { findsAny: false });
  const possible = phrases.filter(({ spellings }) => spellings.length > 0);
  if (possible.length > 0) {
    const found = await rankBy(possible);
    if (found.length > 0) return { found, held: possible };
  }
  if (possible.length > 1) {
    const held = await findHeld(possible, ranking);
    const found = held.length > 0 && held.length < possible.length ? await rankBy(held) : [];
    if (found.length > 0) return { found, held };
  }
  return { found: await rankBy([]), held: [] };
}
