/** The JUnit file is well-formed XML, whatever a service answers, and counts what it holds. */
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import type { ContractReport } from '../runner/contract-run.ts';
import { toJunit, toJunitOfError } from './junit.ts';

type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

/** The root element. @throws what is not well-formed, and characters that XML 1.0 forbids */
function parse(xml: string): Element {
  const top: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [top];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return top.children[0] as Element; // a document without a root is an error of the parser
}

const query200 = { operationId: 'query', status: '200' } as const;
const query404 = { operationId: 'query', status: '404' } as const;
const usage200 = { operationId: 'getUsage', status: '200' } as const;

const report = (problem: string | undefined): ContractReport => ({
  outcomes: [
    { transaction: query200, problem, durationMs: 1500 },
    { transaction: usage200, problem: undefined, durationMs: 20 },
  ],
  left: [{ operationId: 'query', status: '402' }],
  missing: [query404],
  stopped: 'the service is gone',
  remaining: [],
});

test('a suite for each operation, a case for each check with its time, and the counts of each kind', () => {
  const root = parse(toJunit(report('wrong'), () => 'GET /v1/query'));
  expect(root.attributes).toMatchObject({
    tests: '4',
    failures: '1',
    errors: '1',
    skipped: '1',
    time: '1.520',
  });
  expect(root.children.map(({ attributes }) => attributes)).toEqual([
    { name: 'query', tests: '3', failures: '1', errors: '1', skipped: '1', time: '1.500' },
    { name: 'getUsage', tests: '1', failures: '0', errors: '0', skipped: '0', time: '0.020' },
  ]);
  const cases = root.children.flatMap(({ children }) => children);
  expect(cases.map(({ attributes, children: [result] }) => [attributes, result?.name])).toEqual([
    [{ name: 'query 200', classname: 'query', time: '1.500' }, 'failure'],
    [{ name: 'query 404', classname: 'query', time: '0.000' }, 'error'],
    [{ name: 'query 402', classname: 'query', time: '0.000' }, 'skipped'],
    [{ name: 'getUsage 200', classname: 'getUsage', time: '0.020' }, undefined],
  ]);
});

test.each([
  ['markup', `<a b="c" d='e'> & ]]> <!-- -->`, undefined],
  ['line ends and tabs', 'one\r\ntwo\tthree', undefined],
  ['characters beyond U+FFFF', '知識 😀', undefined],
  ['control characters', 'a\u0000\u001b[31mb\u0085', 'a��[31mb\u0085'],
  ['halves of pairs and noncharacters', 'a\ud83d b\ude00 \ufffe', 'a� b� �'],
])('a message keeps %s', (_, message, shown = message) => {
  const [suite] = parse(toJunit(report(message), () => message)).children;
  const failure = suite?.children[0]?.children[0];
  expect(failure?.attributes.message).toBe(shown);
  expect(failure?.text).toBe(shown);
});

test('a run that could not begin is one error', () => {
  const root = parse(toJunitOfError('Nothing answers.'));
  expect(root.attributes).toMatchObject({ tests: '1', errors: '1' });
  expect(root.children[0]?.children[0]?.children[0]?.attributes.message).toBe('Nothing answers.');
});
