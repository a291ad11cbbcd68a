/** Reads metrics in Prometheus's text format, version 0.0.4. The packages on npm that do so are no longer kept. */

/** One value of a metric. Counters of one name differ by their labels. */
export type Sample = { name: string; labels: Readonly<Record<string, string>>; value: number };

/** The text is no metrics, or ends in the middle. */
export class ExpositionError extends Error {}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|(?=\}))/y;
const CLOSE = /\s*\}/y;
/** The longest line of a server has 200 characters. */
const LINE_MAX_LENGTH = 4_096;
/** The value, and the time that may follow it. */
const VALUE = /^\s+([+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf|nan))(?:\s+-?\d+)?\s*$/i;

const ESCAPES: Record<string, string> = { '\\n': '\n', '\\\\': '\\', '\\"': '"' };
const resolveEscapes = (text: string): string => text.replaceAll(/\\./g, (pair) => ESCAPES[pair] ?? pair);

/** `+Inf` → Infinity, `NaN` → NaN */
function toNumber(text: string): number {
  const infinite = /^([+-]?)inf$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

/**
 * Reads the labels that begin after `{` at `from`. Returns them, and where the line goes on after `}`; 0: there is no
 * `}` after them.
 */
function parseLabels(line: string, from: number): { labels: Record<string, string>; end: number } {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = from;
  let end = from;
  for (let found = LABEL.exec(line); found !== null; found = LABEL.exec(line)) {
    const [, name = '', value = ''] = found;
    labels[name] = resolveEscapes(value);
    end = LABEL.lastIndex;
  }
  CLOSE.lastIndex = end;
  return { labels, end: CLOSE.test(line) ? CLOSE.lastIndex : 0 };
}

/** `a{b="c"} 1` → `{ name: 'a', labels: { b: 'c' }, value: 1 }`; undefined: the line has another form. */
function parseSample(line: string): Sample | undefined {
  NAME.lastIndex = 0;
  const [name] = NAME.exec(line) ?? [];
  if (name === undefined) return undefined;
  const hasLabels = line[name.length] === '{';
  const { labels, end } = hasLabels ? parseLabels(line, name.length + 1) : { labels: {}, end: name.length };
  const [, value] = VALUE.exec(line.slice(end)) ?? [];
  return end === 0 || value === undefined ? undefined : { name, labels, value: toNumber(value) };
}

/**
 * Returns the samples in the order of the text.
 * @throws ExpositionError for any line that is neither a sample nor a comment, or too long
 */
export function parseExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new ExpositionError('the text ends in the middle of a line');
  const samples: Sample[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length > LINE_MAX_LENGTH) throw new ExpositionError(`line ${index + 1} is too long`);
    if (line.trim() === '' || line.startsWith('#')) continue;
    const sample = parseSample(line);
    if (sample === undefined) throw new ExpositionError(`line ${index + 1} is no sample`);
    samples.push(sample);
  }
  return samples;
}
