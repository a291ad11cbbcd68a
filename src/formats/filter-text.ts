/**
 * Filters as text, such as `year >= 2025 and team = "sales"`, and the JSON that the interface has for them.
 * docs/filters.md describes the language. Service, console and command read it here.
 */
type Value = string | number | boolean;
type Comparison = { type: string; key: string; value?: Value | Value[] };
/** A filter in the form of the interface. Its bounds are not checked here. */
export type ParsedFilter = Comparison | { type: 'and' | 'or' | 'not'; filters: ParsedFilter[] };

/** A text that is no filter. `position`: the first character that is wrong, from 1, in code points. */
export class FilterTextError extends Error {
  readonly position: number;
  constructor(expected: string, { text, at, found }: { text: string; at: number; found: string }) {
    const position = [...text.slice(0, at)].length + 1;
    super(`at character ${position}: expected ${expected}, not ${found === '' ? 'the end' : found}`);
    this.position = position;
  }
}

/** `kind`: what the characters are; a word is a name, a number or a text without quotes. `value`: without quotes. */
type Token = { kind: 'word' | 'quoted' | 'sign' | 'end'; value: string; at: number; source: string };

/** Opening quotation mark → those that close it, as word processors and telephones of any language write them. */
const CLOSING: Record<string, string> = {
  ...{
    '"': '"',
    "'": "'",
    '“': '”“',
    '”': '”',
    '„': '“”',
    '«': '»',
    '»': '«',
    '「': '」',
    '『': '』',
    '＂': '＂',
  },
  ...{ '‘': '’‘', '’': '’', '‚': '‘’', '‹': '›', '›': '‹' },
};
const QUOTED = Object.entries(CLOSING).map(([open, close]) => `${open}(?:[^${close}\\\\]|\\\\.)*[${close}]`);
const [NO_WORD, NO_BEGINNING] = ['\\s"\'“”„«»「」『』＂<>!=≤≥≠(),[\\]&|', '‘’‚‹›'];
/**
 * No two alternatives begin with the same character, so that the time is linear. An apostrophe may be within a word.
 */
const TOKEN = new RegExp(
  `\\s*(?:(?<quoted>${QUOTED.join('|')})|(?<sign>[<>!=]=|<>|&&|\\|\\||[=<>≤≥≠(),[\\]])|` +
    `(?<word>[^${NO_WORD}${NO_BEGINNING}][^${NO_WORD}]*))`,
  'suy',
);
const SPACE = /\s*/uy;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NAME = /^(?:[A-Za-z0-9_.-]{1,64}|\$(?:type|title|sourceUrl|createdAt))$/;
const SIGNS: Record<string, string> = {
  ...{ '=': 'eq', '==': 'eq', '!=': 'ne', '<>': 'ne', '≠': 'ne' },
  ...{ '>': 'gt', '>=': 'gte', '≥': 'gte', '<': 'lt', '<=': 'lte', '≤': 'lte' },
};
export const KEYWORDS = ['and', 'or', 'not', 'in', 'contains', 'exists', 'between'];
/** Deeper or longer ones exceed the bounds of a filter anyhow, whose errors speak of its JSON. */
const [DEPTH_MAX, COMPARISONS_MAX] = [32, 64];

/** The escapes of JSON. */
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const unquote = (source: string): string =>
  source
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code?: string, escaped = '') =>
      code === undefined ? (ESCAPES[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16)),
    );

function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let index = 0;
  const end = text.trimEnd().length;
  while (index < end) {
    TOKEN.lastIndex = index;
    const found = TOKEN.exec(text);
    if (found === null) {
      SPACE.lastIndex = index;
      const at = index + (SPACE.exec(text)?.[0].length ?? 0);
      const closing = CLOSING[text[at] ?? ''];
      const isOpen = closing !== undefined;
      const expected = isOpen ? `a closing ${closing[0]}` : 'a name, a value or a comparison';
      throw new FilterTextError(expected, {
        text,
        at: isOpen ? end : at,
        found: isOpen ? '' : (text[at] ?? ''),
      });
    }
    const { quoted, sign, word } = found.groups ?? {};
    const source = quoted ?? sign ?? word ?? '';
    const kind = quoted !== undefined ? 'quoted' : sign !== undefined ? 'sign' : 'word';
    const at = TOKEN.lastIndex - source.length;
    tokens.push({ kind, value: quoted === undefined ? source : unquote(source), at, source });
    index = TOKEN.lastIndex;
  }
  return [...tokens, { kind: 'end', value: '', at: end, source: '' }];
}

/** The keyword or sign that a token is; `''`: it is neither. */
function operatorOf({ kind, value }: Token): string {
  if (kind === 'sign') return { '&&': 'and', '||': 'or' }[value] ?? value;
  const word = kind === 'word' ? value.toLowerCase() : '';
  return KEYWORDS.includes(word) ? word : '';
}

