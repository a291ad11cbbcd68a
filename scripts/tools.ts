/** Runs the tools of node_modules, after a script has judged its own arguments. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..');

/** `tsc`: of TypeScript 7, which takes a fifth of the time. It has no API yet for the tools that use TypeScript 6. */
const TOOLS = {
  biome: '@biomejs/biome/bin/biome',
  redocly: '@redocly/cli/bin/cli.js',
  spectral: '@stoplight/spectral-cli/dist/index.js',
  tsc: 'typescript-7/bin/tsc',
  vitest: 'vitest/vitest.mjs',
};

type Tool = keyof typeof TOOLS;

const programOf = (name: Tool): string => join(root, 'node_modules', TOOLS[name]);

/** Runs a tool in the project's directory, on this terminal. Ends this process with its exit code if it fails. */
export function runTool(name: Tool, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [programOf(name), ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a tool beside others. Prints its output when it has ended. Returns its exit code; null after a signal. */
async function runBeside(name: Tool, ...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [programOf(name), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  process.stdout.write(output);
  return code;
}

/**
 * Arguments of tsc for a project, which keeps what it has found for the next run: then it takes a third of the time.
 */
const compiling = (project: string): string[] => {
  const memory = `node_modules/.cache/tsc/${project.replaceAll(/\W+/g, '-')}.tsbuildinfo`;
  return ['-p', project, '--incremental', '--tsBuildInfoFile', memory];
};

/** Compiles all code, and lints it. Ends this process with exit code 1 if something is wrong. */
export async function checkCode(): Promise<void> {
  const codes = await Promise.all([
    runBeside('tsc', ...compiling('.')),
    runBeside('tsc', ...compiling('src/console')),
    runBeside('biome', 'check', '--config-path=scripts/biome-rules.json', '.'),
  ]);
  if (codes.some((code) => code !== 0)) process.exit(1);
}

/** Runs these projects of vitest: the tests of all files, or of those whose paths contain one of the names. */
export function runTests(projects: string[], names: string[], pattern: string | undefined): void {
  const options = projects.flatMap((project) => ['--project', project]);
  const chosen = pattern === undefined ? names : [...names, `--testNamePattern=${pattern}`];
  runTool('vitest', 'run', '--config', 'scripts/suites/vitest.config.ts', ...options, ...chosen);
}
