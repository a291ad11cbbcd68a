/** The impact levels of terms with synonyms. */
import { expect, test } from 'vitest';
import { impactTierLexeme } from '../../indexing/postings/impact-tiers.ts';
import { levelsOf } from './impact-levels.ts';

/** The counts of a lexeme and of its impact tiers. */
const tiered = (lexeme: string, [all = 0, ...ofTiers]: number[]): [string, number][] => [
  [lexeme, all],
  ...ofTiers.map((count, tier): [string, number] => [impactTierLexeme(lexeme, tier), count]),
];

const index = {
  passageCount: 100_000,
  frequencies: new Map([
    ...tiered('laptop', [100]),
    ...tiered('notebook', [300]),
    ...tiered('computer', [20_000, 4_000, 600, 100]),
  ]),
};
const synonym = (lexeme: string, weight: number, count: number) => ({ sequence: [lexeme], weight, count });

test('a common synonym has impact tiers, so that few of its passages are candidates of a rare word', () => {
  const levels = levelsOf(
    {
      main: { known: ['laptop'], weight: 5 },
      further: { known: [], weight: 0 },
      synonyms: [synonym('notebook', 4.5, 300), synonym('computer', 3, 20_000)],
    },
    index,
  );
  const passages = levels.map(({ operand, probability }) => [operand, Math.round(probability * 100_000)]);
  expect(passages).toEqual([
    ["('notebook'|'laptop'|'computer')", 16_000],
    ["('notebook'|'laptop'|'/1/computer')", 3_400],
    ["('notebook'|'laptop'|'/2/computer')", 200],
    ["('laptop'|'/2/computer')", 500],
    ["('laptop'|'/3/computer')", 100],
    ["'/3/computer'", 100],
  ]);
});
