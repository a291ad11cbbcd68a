/** `npm run lint:spec` finds nothing: Spectral by the rules of OpenAPI and OWASP, Redocly by its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

test('Spectral and Redocly find no errors or warnings', async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['scripts/lint-spec.ts'], {
    cwd: root,
    env,
  });
  expect(stdout).toContain("No results with a severity of 'warn' or higher found!");
  expect(stdout + stderr).toContain('Your API description is valid');
});
