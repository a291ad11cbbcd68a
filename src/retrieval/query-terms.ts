/** Analyses a query: the same path as for passages, once for every language that the searched passages are in. */
import { detectLanguage } from './language.ts';
import { lexemesOf, type Stem, type Stems, wordsToStem } from './lexemes.ts';
import { tokenise } from './tokens.ts';

/**
 * A word of the query. `lexemes` are its alternatives (one per language and spelling; distinct): a passage holds
 * the term if it holds any of them, and counts it by the one that it holds most. `frequency` is how often the
 * query has it.
 */
export type QueryTerm = { lexemes: string[]; frequency: number; isStopWord: boolean };

/** Terms of a query, as many as it may have characters; what comes after is ignored. */
const QUERY_TERMS_MAX = 8192;

/**
 * The distinct terms of a query, in the order in which they first occur. `languages` are those of the searched
 * passages. A term is a stop word if it is one in the query's own language; where that is unsure, or not among
 * `languages`, if it is one in any of them.
 * @throws what `stem` throws
 */
export async function analyseQuery(
  query: string,
  languages: readonly string[],
  stem: Stem,
): Promise<QueryTerm[]> {
  const tokens = countTokens(tokenise(query));
  const stemsByLanguage = await stemIn(languages, wordsToStem(tokens.keys()), stem);
  const own = stemsByLanguage.get(detectLanguage(query));
  const judges = own ? [own] : [...stemsByLanguage.values()];
  const terms = new Map<string, QueryTerm>();
  for (const [token, frequency] of tokens) {
    const lexemes = [
      ...new Set([...stemsByLanguage.values()].flatMap((stems) => lexemesOf(token, stems))),
    ].sort();
    const isStopWord = judges.some((stems) => stems.get(token) === '');
    const key = lexemes.join(' ');
    const known = terms.get(key);
    if (known) known.frequency += frequency;
    else terms.set(key, { lexemes, frequency, isStopWord });
  }
  return [...terms.values()];
}

function countTokens(tokens: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const count = counts.get(token);
    if (count !== undefined || counts.size < QUERY_TERMS_MAX) counts.set(token, (count ?? 0) + 1);
  }
  return counts;
}

async function stemIn(
  languages: readonly string[],
  words: string[],
  stem: Stem,
): Promise<Map<string, Stems>> {
  const entries = [...new Set(languages)].map(async (language): Promise<[string, Stems]> => {
    if (language === 'simple' || words.length === 0) return [language, new Map()];
    const stems = await stem(language, words);
    return [language, new Map(words.map((word, i) => [word, stems[i] ?? word]))];
  });
  return new Map(await Promise.all(entries));
}
