/**
 * Makes the files of the console of src/console/. A checkout has no build step, so its server does this when the page
 * is first requested (0.1 s). The package holds the files that `npm run build` has made.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the console: its name, and its content. */
export type ConsoleFile = { name: string; content: Buffer };

/** The sources. The package does not have them. */
export const consoleSources = new URL('../../../console/', import.meta.url);

/** The page, whose links to its script and style are placeholders in the source. */
export const PAGE_NAME = 'index.html';

/** The browsers of 2022: the oldest that have `<dialog>`, modules and regular expressions with indices. */
const BROWSERS = ['chrome100', 'firefox100', 'safari15.4'];

/** Bundles the console: the page, one script and one style, whose names hold the hash of their content. */
export async function bundleConsole(): Promise<ConsoleFile[]> {
  // Loaded here: the package never needs it.
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: { console: fileURLToPath(new URL('main.tsx', consoleSources)) },
    outdir: 'console',
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: BROWSERS,
    charset: 'utf8',
    // The package lets the browser parse HTML, which the page's Content-Security-Policy forbids.
    alias: {
      'decode-named-character-reference': fileURLToPath(
        new URL('text/character-references.ts', consoleSources),
      ),
    },
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  await stop();
  const files = outputFiles.map(({ path, contents }) => ({
    name: basename(path),
    content: Buffer.from(contents),
  }));
  const addressOf = (extension: string) =>
    `console/${files.find(({ name }) => name.endsWith(extension))?.name}`;
  const page = await readFile(new URL(PAGE_NAME, consoleSources), 'utf8');
  const linked = page.replace('STYLE', addressOf('.css')).replace('SCRIPT', addressOf('.js'));
  return [{ name: PAGE_NAME, content: Buffer.from(linked) }, ...files];
}
