/** Checks the candidate queries against passages that are sets of words. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CandidateQueries, chooseCandidates, type ImpactLevels } from './candidates.ts';

type Match = (contained: ReadonlySet<string>) => boolean;

/**
 * Parses tsquery text of operands, `&`, `|` and brackets. Returns a function that decides whether a passage with these
 * operands matches.
 */
function readQuery(query: string): Match {
  const tokens = query.match(/[()&|]|'[^']*'/g) ?? [];
  expect(tokens.join('')).toBe(query);
  let next = 0;
  const operand = (): Match => {
    const token = tokens[next++] ?? '';
    if (token !== '(') return (contained) => contained.has(token);
    const inside = any();
    expect(tokens[next++]).toBe(')');
    return inside;
  };
  const several = (operator: '&' | '|', part: () => Match): Match[] => {
    const parts = [part()];
    while (tokens[next] === operator) {
      next++;
      parts.push(part());
    }
    return parts;
  };
  const all = (): Match => {
    const parts = several('&', operand);
    return (contained) => parts.every((part) => part(contained));
  };
  const any = (): Match => {
    const parts = several('|', all);
    return (contained) => parts.some((part) => part(contained));
  };
  const match = any();
  expect(next).toBe(tokens.length);
  return match;
}

/**
 * Terms of one level each, by their probabilities. The expected score of a term is -log(probability), as in BM25.
 */
const termsOf = (probabilities: number[]): ImpactLevels[] =>
  probabilities.map((probability, i) => [
    { operand: `'${i}'`, expectedScore: -Math.log(probability), probability },
  ]);

const probabilities = fc.array(fc.double({ min: 1e-4, max: 0.5, noNaN: true }), {
  minLength: 1,
  maxLength: 20,
});

function candidatesAmong(passages: Set<string>[], queries: string[]): Set<string>[] {
  const matches = queries.map(readQuery);
  return passages.filter((contained) => matches.some((match) => match(contained)));
}

/** All tsqueries of a choice. */
const everyQuery = ({ queries, further }: CandidateQueries): string[] => [...queries, ...further];

test('an unlimited budget selects every passage that contains any of the terms', () => {
  const { queries, all } = chooseCandidates(termsOf([0.5, 0.01, 0.2]), {
    passageCount: 1000,
    budget: Number.POSITIVE_INFINITY,
  });
  expect({ queries, all }).toEqual({ queries: ["('0'|'1'|'2')"], all: true });
});

test('a common word alone does not make a candidate when a rare one is in the query', () => {
  const { queries, all } = chooseCandidates(termsOf([0.5, 0.001]), { passageCount: 100_000, budget: 200 });
  expect({ queries, all }).toEqual({ queries: ["'1'"], all: false });
});

test('common words make a candidate together', () => {
  const { queries } = chooseCandidates(termsOf([0.1, 0.1, 0.1]), { passageCount: 10_000, budget: 30 });
  expect(queries).toEqual(["'0'&'1'&'2'"]);
});

test('weak terms make no candidate by themselves, and keep none away', () => {
  const passagesOf = fc.array(fc.array(fc.nat({ max: 19 })), { maxLength: 30 });
  fc.assert(
    fc.property(
      probabilities,
      passagesOf,
      fc.nat(),
      fc.constantFrom(5, 50, 1e9),
      (given, sets, bits, budget) => {
        const terms = termsOf(given);
        const isWeak = (i: number) => i < terms.length && (bits & (1 << i)) !== 0;
        const weak = new Set(terms.filter((_, i) => isWeak(i)));
        const passages = sets.map((words) => new Set(words.map((word) => `'${word}'`)));
        const extent = { passageCount: 1_000, budget };
        const chosen = candidatesAmong(passages, everyQuery(chooseCandidates(terms, { ...extent, weak })));
        const usual = candidatesAmong(passages, everyQuery(chooseCandidates(terms, extent)));
        const isStrong = (passage: Set<string>) => terms.some((_, i) => !isWeak(i) && passage.has(`'${i}'`));
        expect(chosen.filter((passage) => !isStrong(passage))).toEqual([]);
        expect(usual.filter((passage) => isStrong(passage) && !chosen.includes(passage))).toEqual([]);
      },
    ),
  );
});

