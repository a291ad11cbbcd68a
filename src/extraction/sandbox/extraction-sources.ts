/**
 * A program that writes the extraction process's modules as JavaScript to standard output.
 * The format is a JSON object from a module's URL to its source. The process reads modules that are missing there as
 * TypeScript.
 * See extraction-modules.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const FOLDERS = ['..', '../../indexing/split'];

const modules = FOLDERS.map((folder) => new URL(`${folder}/`, import.meta.url)).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => new URL(path.replaceAll('\\', '/'), folder)),
);
const sources = modules.map((url) => [url.href, stripTypeScriptTypes(readFileSync(url, 'utf8'))]);
process.stdout.write(JSON.stringify(Object.fromEntries(sources)));
