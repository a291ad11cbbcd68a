/** `doctor`, the check of a deployment, beside a running service: its output, and its exit code for scripts. */
import { expect, inject, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { environmentOf } from '../../harness/service/service-process.ts';

const dataDirectory = inject('dataDirectory');

test('exit code 0 and a line for each part if there are warnings but no problems', async () => {
  // Other tests leave accounts without credits. They are not low if new accounts get none either. Some leave accounts
  // at a limit.
  const environment = environmentOf(dataDirectory, { INITIAL_CREDITS: '0', RATE_LIMIT: '5' });
  const { output, code } = await spawnCommand(environment, 'doctor', '--no-server');
  expect(output).toMatch(/^ok {5}version [\d.]+\nwarn {3}settings: RATE_LIMIT is no setting/);
  expect(output).toMatch(/\nok {5}credits\n(.*\n)*ok {5}jobs\n.*\n0 problems, \d warnings?\n$/);
  expect(code).toBe(0);
});

test('exit code 1 if there is a problem: no server answers at the port of these settings', async () => {
  const environment = environmentOf(dataDirectory, { PORT: '1' });
  const { output, code } = await spawnCommand(environment, 'doctor', '--json');
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.find(({ part }) => part === 'server')).toMatchObject({
    problems: [{ remedy: expect.any(String) }],
  });
  expect([lines.at(-1), code]).toEqual([{ summary: { problems: 1, warnings: expect.any(Number) } }, 1]);
});