test('all passages with a term are the only set, if they are few without those of weak terms', () => {
  const terms = termsOf([0.02, 0.1, 0.5, 0.5]);
  const choose = (passageCount: number, budget: number, weak = new Set(terms.slice(2))) =>
    chooseCandidates(terms, { passageCount, budget, weak });
  expect(choose(1_000, 125)).toEqual({ queries: ["('0'|'1')"], further: [], all: true });
  expect(choose(1_000, 115).all).toBe(false);
  expect(choose(1_000, 125, new Set()).all).toBe(false);
  expect(choose(200, 200, new Set()).all).toBe(true);
});

test('a query of one common word selects its dense passages', () => {
  const levels = [
    { operand: "'word'", expectedScore: 1, probability: 0.3 },
    { operand: "'/1/word'", expectedScore: 1.5, probability: 0.02 },
    { operand: "'/2/word'", expectedScore: 1.8, probability: 0.001 },
  ];
  const queriesFor = (budget: number) =>
    everyQuery(chooseCandidates([levels], { passageCount: 10_000, budget }));
  expect(queriesFor(5)).toEqual(["'/2/word'"]);
  expect(queriesFor(30)).toEqual(["'/2/word'"]);
  expect(queriesFor(500)).toEqual(["'/1/word'"]);
  expect(queriesFor(5000)).toEqual(["'word'"]);
});

/** Probability that a passage matches any of the tsqueries, if terms occur independently. */
function probabilityOf(terms: ImpactLevels[], queries: string[]): number {
  const matches = queries.map(readQuery);
  const sum = ([levels, ...others]: ImpactLevels[], contained: Set<string>, probability: number): number => {
    if (levels === undefined) return matches.some((match) => match(contained)) ? probability : 0;
    const absent = 1 - levels.reduce((total, level) => total + level.probability, 0);
    let total = sum(others, contained, probability * absent);
    levels.forEach((level, i) => {
      const operands = levels.slice(0, i + 1).map(({ operand }) => operand);
      total += sum(others, new Set([...contained, ...operands]), probability * level.probability);
    });
    return total;
  };
  return sum(terms, new Set(), 1);
}

/** The terms of INV-2019-020178 among a million passages: the identifier and its number, the year, and INV. */
const IDENTIFIER: ImpactLevels[] = [
  [{ operand: "'inv2019-020178'", expectedScore: 12.6, probability: 1e-6 }],
  [{ operand: "'020178'", expectedScore: 12.6, probability: 1e-6 }],
  [
    { operand: "'2019'", expectedScore: 4.1, probability: 0.02 },
    { operand: "'/1/2019'", expectedScore: 5.8, probability: 4e-6 },
  ],
  [
    { operand: "'inv'", expectedScore: 1.7, probability: 0.2 },
    { operand: "'/1/inv'", expectedScore: 2.4, probability: 0.0014 },
  ],
];

test('a common word of an identifier adds further candidates, and the best of those are candidates anyway', () => {
  const { queries, further, all } = chooseCandidates(IDENTIFIER, { passageCount: 1_000_000, budget: 250 });
  expect(all).toBe(false);
  expect(queries).toEqual(["('inv2019-020178'|'020178')", "'2019'&'/1/inv'", "'/1/2019'&'inv'"]);
  expect(further).toContain("'2019'&'inv'");
});

test('of terms as rare and as common as any, more passages than the budget are further candidates only', () => {
  const term = fc.record({
    rarity: fc.double({ min: 0.5, max: 6, noNaN: true }),
    denseShare: fc.constantFrom(0, 1e-4, 0.01, 0.1),
  });
  fc.assert(
    fc.property(
      fc.array(term, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 20, max: 500 }),
      (some, budget) => {
        const terms = some.map(({ rarity, denseShare }, i): ImpactLevels => {
          const [probability, weight] = [10 ** -rarity, rarity * Math.LN10];
          const once = {
            operand: `'${i}'`,
            expectedScore: weight,
            probability: probability * (1 - denseShare),
          };
          const dense = {
            operand: `'/1/${i}'`,
            expectedScore: 1.4 * weight,
            probability: probability * denseShare,
          };
          return denseShare === 0 ? [once] : [once, dense];
        });
        const chosen = chooseCandidates(terms, { passageCount: 1_000_000, budget });
        expect(1_000_000 * probabilityOf(terms, chosen.queries)).toBeLessThanOrEqual(budget * (1 + 1e-9));
        if (!chosen.all)
          expect(1_000_000 * probabilityOf(terms, everyQuery(chosen))).toBeGreaterThanOrEqual(budget / 4);
      },
    ),
    // All three words are in every thirtieth passage.
    { examples: [[Array.from({ length: 3 }, () => ({ rarity: 0.5, denseShare: 0 })), 20]] },
  );
});

