/** Runs the tools of node_modules, after a script has judged its own arguments. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const TOOLS = {
  biome: '@biomejs/biome/bin/biome',
  redocly: '@redocly/cli/bin/cli.js',
  spectral: '@stoplight/spectral-cli/dist/index.js',
  tsc: 'typescript/bin/tsc',
  vitest: 'vitest/vitest.mjs',
};

/** Runs a tool in the project's directory, on this terminal. Ends this process with its exit code if it fails. */
export function runTool(name: keyof typeof TOOLS, ...args: string[]): void {
  const program = join(root, 'node_modules', TOOLS[name]);
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Compiles all code, and lints it. */
export function checkCode(): void {
  runTool('tsc', '-p', '.');
  runTool('tsc', '-p', 'src/console');
  runTool('biome', 'check', '--config-path=scripts/biome-rules.json', '.');
}

/** Runs these projects of vitest: the tests of all files, or of those whose paths contain one of the names. */
export function runTests(projects: string[], names: string[], pattern: string | undefined): void {
  const options = projects.flatMap((project) => ['--project', project]);
  const chosen = pattern === undefined ? names : [...names, `--testNamePattern=${pattern}`];
  runTool('vitest', 'run', '--config', 'scripts/vitest.config.ts', ...options, ...chosen);
}
