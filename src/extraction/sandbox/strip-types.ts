/**
 * A program that writes the modules of one folder as JavaScript into another: `strip-types.ts src target`.
 * Their imports of one another then end with `.mjs`, since no package.json there says what `.js` is.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const [source = '', target = ''] = process.argv.slice(2);

for (const file of globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts', '**/testing/**'] })) {
  const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
  const path = join(target, file.replace(/ts$/, 'mjs'));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code.replaceAll(/((?:from|import|import\() ?'\.[^']*)\.ts'/g, "$1.mjs'"));
}