test('a tsquery begins with its rarest operand', () => {
  const levels = fc.tuple(fc.double({ min: 1e-4, max: 0.1, noNaN: true }), fc.boolean());
  fc.assert(
    fc.property(
      fc.array(levels, { minLength: 2, maxLength: 9 }),
      fc.integer({ min: 10, max: 500 }),
      (some, budget) => {
        const terms = some.map(([probability, isDense], i): ImpactLevels => {
          const expectedScore = -Math.log(probability);
          const dense = {
            operand: `'/1/${i}'`,
            expectedScore: 2 * expectedScore,
            probability: isDense ? probability / 20 : 0,
          };
          return [
            { operand: `'${i}'`, expectedScore, probability: probability - dense.probability },
            ...(isDense ? [dense] : []),
          ];
        });
        const probabilityOf = (operand: string) => some[Number(operand.match(/\d+(?=')/)?.[0])]?.[0] ?? 0;
        for (const query of everyQuery(chooseCandidates(terms, { passageCount: 100_000, budget }))) {
          const [first = '', ...others] = query.match(/'[^']*'/g) ?? [];
          if (query.startsWith('(')) continue; // Words that suffice alone.
          for (const other of others)
            expect(probabilityOf(first)).toBeLessThan(probabilityOf(other) * (1 + 1e-9));
        }
      },
    ),
  );
});

test('a passage that contains more terms than a candidate is a candidate', () => {
  fc.assert(
    fc.property(
      probabilities,
      fc.integer({ min: 1, max: 5_000 }),
      fc.infiniteStream(fc.boolean()),
      (some, budget, coin) => {
        const queries = everyQuery(chooseCandidates(termsOf(some), { passageCount: 100_000, budget }));
        expect(queries.length).toBeGreaterThan(0);
        const contained = new Set(some.flatMap((_, i) => (coin.next().value ? [`'${i}'`] : [])));
        const more = new Set([
          ...contained,
          ...some.flatMap((_, i) => (coin.next().value ? [`'${i}'`] : [])),
        ]);
        const [candidates, better] = [
          candidatesAmong([contained], queries),
          candidatesAmong([more], queries),
        ];
        if (candidates.length > 0) expect(better).toHaveLength(1);
      },
    ),
  );
});

test('about as many candidates as the budget, and the best ones, when words are independent', () => {
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
    () => new Set(occurring.flatMap((probability, i) => (random() < probability ? [`'${i}'`] : []))),
  );
  const scoreOf = (contained: Set<string>) =>
    terms.reduce(
      (sum, [level]) => sum + (level && contained.has(level.operand) ? level.expectedScore : 0),
      0,
    );
  const best = passages.toSorted((left, right) => scoreOf(right) - scoreOf(left));
  for (const budget of [50, 200, 800]) {
    const queries = everyQuery(chooseCandidates(terms, { passageCount, budget }));
    const candidates = new Set(candidatesAmong(passages, queries));
    expect(candidates.size).toBeGreaterThan(budget / 3);
    expect(candidates.size).toBeLessThan(budget * 3);
    const found = best.slice(0, budget / 5).filter((contained) => candidates.has(contained));
    expect(found.length / (budget / 5)).toBeGreaterThanOrEqual(0.9);
  }
});

test('the tsqueries of long words with many variants stay below the megabyte that PostgreSQL allows', () => {
  const variants = (term: number, count: number) =>
    `(${Array.from({ length: count }, (_, i) => `'${'ẽ'.repeat(200)}${term}${i}'`).join('|')})`;
  const terms = Array.from({ length: 14 }, (_, term): ImpactLevels => {
    const probability = 0.4 * 0.75 ** term;
    const rarity = Math.log(1 + 1 / probability);
    return [
      { operand: variants(term, 12), expectedScore: 0.28 * rarity, probability: 0.1 * probability },
      { operand: variants(term, 6), expectedScore: 0.9 * rarity, probability },
    ];
  });
  const chosen = chooseCandidates(terms, { passageCount: 3_000, budget: 280 });
  for (const query of everyQuery(chosen)) expect(Buffer.byteLength(query)).toBeLessThan(2 ** 20);
});
