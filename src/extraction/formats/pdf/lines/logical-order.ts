/** Puts lines of Hebrew and Arabic, which a page shows in visual order, into the order in which they are read. */

/** A letter or ligature with its accents, or white space, as a page shows it. */
export type Cluster = { text: string; isRaised: boolean };

/**
 * Script extensions include the marks and signs of these scripts, such as vowels and the line that stretches a word.
 */
const RIGHT_TO_LEFT =
  /[\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Syriac}\p{scx=Thaana}\p{scx=Nko}\p{scx=Mandaic}\p{scx=Samaritan}]/u;
const NUMBER = /^[\p{Nd}]/u;
const LEFT_TO_RIGHT = /^\p{L}/u;
/** Between digits these belong to the number. */
const IN_NUMBER = /^[.,:/\u066b\u066c%+\-\u2212]$/;

type Direction = 'right' | 'left' | 'number' | 'neutral';

function directionOf({ text }: Cluster): Direction {
  if (NUMBER.test(text)) return 'number';
  if (RIGHT_TO_LEFT.test(text)) return 'left';
  return LEFT_TO_RIGHT.test(text) ? 'right' : 'neutral';
}

/** False for nearly all other text, and quick: Hebrew is the first of these scripts in Unicode. */
export const mayRunLeft = (text: string): boolean => text >= '\u0590' && RIGHT_TO_LEFT.test(text);

/**
 * A line from left to right → in the order of reading. It reverses what the Unicode bidirectional algorithm (UAX #9,
 * L2) does for display: stretches that run to the left are turned round, words and numbers inside of them are not.
 */
export function logicalOrder(line: Cluster[]): Cluster[] {
  if (!line.some(({ text }) => mayRunLeft(text))) return line;
  const directions = line.map(directionOf);
  const count = (direction: Direction) => directions.filter((other) => other === direction).length;
  if (count('left') > count('right')) return turnRound(line, directions);
  const ordered: Cluster[] = [];
  for (let i = 0; i < line.length; ) {
    const end = directions[i] === 'left' ? endOfLeft(directions, i) : i + 1;
    ordered.push(...turnRound(line.slice(i, end), directions.slice(i, end)));
    i = end;
  }
  return ordered;
}

/** The end of a stretch that runs to the left: after its last such letter before one that runs to the right. */
function endOfLeft(directions: Direction[], start: number): number {
  let end = start + 1;
  for (let i = start + 1; i < directions.length && directions[i] !== 'right'; i++)
    if (directions[i] === 'left') end = i + 1;
  return end;
}

function turnRound(line: Cluster[], directions: Direction[]): Cluster[] {
  const stretches: Cluster[][] = [];
  for (let i = 0; i < line.length; ) {
    const end = endOfRight(line, directions, i);
    stretches.push(line.slice(i, end));
    i = end;
  }
  return withOpeningFirst(stretches.reverse()).flat();
}

const MIRRORED: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[', '«': '»', '»': '«' };
const CLOSING = /^[)\]»]$/;

/** Brackets are drawn mirrored. Some maps have what is drawn, others what is meant: then an opening one comes first. */
function withOpeningFirst(stretches: Cluster[][]): Cluster[][] {
  const mirrored = ([cluster]: Cluster[]) => MIRRORED[cluster?.text ?? ''];
  const [first] = stretches.find((stretch) => mirrored(stretch) !== undefined) ?? [];
  if (!first || !CLOSING.test(first.text)) return stretches;
  return stretches.map((stretch) => {
    const text = mirrored(stretch);
    return text === undefined ? stretch : stretch.map((cluster) => ({ ...cluster, text }));
  });
}

/** Brackets are looked for so far. */
const BRACKETS_MAX = 30;

/** Whether a bracket has no partner near it: `(Plan B) 12` is two stretches, `Plan (B) 12` one. */
function isUnpaired(line: Cluster[], at: number, start: number): boolean {
  const partner = MIRRORED[line[at]?.text ?? ''];
  if (partner === undefined) return false;
  const near = line.slice(Math.max(start, at - BRACKETS_MAX), at + BRACKETS_MAX);
  return !near.some(({ text }) => text === partner);
}

/**
 * The end of a stretch that keeps its order: a number, words of Latin letters with what stands between them, or one
 * cluster.
 */
function endOfRight(line: Cluster[], directions: Direction[], start: number): number {
  let end = start + 1;
  let isWords = directions[start] === 'right';
  if (!isWords && directions[start] !== 'number') return end;
  for (let i = end; i < line.length && directions[i] !== 'left'; i++) {
    if (directions[i] === 'neutral') {
      if (!isWords && !IN_NUMBER.test(line[i]?.text ?? '')) return end;
      if (isUnpaired(line, i, start)) return end;
      continue;
    }
    if (directions[i] === 'right') isWords = true;
    end = i + 1;
  }
  return end;
}
