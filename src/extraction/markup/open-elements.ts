/**
 * The stack of a page's open elements. Repairs wrong nesting as browsers do (HTML standard, 13.2.6), as far as it
 * decides what is a heading, a row or a cell: scopes, implied end tags, implied parts of tables.
 */
import { HEADINGS, impliedEnds, NOT_RENDERED, TABLE_PARTS, VOID } from './html-elements.ts';
import type { Attributes } from './markup-tokens.ts';

/** Events while a page is read. Every opened element is closed, innermost first, except void ones. */
export type HtmlEvents = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

export type OpenElements = HtmlEvents & {
  /** The number of open elements of this name. */
  count(name: string): number;
  closeAll(): void;
};

/**
 * An end tag closes elements of its own scope only (13.2.4.2): `</center>` in a table closes no row of it.
 * `start`: the index of the scope's first element in the stack; `counts`: its open elements by name;
 * `isImplied`: no tag began it.
 */
type Scope = { name: string; start: number; counts: Map<string, number>; isImplied: boolean };

/** Elements that begin a scope. The scope of a cell or caption follows the scope of its table. */
const SCOPES = new Set(['table', 'td', 'th', 'caption', 'template']);
const CELLS = new Set(['td', 'th', 'caption']);
const TABLE_OR_GROUP = ['table', 'thead', 'tbody', 'tfoot'];

/** Begins a paragraph, so that a table that was not closed ends before it. Rows after it begin another table. */
const AFTER_TABLE = new Set([...HEADINGS, ...'p ul ol dl pre blockquote article section main'.split(' ')]);

const NO_ATTRIBUTES: Attributes = new Map();

/**
 * Every element is pushed and popped once, and no rule searches the stack, so that any page takes linear time.
 * In XML no start tag ends a paragraph or list entry: a note may stand inside one.
 */
export function openElements(events: HtmlEvents, { isXml }: { isXml: boolean }): OpenElements {
  const stack = createStack(events);
  /** Text in a row, outside its cells. Browsers show it before the table; here it follows the row. */
  let stray = '';
  const writeStray = (): void => {
    if (stray === '' || isInRow(stack)) return;
    events.open('br', NO_ATTRIBUTES);
    events.text(stray);
    events.open('br', NO_ATTRIBUTES);
    stray = '';
  };
  return {
    open(name, attributes) {
      const isPart = TABLE_PARTS.has(name);
      if (isPart && !openTablePart(stack, name)) return;
      if (!isPart && stack.scope() === 'table' && !openInTable(stack, name)) return;
      for (const ended = isXml ? [] : impliedEnds(name); ended.includes(stack.top()); ) stack.pop();
      writeStray();
      stack.push(name, attributes);
    },
    close(name) {
      closeElement(stack, name);
      writeStray();
    },
    text(text) {
      const isText = /\S/.test(text);
      if (isText && !isInRow(stack)) endImpliedTable(stack);
      if (isText && stack.top() === 'tr') stray += text;
      else events.text(text);
    },
    count: stack.count,
    closeAll() {
      while (stack.top() !== '') stack.pop();
      writeStray();
    },
  };
}

type Stack = ReturnType<typeof createStack>;

function createStack(events: HtmlEvents) {
  const open: string[] = [];
  const scopes: Scope[] = [{ name: '', start: 0, counts: new Map(), isImplied: false }];
  const counts = new Map<string, number>();
  const scopeAt = (above: number) => scopes.at(-1 - above);
  const pop = (): void => {
    const name = open.pop() as string; // only called while elements are open
    if (scopes.length > 1 && scopes.at(-1)?.start === open.length) scopes.pop();
    else add(scopes.at(-1)?.counts, name, -1);
    add(counts, name, -1);
    events.close(name);
  };
  return {
    push(name: string, attributes: Attributes, isImplied = false): void {
      events.open(name, attributes);
      if (VOID.has(name)) return;
      if (SCOPES.has(name)) scopes.push({ name, start: open.length, counts: new Map(), isImplied });
      else add(scopes.at(-1)?.counts, name, 1);
      add(counts, name, 1);
      open.push(name);
    },
    pop,
    /** Pops elements down to the innermost one of this name, which must be open, and that one too. */
    popThrough(name: string): void {
      while (open.at(-1) !== name) pop();
      pop();
    },
    top: () => open.at(-1) ?? '',
    /** The element that begins the innermost scope, or one further out; '' for the page. */
    scope: (above = 0) => scopeAt(above)?.name ?? '',
    isImplied: (above = 0) => scopeAt(above)?.isImplied ?? false,
    /** Whether an element of this name is open in the innermost scope, or one further out. */
    has: (name: string, above = 0) => (scopeAt(above)?.counts.get(name) ?? 0) > 0,
    count: (name: string) => counts.get(name) ?? 0,
  };
}

function add(counts: Map<string, number> | undefined, name: string, added: number): void {
  counts?.set(name, (counts.get(name) ?? 0) + added);
}

const isInRow = (stack: Stack): boolean => stack.has('tr', CELLS.has(stack.scope()) ? 1 : 0);

/** A table that no tag began ends before what is no part of it. */
function endImpliedTable(stack: Stack): void {
  if (stack.scope() === 'table' && stack.isImplied()) stack.popThrough('table');
}

/**
 * Ends what a part of a table ends, and begins a table or row where it has none: mails are often pieces of a table.
 * Returns whether the part begins.
 */
function openTablePart(stack: Stack, name: string): boolean {
  if (CELLS.has(stack.scope())) stack.popThrough(stack.scope());
  if (stack.scope() !== 'table') {
    if (name === 'caption') return false;
    stack.push('table', NO_ATTRIBUTES, true);
  }
  const isCell = name === 'td' || name === 'th';
  const parents = name === 'tr' || isCell ? TABLE_OR_GROUP : ['table'];
  if (isCell && stack.has('tr')) while (stack.top() !== 'tr') stack.pop();
  else while (!parents.includes(stack.top())) stack.pop();
  if (isCell && stack.top() !== 'tr') stack.push('tr', NO_ATTRIBUTES);
  return true;
}

/** An element of a table outside its cells. Returns whether it begins; in a row only what has no text may. */
function openInTable(stack: Stack, name: string): boolean {
  if (name === 'form') return false; // 13.2.6.4.9: it ends at once
  if (NOT_RENDERED.has(name)) return true;
  if (stack.has('tr')) return false;
  if (name === 'table' || AFTER_TABLE.has(name)) stack.popThrough('table');
  else endImpliedTable(stack);
  return true;
}

function closeElement(stack: Stack, name: string): void {
  // 13.2.6.4.7: </h3> ends an <h2>.
  const closed = HEADINGS.has(name) && HEADINGS.has(stack.top()) ? stack.top() : name;
  const isTable = name === 'table' || TABLE_PARTS.has(name);
  const isOpen = isTable ? isPartOpen(stack, name) : isOpenAround(stack, closed);
  if (isOpen || (name === 'template' && stack.count(name) > 0)) stack.popThrough(closed);
}

/** Whether an element is open in the innermost scope, or around a table that no tag began. */
function isOpenAround(stack: Stack, name: string): boolean {
  if (stack.has(name)) return true;
  const above = CELLS.has(stack.scope()) ? 1 : 0;
  return stack.isImplied(above) && stack.has(name, above + 1);
}

/** Whether the innermost table, or an open part of it, has this name. */
function isPartOpen(stack: Stack, name: string): boolean {
  const inner = stack.scope();
  const above = CELLS.has(inner) ? 1 : 0;
  if (stack.scope(above) !== 'table') return false;
  return name === 'table' || name === inner || stack.has(name, above);
}
