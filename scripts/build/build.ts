/**
 * Builds dist/: the server as JavaScript, since Node strips no types below node_modules; the client with its types; the
 * console, its page with script and style; and completions for shells.
 */
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleConsole } from '../../src/http/routes/console/bundle-console.ts';
import { scriptCommand } from '../arguments.ts';
import { buildClient } from '../pack-client/build-client.ts';
import { runTool } from '../tools.ts';
import { buildCompletions } from './build-completions.ts';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist');
const [source, code] = [join(root, 'src'), join(target, 'src')];

async function buildConsole(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const { name, content } of await bundleConsole()) writeFileSync(join(folder, name), content);
}

async function build(): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  runTool('tsc', '-p', 'scripts/build');
  for (const file of globSync('**/*.{cjs,mjs,css,html}', { cwd: source, exclude: ['console/**'] }))
    cpSync(join(source, file), join(code, file));
  await buildClient(target);
  await buildConsole(join(code, 'console'));
  buildCompletions(join(target, 'completions'));
}

scriptCommand('build')
  .description('Compiles src/ and its part of generated/ to dist/, which `npm pack` packs.')
  .parse();
await build();
