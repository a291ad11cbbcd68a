/** The command line's check of a deployment, beside a service that runs: its words, and its exit code for scripts. */
import { expect, inject, test } from 'vitest';
import { runCommand } from './running-service.ts';

const dataDirectory = inject('dataDirectory');

test('exit code 0 and a line for each part where nothing is wrong', async () => {
  const output = await runCommand(dataDirectory, 'doctor', '--no-server');
  expect(output).toMatch(/^ok {5}Node\nok/);
  expect(output).toMatch(/\nok {5}jobs\n.*\n0 problems$/);
});

test('exit code 1 where something is: this shell’s settings name no server', async () => {
  await expect(runCommand(dataDirectory, 'doctor')).rejects.toThrow('doctor ended with 1');
});
