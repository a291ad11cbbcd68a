/** Writes the results as text: on one screen, and the whole in a file. */
import { howToDelete } from '../planning/leftovers.ts';
import type { ContractReport } from '../runner/contract-run.ts';
import type { Outcome } from '../runner/transaction-run.ts';
import { nameOf } from '../runner/transactions.ts';
import { failuresOf, groupFailures } from './failure-groups.ts';

/** The maximum length of a body in the file. */
const SHOWN_CHARACTERS = 2_000;

/** Columns of a terminal, and groups of two lines each that fit into its 24 lines with the rest. */
const COLUMNS = 80;
const SHOWN_GROUPS = 5;
/** A command takes two lines there. */
const SHOWN_REMAINING = 1;

const HIDDEN_HEADERS = new Set(['x-api-key', 'authorization', 'cookie']);

/** Text from elsewhere, without the control characters that a terminal obeys, and without marks of direction. */
export const toVisible = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');

/** Makes one line of the text, and cuts it to `length` characters: `a long li…`. */
function cut(text: string, length: number): string {
  const characters = [...toVisible(text).replaceAll(/\s+/g, ' ').trim()];
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}

const listHeaders = (headers: Record<string, unknown>): string[] =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${HIDDEN_HEADERS.has(name) ? '…' : value}`);

/** Request and answer of an outcome, without the key. */
export function describeExchange({ sent, answer }: Outcome): string {
  if (sent === undefined) return '';
  const asked = [`${sent.method} ${sent.path}`, ...listHeaders(sent.headers ?? {})];
  const body = sent.body === undefined ? [] : [`  ${String(sent.body).slice(0, SHOWN_CHARACTERS)}`];
  if (answer === undefined) return [...asked, ...body, 'no answer'].join('\n');
  const answered = [`${answer.status}`, ...listHeaders(answer.headers)];
  return [...asked, ...body, ...answered, `  ${answer.text.slice(0, SHOWN_CHARACTERS)}`].join('\n');
}

/** Every failure with its request and its answer, and every check that was not run. */
export function writeReport(report: ContractReport, address: string): string {
  const { outcomes, missing, left, stopped, remaining } = report;
  const failed = outcomes
    .filter(({ problem }) => problem !== undefined)
    .map((outcome) => `${nameOf(outcome.transaction)}: ${outcome.problem}\n\n${describeExchange(outcome)}`);
  const passed = outcomes.filter(({ problem }) => problem === undefined);
  const lists = [
    `passed: ${passed.map(({ transaction }) => nameOf(transaction)).join(', ')}`,
    `not run, since they need the service's operator: ${left.map(nameOf).join(', ')}`,
    ...(stopped === undefined ? [] : [`not run, since ${stopped}: ${missing.map(nameOf).join(', ')}`]),
    ...(remaining.length === 0 ? [] : [`not deleted:\n${howToDelete(remaining, address).join('\n')}`]),
  ];
  return toVisible(`${[`Checks of ${address}`, ...failed, ...lists].join('\n\n')}\n`);
}

/** The first names that fit into the line, and the number of the others: `query 200, query 404 and 7 more`. */
function listNames(names: string[], length: number): string {
  const counts = names.map((_, index) => names.length - index);
  for (const count of counts) {
    const more = count === names.length ? '' : ` and ${names.length - count} more`;
    const line = names.slice(0, count).join(', ') + more;
    if (line.length <= length) return line;
  }
  return cut(names.join(', '), length);
}

/** The groups of failures, two lines each, and the number of those that are not shown. */
function describeFailures(report: ContractReport): string[] {
  const groups = groupFailures(failuresOf(report.outcomes));
  const shown = groups
    .slice(0, SHOWN_GROUPS)
    .flatMap(({ title, names }) => [
      cut(`${names.length} × ${title}`, COLUMNS),
      `    ${listNames(names, COLUMNS - 4)}`,
    ]);
  const others = groups.slice(SHOWN_GROUPS).reduce((sum, { names }) => sum + names.length, 0);
  return others === 0 ? shown : [...shown, `and ${others} more`];
}

/** What helps where the answers have these error codes. */
const REMEDIES: Record<string, string> = {
  RATE_LIMITED: 'The service limits requests: see RATE_LIMIT_PER_MINUTE.',
  INSUFFICIENT_CREDITS: 'The account has no credits left: the operator adds some by `accounts set`.',
  STORAGE_LIMIT_EXCEEDED: "The account's storage is full.",
  KNOWLEDGE_BASE_LIMIT_EXCEEDED: 'The account may have no more knowledge bases.',
};

function findRemedies({ outcomes }: ContractReport): string[] {
  const problems = failuresOf(outcomes).map(({ problem }) => problem);
  return Object.entries(REMEDIES)
    .filter(([code]) => problems.some((problem) => problem.includes(code)))
    .map(([, remedy]) => remedy);
}

/** What could not be deleted: the command for the first, and the number of the others. */
function describeRemaining({ remaining }: ContractReport, address: string): string[] {
  if (remaining.length === 0) return [];
  const commands = howToDelete(remaining, address);
  const others = commands.length - SHOWN_REMAINING;
  return [
    `${remaining.length} could not be deleted:`,
    ...commands.slice(0, SHOWN_REMAINING),
    ...(others > 0 ? [`  and ${others} more, in the report`] : []),
  ];
}

/** The last line: what the exit code says. */
function verdictOf({ outcomes, missing, left, stopped }: ContractReport): string {
  const failed = failuresOf(outcomes).length;
  const total = outcomes.length + missing.length;
  const passed = outcomes.length - failed;
  if (stopped !== undefined)
    return (
      `The contract ${failed > 0 ? 'is broken, and ' : ''}could not be checked to its end: ${stopped}.\n` +
      `${passed} of ${total} checks passed, ${failed} failed, ${missing.length} were not run.`
    );
  const further = left.length === 0 ? '' : `; ${left.length} need the operator`;
  if (failed > 0) return `The contract is broken: ${failed} of ${total} checks failed${further}.`;
  return `The contract is kept: ${passed} of ${total} checks passed${further}.`;
}

/** Everything on one screen. `files`: sentences on where more is. */
export const describeRun = (report: ContractReport, address: string, files: string[]): string =>
  [
    ...describeFailures(report),
    ...findRemedies(report).slice(0, 2),
    ...describeRemaining(report, address),
    cut(`Checked: ${address}`, COLUMNS),
    ...files,
    verdictOf(report),
  ].join('\n');
