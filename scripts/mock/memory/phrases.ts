/** The phrases of a query, in passages in memory. */
import { unifyLetters } from '../../../src/analysis/normalise.ts';
import { isStemmable } from '../../../src/analysis/tokens.ts';
import { findPhrase } from '../../../src/search/details/phrase-marks.ts';
import { type Phrase, readPhrases, tokensOf } from '../../../src/search/phrases/phrases.ts';
import { areForms } from './forms.ts';
import { lexemesIn } from './passages.ts';

type Text = { title: string; headings: string[]; content: string };

/** Whether the title, the headings or the content has the phrase. */
const hasPhrase = ({ title, headings, content }: Text, phrase: Phrase): boolean =>
  [content, headings.join('\n'), title].some(
    (text) => findPhrase(phrase, { tokens: lexemesIn(text) }).length > 0,
  );

/** The phrases of a query. Words that begin alike are forms of one word, as in other searches here. */
function toPhrases(query: string, vocabulary: Iterable<string>): Phrase[] {
  const { spelt } = readPhrases(query);
  const words = [...vocabulary];
  const formsOf = (token: string): string[] => {
    const plain = unifyLetters(token);
    return [plain, ...words.filter((word) => word !== plain && isStemmable(plain) && areForms(plain, word))];
  };
  const forms = new Map(tokensOf(spelt).map((token) => [token, formsOf(token)]));
  return spelt.map(({ text, spellings }) => ({
    text,
    spellings: spellings.map((tokens) => tokens.map((token) => forms.get(token) ?? [])),
  }));
}

/**
 * The passages with the phrases of a query. If none has all of them, those with the phrases that some passage has; and
 * if there are none either, all passages. `phrasesAsWords`: the other phrases.
 */
export function keepPhrases<Passage extends { frequencies: ReadonlyMap<string, number> }>(
  passages: Passage[],
  query: string,
  textOf: (passage: Passage) => Text,
): { kept: Passage[]; held: Phrase[]; phrasesAsWords: string[] } {
  const phrases = toPhrases(query, new Set(passages.flatMap(({ frequencies }) => [...frequencies.keys()])));
  const withAll = (all: Phrase[]) =>
    passages.filter((passage) => all.every((phrase) => hasPhrase(textOf(passage), phrase)));
  const single = phrases.filter((phrase) => withAll([phrase]).length > 0);
  const kept = single.length > 0 ? withAll(single) : [];
  const held = kept.length > 0 ? single : [];
  const others = phrases.filter((phrase) => !held.includes(phrase)).map(({ text }) => text);
  return {
    kept: kept.length > 0 ? kept : passages,
    held,
    phrasesAsWords: [...others, ...readPhrases(query).excess],
  };
}
