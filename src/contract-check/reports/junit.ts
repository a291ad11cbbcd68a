/** Writes the results as JUnit XML, in the form that CI systems read: https://github.com/testmoapp/junitxml */
import type { ContractReport } from '../runner/contract-run.ts';
import type { Outcome } from '../runner/transaction-run.ts';
import type { Transaction } from '../runner/transactions.ts';

/** Characters that XML 1.0 forbids even as references: most controls, halves of surrogate pairs, and two others. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const toReference = (character: string): string => `&#${character.charCodeAt(0)};`;

/** Text for an element. */
const escapeText = (text: string): string =>
  text.replaceAll(FORBIDDEN, '\ufffd').replaceAll(/[&<>\r]/g, toReference);

/**
 * Text for an attribute in double quotes. Readers turn its line ends and tabs into spaces unless they are references.
 */
const escapeAttribute = (text: string): string => escapeText(text).replaceAll(/["\t\n]/g, toReference);

/** `result` undefined: passed. `details` follow the message in the element. */
type TestCase = {
  suite: string;
  name: string;
  seconds: number;
  result?: { kind: 'failure' | 'error' | 'skipped'; message: string; details?: string };
};

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeAttribute(String(value))}"`)
    .join('');

function writeCase({ suite, name, seconds, result }: TestCase): string {
  const described = attributes({ name, classname: suite, time: seconds.toFixed(3) });
  if (result === undefined) return `    <testcase${described}/>\n`;
  const { kind, message, details = '' } = result;
  const inner = `<${kind}${attributes({ message })}>${escapeText(details)}</${kind}>`;
  return `    <testcase${described}>${inner}</testcase>\n`;
}

function count(cases: TestCase[]): Record<string, string | number> {
  const numberOf = (kind: string) => cases.filter(({ result }) => result?.kind === kind).length;
  return {
    tests: cases.length,
    failures: numberOf('failure'),
    errors: numberOf('error'),
    skipped: numberOf('skipped'),
    time: cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
  };
}

const writeSuite = (name: string, cases: TestCase[]): string =>
  `  <testsuite${attributes({ name, ...count(cases) })}>\n${cases.map(writeCase).join('')}  </testsuite>\n`;

/** A suite for each name of `suite`. */
function writeSuites(cases: TestCase[]): string {
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(([name, own]) => writeSuite(name, own));
  const described = attributes({ name: 'knowledge retrieval contract', ...count(cases) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${described}>\n${suites.join('')}</testsuites>\n`;
}

const caseOf = ({ operationId, status }: Transaction, seconds = 0) => ({
  suite: operationId,
  name: `${operationId} ${status}`,
  seconds,
});

/** A suite for each operation, a case for each check. `describe`: the details of a failure. */
export function toJunit(
  { outcomes, left, missing, stopped = '' }: ContractReport,
  describe: (outcome: Outcome) => string,
): string {
  const ran = outcomes.map((outcome): TestCase => {
    const { transaction, problem, durationMs } = outcome;
    const described = caseOf(transaction, durationMs / 1000);
    if (problem === undefined) return described;
    return { ...described, result: { kind: 'failure', message: problem, details: describe(outcome) } };
  });
  const notRun = missing.map((transaction): TestCase => {
    return { ...caseOf(transaction), result: { kind: 'error', message: `not run: ${stopped}` } };
  });
  const skipped = left.map((transaction): TestCase => {
    return {
      ...caseOf(transaction),
      result: { kind: 'skipped', message: 'needs the operator of the service' },
    };
  });
  return writeSuites([...ran, ...notRun, ...skipped]);
}

/** For a run that could not begin: one case, with the reason. */
export const toJunitOfError = (message: string): string =>
  writeSuites([
    { suite: 'contract', name: 'can be checked', seconds: 0, result: { kind: 'error', message } },
  ]);
