/** Checks the candidate queries against passages that are sets of words. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseCandidates, type TermLevels } from './candidates.ts';

type Match = (held: ReadonlySet<string>) => boolean;

/**
 * Parses tsquery text of operands, `&`, `|` and brackets. Returns whether a passage that holds some operands matches.
 */
function readQuery(query: string): Match {
  const tokens = query.match(/[()&|]|'[^']*'/g) ?? [];
  expect(tokens.join('')).toBe(query);
  let place = 0;
  const operand = (): Match => {
    const token = tokens[place++] ?? '';
    if (token !== '(') return (held) => held.has(token);
    const inside = any();
    expect(tokens[place++]).toBe(')');
    return inside;
  };
  const several = (sign: '&' | '|', part: () => Match): Match[] => {
    const parts = [part()];
    while (tokens[place] === sign) {
      place++;
      parts.push(part());
    }
    return parts;
  };
  const all = (): Match => {
    const parts = several('&', operand);
    return (held) => parts.every((part) => part(held));
  };
  const any = (): Match => {
    const parts = several('|', all);
    return (held) => parts.some((part) => part(held));
  };
  const match = any();
  expect(place).toBe(tokens.length);
  return match;
}

/**
 * Terms of one level each, by the share of passages that hold them. A term's expected score is -log(share), as in BM25.
 */
const termsOf = (shares: number[]): TermLevels[] =>
  shares.map((share, i) => [{ operand: `'${i}'`, worth: -Math.log(share), share }]);

const shares = fc.array(fc.double({ min: 1e-4, max: 0.5, noNaN: true }), { minLength: 1, maxLength: 20 });

function candidatesAmong(passages: Set<string>[], queries: string[]): Set<string>[] {
  const matches = queries.map(readQuery);
  return passages.filter((held) => matches.some((match) => match(held)));
}

test('an unlimited budget asks for every passage that holds any of the terms', () => {
  const { queries, all } = chooseCandidates(termsOf([0.5, 0.01, 0.2]), {
    passageCount: 1000,
    budget: Number.POSITIVE_INFINITY,
  });
  expect({ queries, all }).toEqual({ queries: ["('0'|'1'|'2')"], all: true });
});

test('a common word beside a rare one is not asked for alone', () => {
  const { queries, all } = chooseCandidates(termsOf([0.5, 0.001]), { passageCount: 100_000, budget: 200 });
  expect({ queries, all }).toEqual({ queries: ["'1'"], all: false });
});

test('common words are asked for together', () => {
  const { queries } = chooseCandidates(termsOf([0.1, 0.1, 0.1]), { passageCount: 10_000, budget: 50 });
  expect(queries).toEqual(["'0'&'1'&'2'"]);
});

test('a common word alone is asked for by its dense passages', () => {
  const levels = [
    { operand: "'word'", worth: 1, share: 0.3 },
    { operand: "'/1/word'", worth: 1.5, share: 0.02 },
    { operand: "'/2/word'", worth: 1.8, share: 0.001 },
  ];
  const asked = (budget: number) => chooseCandidates([levels], { passageCount: 10_000, budget }).queries;
  expect(asked(5)).toEqual(["'/2/word'"]);
  expect(asked(50)).toEqual(["'/2/word'"]);
  expect(asked(500)).toEqual(["'/1/word'"]);
  expect(asked(5000)).toEqual(["'word'"]);
});

test('what a tsquery begins with is no more common than what else it asks for', () => {
  const levels = fc.tuple(fc.double({ min: 1e-4, max: 0.1, noNaN: true }), fc.boolean());
  fc.assert(
    fc.property(
      fc.array(levels, { minLength: 2, maxLength: 9 }),
      fc.integer({ min: 10, max: 500 }),
      (some, budget) => {
        const terms = some.map(([share, isDense], i): TermLevels => {
          const worth = -Math.log(share);
          const dense = { operand: `'/1/${i}'`, worth: 2 * worth, share: isDense ? share / 20 : 0 };
          return [{ operand: `'${i}'`, worth, share: share - dense.share }, ...(isDense ? [dense] : [])];
        });
        const shareOf = (operand: string) => some[Number(operand.match(/\d+(?=')/)?.[0])]?.[0] ?? 0;
        for (const query of chooseCandidates(terms, { passageCount: 100_000, budget }).queries) {
          const [first = '', ...others] = query.match(/'[^']*'/g) ?? [];
          if (query.startsWith('(')) continue; // Words that suffice alone.
          for (const other of others) expect(shareOf(first)).toBeLessThan(shareOf(other) * (1 + 1e-9));
        }
      },
    ),
  );
});

test('who holds more terms than a candidate is a candidate', () => {
  fc.assert(
    fc.property(
      shares,
      fc.integer({ min: 1, max: 5_000 }),
      fc.infiniteStream(fc.boolean()),
      (some, budget, coin) => {
        const { queries } = chooseCandidates(termsOf(some), { passageCount: 100_000, budget });
        expect(queries.length).toBeGreaterThan(0);
        const held = new Set(some.flatMap((_, i) => (coin.next().value ? [`'${i}'`] : [])));
        const more = new Set([...held, ...some.flatMap((_, i) => (coin.next().value ? [`'${i}'`] : []))]);
        const [candidates, better] = [candidatesAmong([held], queries), candidatesAmong([more], queries)];
        if (candidates.length > 0) expect(better).toHaveLength(1);
      },
    ),
  );
});

test('about as many candidates as the budget, and the most valuable ones, where words are independent', () => {
  const passageCount = 20_000;
  const occurring = [0.001, 0.002, 0.004, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25];
  const terms = termsOf(occurring);
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const passages = Array.from(
    { length: passageCount },
    () => new Set(occurring.flatMap((share, i) => (random() < share ? [`'${i}'`] : []))),
  );
  const worthOf = (held: Set<string>) =>
    terms.reduce((sum, [level]) => sum + (level && held.has(level.operand) ? level.worth : 0), 0);
  const best = passages.toSorted((left, right) => worthOf(right) - worthOf(left));
  for (const budget of [50, 200, 800]) {
    const { queries } = chooseCandidates(terms, { passageCount, budget });
    const candidates = new Set(candidatesAmong(passages, queries));
    expect(candidates.size).toBeGreaterThan(budget / 3);
    expect(candidates.size).toBeLessThan(budget * 3);
    const found = best.slice(0, budget / 5).filter((held) => candidates.has(held));
    expect(found.length / (budget / 5)).toBeGreaterThan(0.97);
  }
});
