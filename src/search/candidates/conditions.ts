/** Writes conditions on the terms of a passage as tsquery text. candidates.ts says which conditions. */

/** A condition on a passage: tsquery text and the number of its operands. `true` is always met, `false` never. */
export type Condition = { text: string; operands: number } | boolean;

/** The condition that any of the conditions is met. */
export function anyOf(conditions: Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const texts = new Map<string, number>();
  for (const condition of conditions) {
    if (typeof condition === 'object') texts.set(condition.text, condition.operands);
  }
  if (texts.size === 0) return false;
  const operands = [...texts.values()].reduce((sum, count) => sum + count, 0);
  const text = [...texts.keys()].join('|');
  return { text: texts.size === 1 ? text : `(${text})`, operands };
}

/** The condition that both are met. */
export function bothOf(left: Condition, right: Condition): Condition {
  if (left === false || right === false) return false;
  if (left === true) return right;
  if (right === true) return left;
  return { text: `${left.text}&${right.text}`, operands: left.operands + right.operands };
}

const isSame = (left: Condition, right: Condition): boolean =>
  left === right || (typeof left === 'object' && typeof right === 'object' && left.text === right.text);

const operandsOf = (condition: Condition): number => (typeof condition === 'object' ? condition.operands : 0);

/** A term's levels in ascending order, with their expected scores in steps of the threshold. */
type StepLevels = { operand: string; steps: number }[];

/** The steps that the terms from index `from` up to `to` reach together at most. */
function createReachable(terms: StepLevels[]): (from: number, to: number) => number {
  const most = terms.map((levels) => levels[levels.length - 1]?.steps ?? 0);
  return (from, to) => most.slice(from, to).reduce((sum, steps) => sum + steps, 0);
}

/**
 * Returns a function for the condition "the terms from index `from` up to, but without, `to` reach `needed` steps". It
 * splits the terms in two, after the first or in the middle, whichever makes the condition shorter.
 */
export function createConditions(
  terms: StepLevels[],
): (from: number, to: number, needed: number) => Condition {
  const known = new Map<string, Condition>();
  const reachable = createReachable(terms);

  const splitAt = (split: number, from: number, to: number, needed: number): Condition => {
    const alternatives: Condition[] = [];
    let previousRight: Condition = false;
    for (let steps = 0; steps <= needed; steps++) {
      const left = conditionOn(from, split, steps);
      if (left === false) break;
      // Several numbers of steps may have the same left side. The highest of them needs the least from the right side.
      if (steps < needed && isSame(left, conditionOn(from, split, steps + 1))) continue;
      const right = conditionOn(split, to, needed - steps);
      if (right !== false && !isSame(right, previousRight)) alternatives.push(bothOf(left, right));
      previousRight = right;
    }
    return anyOf(alternatives);
  };
  const conditionOn = (from: number, to: number, needed: number): Condition => {
    if (needed <= 0) return true;
    if (reachable(from, to) < needed) return false;
    const key = `${from} ${to} ${needed}`;
    let condition = known.get(key);
    if (condition === undefined) {
      condition = to - from === 1 ? lowestLevel(terms[from] ?? [], needed) : shorterOf(from, to, needed);
      known.set(key, condition);
    }
    return condition;
  };
  const shorterOf = (from: number, to: number, needed: number): Condition => {
    const afterFirst = splitAt(from + 1, from, to, needed);
    const middle = (from + to) >> 1;
    if (middle === from + 1) return afterFirst;
    const inMiddle = splitAt(middle, from, to, needed);
    return operandsOf(inMiddle) < operandsOf(afterFirst) ? inMiddle : afterFirst;
  };
  return conditionOn;
}

/** The lowest level that reaches `needed` steps. */
function lowestLevel(levels: StepLevels, needed: number): Condition {
  const level = levels.find(({ steps }) => steps >= needed);
  return level === undefined ? false : { text: level.operand, operands: 1 };
}
