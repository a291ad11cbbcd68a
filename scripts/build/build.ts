/**
 * Builds dist/: the server as JavaScript, since Node strips no types below node_modules.
 * Builds dist/client/: the client with its types. Builds the checks of the contract. Builds dist/console/: the page with its script and style.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import { bundleConsole } from '../../src/http/routes/console/bundle-console.ts';
import { scriptCommand } from '../arguments.ts';
import { buildClient } from '../pack-client/build-client.ts';

const root = join(import.meta.dirname, '../..');
const [source, target] = [join(root, 'src'), join(root, 'dist')];

/** Agents and commands call the service by the client, which is built together with its part of generated/. */
function importBuiltClient(): void {
  for (const file of globSync('{cli,mcp}/**/*.js', { cwd: target })) {
    const path = join(target, file);
    const code = readFileSync(path, 'utf8');
    writeFileSync(path, code.replaceAll(/from "((?:\.\.\/)+)client\//g, 'from "$1client/src/client/'));
  }
}

/** The checks of `check`: one module, since the package has no generated/. */
async function buildCheck(): Promise<void> {
  await bundle({
    entryPoints: [join(root, 'src/contract-check/check-contract.ts')],
    outfile: join(target, 'cli/check-contract.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    charset: 'utf8',
  });
  const file = join(target, 'cli/check-command.js');
  const code = readFileSync(file, 'utf8');
  writeFileSync(file, code.replace(/"[./]+\/contract-check\/check-contract\.js"/, '"./check-contract.js"'));
}

async function buildConsole(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const { name, content } of await bundleConsole()) writeFileSync(join(folder, name), content);
}

/** dist/ has the depth of src/, so that relative paths to spec/openapi.yaml and package.json are the same in both. */
async function build(): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'scripts/build')], { stdio: 'inherit' });
  for (const file of globSync('**/*.{cjs,mjs,css,html}', { cwd: source, exclude: ['console/**'] }))
    cpSync(join(source, file), join(target, file));
  importBuiltClient();
  await buildCheck();
  await buildClient(join(target, 'client'));
  await buildConsole(join(target, 'console'));
}

scriptCommand('build').description('Compiles src/ to dist/, which `npm pack` packs.').parse();
await build();
