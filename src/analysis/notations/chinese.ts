/**
 * Traditional and simplified Chinese: 圖書館 and 图书馆. Passages keep the characters that they have. A query also looks
 * for its characters in the other script, so nothing is indexed twice, and no text is damaged: least of all a Japanese
 * one, which has some characters of each.
 */
import { readSimplifiedToTraditional, readTraditionalToSimplified } from './opencc-insides.ts';

/** Other forms of a token that are looked for. Nearly all have one to three; 台后 would have eleven. */
const FORMS_MAX = 8;

type Table = ReadonlyMap<string, string[]>;

let tables: { simplified: Table; traditional: Table } | undefined;

/** The first call reads the tables: 5 ms. */
function readTables() {
  tables ??= {
    simplified: new Map(readTraditionalToSimplified()),
    traditional: new Map(readSimplifiedToTraditional()),
  };
  return tables;
}

/** All texts with one of the forms of each character in its place, up to FORMS_MAX. */
const combine = (forms: string[][]): string[] =>
  forms.reduce<string[]>(
    (texts, next) => texts.flatMap((text) => next.map((form) => text + form)).slice(0, FORMS_MAX + 1),
    [''],
  );

/** Traditional characters → simplified ones; all others stay. */
export function toSimplified(text: string): string {
  const { simplified } = readTables();
  return Array.from(text, (character) => simplified.get(character)?.[0] ?? character).join('');
}

const IDEOGRAPHS = /^\p{Script=Han}{1,2}$/u;

/**
 * An ideograph or a bigram → the same in the other script, and in the other traditional forms of its simplified one:
 * 台灣 → 台湾, 臺灣.
 */
export function otherIdeographs(token: string): string[] {
  if (!IDEOGRAPHS.test(token)) return [];
  const { simplified, traditional } = readTables();
  const characters = [...token];
  const plain = characters.map((character) => simplified.get(character)?.[0] ?? character);
  const forms = combine(plain.map((character) => traditional.get(character) ?? [character]));
  return [...new Set([plain.join(''), ...forms])].filter((form) => form !== token).slice(0, FORMS_MAX);
}

const HAN = /\p{Script=Han}/u;

/** A text of Chinese → the same in simplified and in the most usual traditional characters, as far as it differs. */
export function inOtherScripts(text: string): string[] {
  if (!HAN.test(text) || KANA.test(text)) return [];
  const { simplified, traditional } = readTables();
  const plain = Array.from(text, (character) => simplified.get(character)?.[0] ?? character);
  const others = plain.map((character) => traditional.get(character)?.[0] ?? character);
  return [...new Set([plain.join(''), others.join('')])].filter((other) => other !== text);
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a query may be Chinese: one with kana is Japanese. */
export const mayBeChinese = (query: string): boolean => !KANA.test(query);
