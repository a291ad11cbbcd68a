/** The command line's check of a deployment, beside a service that runs: its words, and its exit code for scripts. */
import { expect, inject, test } from 'vitest';
import { runCommand, spawnCommand } from '../harness/command-line.ts';
import { environmentOf } from '../harness/service-process.ts';

const dataDirectory = inject('dataDirectory');

test('exit code 0 and a line for each part where nothing is wrong, or may be', async () => {
  // Other tests leave accounts without credits here: none is low beside a new account that gets none.
  const environment = environmentOf(dataDirectory, { INITIAL_CREDITS: '0', RATE_LIMIT: '5' });
  const { output, code } = await spawnCommand(environment, 'doctor', '--no-server');
  expect(output).toMatch(/^ok {5}Node\nwarn {3}settings: RATE_LIMIT is no setting/);
  expect(output).toMatch(/\nok {5}credits\nok {5}jobs\n.*\n0 problems, 1 warning\n$/);
  expect(code).toBe(0);
});

test('exit code 1 where something is: this shell’s settings name no server', async () => {
  await expect(runCommand(dataDirectory, 'doctor')).rejects.toThrow('doctor ended with 1');
});
