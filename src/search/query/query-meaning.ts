/** The vector of a query: its words' vector, in its own language or in the passages' languages. */
import type { QueryWarning, SearchMode } from '../../../generated/types.gen.ts';
import type { Language } from '../../analysis/language.ts';
import { lexemesOf, type Stems } from '../../analysis/lexemes.ts';
import {
  type CountedVector,
  textVector,
  type VectorsIn,
  WORD_VECTORS_GENERATION,
  type WordVector,
} from '../../meaning/passage-vectors.ts';
import { type QueryPlanes, toPlanes } from '../../meaning/query-vectors.ts';
import { createUnspacedReader } from '../../meaning/unspaced-words.ts';
import { STEM_TABLES } from '../../meaning/word-vectors.ts';

/**
 * A query has fewer words than a passage, and so less of what all texts have in common. nDCG@10 by meaning alone, XQuAD
 * with 100 questions, for shares of the mean:
 *
 *         English in English   German in German   German in English   English in German   Russian in English
 *   0     .829                 .493               .496                .504                .429
 *   .5    .826                 .528               .438                .554                .416
 *   1     .793                 .523               .268                .583                .318
 */
const QUERY_MEAN_SHARE = 0.5;

/** A word of the query, as it is written there, and its vector. */
export type MeaningWord = { word: string; vector: WordVector };

/**
 * `generation`: of the vectors with which `planes` can be compared. `isOfModel`: a model made them, which
 * compares texts as a whole. `words`: with a vector, each once; of a model none. `trust`: see
 * `LanguageVectors`. `isForeign`: no searched passage is in the language of the query. `isAlone`: the query asks for
 * its meaning alone. `nearest`: what an index has found (see ranking/nearest.ts).
 */
export type QueryMeaning = {
  generation: number;
  isOfModel: boolean;
  planes: QueryPlanes;
  words: MeaningWord[];
  trust: number;
  isForeign: boolean;
  isAlone: boolean;
  nearest?: string | undefined;
};

/**
 * Whether the words of a query do not count: it asks for its meaning alone, or passages have none but its function
 * words. Without a meaning it is searched by its words.
 */
export const isByMeaning = (
  meaning: QueryMeaning | undefined,
  { hasKnownWord }: { hasKnownWord: boolean },
): boolean => meaning !== undefined && (meaning.isAlone || !hasKnownWord);

/** The detected language of a query, if it has a table; the passages may have another language. */
export const ownLanguage = (detected: string): Language[] =>
  STEM_TABLES.filter((table) => table === detected);

/** The lexeme of a token in a language; with unknown stems the token itself. */
const lexemeOf = (token: string, stems: Stems | undefined): string =>
  lexemesOf(token, stems ?? new Map()).asWritten[0] ?? token;

/** Looks into the tables of these languages first, and then into all others for the word as it is written. */
function findVector(
  token: string,
  stems: ReadonlyMap<string, Stems>,
  vectorsIn: VectorsIn,
): WordVector | undefined {
  for (const [language, ofLanguage] of stems) {
    const found = vectorsIn(language as Language)?.vectorOf(lexemeOf(token, ofLanguage));
    if (found !== undefined) return found;
  }
  for (const language of STEM_TABLES) {
    const found = vectorsIn(language)?.vectorOf(token);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Letters of Japanese. Its ideographs are not read as Chinese words: nDCG@10 of jsquad-valid, 150 questions, was .9499
 * with them, and .9514 by words.
 */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** `tokens`: all of the query. `own`: its language, where it is known. `searched`: the languages of the passages. */
type MeaningQuery = {
  query: string;
  mode: SearchMode | undefined;
  tokens: string[];
  own: Language[];
  searched: readonly string[];
};

/**
 * The meaning of a query. undefined where no token has a vector. `stems`: by language, in the order in
 * which they are tried.
 */
export function readMeaning(
  { query, mode, tokens, own, searched }: MeaningQuery,
  stems: ReadonlyMap<string, Stems>,
  vectorsIn: VectorsIn,
): QueryMeaning | undefined {
  const words = new Map<string, MeaningWord>();
  const counted: CountedVector[] = [];
  for (const token of tokens) {
    const vector = words.get(token)?.vector ?? findVector(token, stems, vectorsIn);
    if (vector === undefined) continue;
    words.set(token, { word: token, vector });
    counted.push([vector, 1]);
  }
  const unspaced = KANA.test(query) ? undefined : createUnspacedReader(vectorsIn)(query);
  for (const { word, vectors } of unspaced?.words ?? [])
    for (const vector of vectors) {
      words.set(word, { word, vector });
      counted.push([vector, 1]);
    }
  const [language = 'english'] = stems.keys();
  const ofSpaced = vectorsIn(language as Language) ?? vectorsIn('english');
  const ofMost = unspaced !== undefined && 2 * unspaced.words.length > words.size ? unspaced : ofSpaced;
  const mean = ofMost?.mean.map((number) => QUERY_MEAN_SHARE * number);
  const vector = mean && textVector(counted, mean);
  if (ofMost === undefined || vector === undefined) return undefined;
  // Passages without spaces have no language of their own.
  const spoken = ofMost === unspaced ? ['simple'] : own;
  const isForeign = spoken.length > 0 && !spoken.some((each) => searched.includes(each));
  return {
    generation: WORD_VECTORS_GENERATION,
    isOfModel: false,
    planes: toPlanes(vector),
    words: [...words.values()],
    trust: ofMost.trust,
    isForeign,
    isAlone: mode === 'meaning',
  };
}

/** A query as a model of this generation embeds it; ready to be compared (see meaning/model/model-space.ts). */
export type QueryEmbedding = { generation: number; vector: Float32Array };

/**
 * Embeds a query in time, or says why not. What an account, or a `view` of it, has asked is kept from others.
 * Undefined: no passages have vectors yet.
 */
export type EmbedQuery = (asked: {
  accountId: string;
  view?: string | undefined;
  query: string;
}) => Promise<{ embedding: QueryEmbedding } | { warning: QueryWarning } | undefined>;

/** The meaning of a query by a model. */
export const meaningOfModel = ({ generation, vector }: QueryEmbedding, mode?: SearchMode): QueryMeaning => ({
  generation,
  isOfModel: true,
  planes: toPlanes(vector),
  words: [],
  trust: 1,
  isForeign: false,
  isAlone: mode === 'meaning',
});
