/** Lines of the log as people read them at a terminal. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { toReadableLine } from './readable-line.ts';

/** What a terminal shows of the lines that `act` logs, without the time. */
function shown(act: (log: pino.Logger) => void): string {
  let text = '';
  const write = (line: string) => {
    text += toReadableLine(line).replace(/^\d\d:\d\d:\d\d /, '');
  };
  // The log describes errors itself: see log.ts.
  const serializers = { err: (error: unknown) => error };
  act(pino({ level: 'debug', base: null, serializers }, { write }));
  return text;
}

test('a message comes with its fields, and with its level unless that is the usual one', () => {
  expect(shown((log) => log.info({ file: '/a b', count: 2, found: ['x'] }, 'created'))).toBe(
    'created: file /a b, count 2, found ["x"]\n',
  );
  expect(shown((log) => log.warn('careful'))).toBe('WARNING careful\n');
});

test('a request is one short line; a refused one ends with its key and its id', () => {
  const request = { requestId: 'r', method: 'GET', path: '/v1/query', operationId: 'query', accountId: 'a' };
  expect(shown((log) => log.info({ ...request, status: 200, durationMs: 4.7 }, 'request'))).toBe(
    'GET /v1/query 200 4.7 ms\n',
  );
  const refused = { ...request, status: 405, errorCode: 'METHOD_NOT_ALLOWED', durationMs: 1 };
  expect(shown((log) => log.info(refused, 'request'))).toBe(
    'GET /v1/query 405 METHOD_NOT_ALLOWED 1 ms request r\n',
  );
  expect(shown((log) => log.info({ ...refused, keyId: 'k' }, 'request'))).toMatch(/ 1 ms key k request r\n$/);
});

test('an error has its stack and that of its cause, a warning only its message', () => {
  const err = {
    name: 'Error',
    message: 'no',
    code: 'E1',
    stack: 'Error: no\n    at a',
    cause: { name: 'TypeError', message: 'refused', stack: 'why' },
  };
  expect(shown((log) => log.error({ err }, 'failed'))).toBe(
    'ERROR failed: Error: no (E1), caused by TypeError: refused\n    Error: no\n        at a\n    why\n',
  );
  expect(shown((log) => log.warn({ err }, 'failed'))).toBe(
    'WARNING failed: Error: no (E1), caused by TypeError: refused\n',
  );
});

test('no message and no field makes a line of its own', () => {
  const forged = 'a\r\n12:00:00 ERROR forged';
  const err = { name: 'Error', message: forged, stack: `Error: ${forged}` };
  for (const line of [
    shown((log) => log.warn({ file: forged }, forged)),
    shown((log) => log.error({ err }, 'failed')),
    shown((log) => log.info({ method: 'GET', path: forged, status: 200, durationMs: 1 }, 'request')),
  ])
    expect(line).not.toMatch(/^12:00:00/m);
});

test('what is no line of the log stays as it is', () => {
  for (const line of ['half of {"a', '7\n', '[]\n']) expect(toReadableLine(line)).toBe(line);
});