/** The tokens of a text from left to right. `takes`: takes the next token if it is this keyword or sign. */
function createTokens(text: string) {
  const tokens = readTokens(text);
  let [next, comparisons] = [0, 0];
  const peek = (): Token => tokens[next] as Token; // the last token is the end, which nothing takes
  const refuse = (expected: string) =>
    new FilterTextError(expected, { text, at: peek().at, found: peek().source });
  const takes = (operator: string): boolean => {
    if (operatorOf(peek()) !== operator) return false;
    next += 1;
    return true;
  };
  return {
    peek,
    refuse,
    takes,
    /** Call it before each comparison. @throws FilterTextError where there are too many */
    countComparison(): void {
      comparisons += 1;
      if (comparisons > COMPARISONS_MAX) throw refuse(`at most ${COMPARISONS_MAX} conditions`);
    },
    /** @throws FilterTextError unless the next token is this keyword or sign */
    require(operator: string, expected: string): void {
      if (!takes(operator)) throw refuse(expected);
    },
    take(): Token {
      const token = peek();
      next += 1;
      return token;
    },
  };
}

type Tokens = ReturnType<typeof createTokens>;

function readValue({ peek, refuse, take }: Tokens): Value {
  const { kind, value } = peek();
  if (kind === 'quoted') return take().value;
  if (kind !== 'word' || operatorOf(peek()) !== '') throw refuse('a value, such as 2026, true or "sales"');
  take();
  if (value === 'true' || value === 'false') return value === 'true';
  const number = NUMBER.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : value;
}

/** A value as it is written: a part of a text. */
function readPart(tokens: Tokens): string {
  const { value: written } = tokens.peek();
  readValue(tokens);
  return written;
}

/** A value that comes before or after others. */
function readBound(tokens: Tokens): Value {
  const { kind, value: written } = tokens.peek();
  if (kind === 'word' && (written === 'true' || written === 'false'))
    throw tokens.refuse('a number or a text, such as 2026 or "b"');
  return readValue(tokens);
}

function readList(tokens: Tokens): Value[] {
  const close = tokens.takes('[') ? ']' : ')';
  if (close === ')') tokens.require('(', 'a list, such as (2025, 2026)');
  const values: Value[] = [];
  while (!tokens.takes(close)) {
    if (values.length > 0) tokens.require(',', `a comma or ${close}`);
    values.push(readValue(tokens));
  }
  return values;
}

function readName({ peek, refuse, take }: Tokens): string {
  const token = peek();
  const isName = token.kind === 'quoted' || (token.kind === 'word' && operatorOf(token) === '');
  if (!isName || !NAME.test(token.value))
    throw refuse('the name of an attribute, or $type, $title, $sourceUrl or $createdAt');
  return take().value;
}

function readComparison(tokens: Tokens): ParsedFilter {
  const { peek, refuse, takes, take } = tokens;
  tokens.countComparison();
  const key = readName(tokens);
  const type = SIGNS[operatorOf(peek())];
  if (type !== undefined) {
    take();
    return { type, key, value: type === 'eq' || type === 'ne' ? readValue(tokens) : readBound(tokens) };
  }
  const isNegated = takes('not');
  if (takes('in')) return { type: isNegated ? 'nin' : 'in', key, value: readList(tokens) };
  const negate = (filter: ParsedFilter): ParsedFilter =>
    isNegated ? { type: 'not', filters: [filter] } : filter;
  if (takes('contains')) return negate({ type: 'contains', key, value: readPart(tokens) });
  if (takes('exists')) return negate({ type: 'exists', key });
  if (!takes('between')) throw refuse('=, !=, <, <=, >, >=, in, not in, contains, exists or between');
  const from = { type: 'gte', key, value: readBound(tokens) };
  tokens.require('and', 'and');
  return negate({ type: 'and', filters: [from, { type: 'lte', key, value: readBound(tokens) }] });
}

function readCondition(tokens: Tokens, depth: number): ParsedFilter {
  if (depth > DEPTH_MAX) throw tokens.refuse(`at most ${DEPTH_MAX} levels`);
  if (tokens.takes('not')) return { type: 'not', filters: [readCondition(tokens, depth + 1)] };
  if (!tokens.takes('(')) return readComparison(tokens);
  const inner = readGroup(tokens, depth + 1);
  tokens.require(')', 'and, or or )');
  return inner;
}

function readJoined(tokens: Tokens, type: 'and' | 'or', readOne: () => ParsedFilter): ParsedFilter {
  const first = readOne();
  const filters = [first];
  while (tokens.takes(type)) filters.push(readOne());
  return filters.length === 1 ? first : { type, filters };
}

const readGroup = (tokens: Tokens, depth: number): ParsedFilter =>
  readJoined(tokens, 'or', () => readJoined(tokens, 'and', () => readCondition(tokens, depth)));

/** Each function above reads one part of a filter, from the next token on; this one reads all of it. */
function readWhole(text: string): ParsedFilter {
  const tokens = createTokens(text);
  const filter = readGroup(tokens, 0);
  if (tokens.peek().kind !== 'end') throw tokens.refuse('and, or or the end');
  return filter;
}

/** The value of JSON; undefined: the text is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Reads a filter: `year >= 2025` → `{ type: 'gte', key: 'year', value: 2025 }`. JSON is read as it is, and a text in
 * JSON as the text, since some clients write every parameter as JSON.
 * @throws FilterTextError
 */
export function parseFilterText(text: string): unknown {
  const encoded = readJson(text);
  const written = typeof encoded === 'string' ? encoded : text;
  const json = typeof encoded === 'string' ? readJson(encoded) : encoded;
  if (typeof json === 'object' && json !== null) return json;
  if (/^\s*\{/u.test(written)) throw new FilterTextError('valid JSON', { text: written, at: 0, found: '{' });
  return readWhole(written);
}
