/** Finds the words that carry the nearness of a passage to a query: "accommodation ≈ hotel". */
import { type RawBuilder, sql } from 'kysely';
import type { Language } from '../../analysis/language.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { DIMENSIONS, lengthOf, type VectorsIn, type WordVector } from '../../meaning/passage-vectors.ts';
import { createUnspacedReader } from '../../meaning/unspaced-words.ts';
import type { MeaningWord } from '../query/query-meaning.ts';
import type { FoundPassage } from '../ranking/statement/found-passages.ts';
import { wordReader } from './matched-words.ts';

/** A word of the query, the passage's word that is nearest to it, and the cosine of their vectors. */
export type MeaningPair = { term: string; word: string; similarity: number };

const PAIRS_MAX = 3;
/** Words with a smaller cosine are no pair: `doctor` and `physician` have .6, `accommodation` and `hotel` .5. */
const PAIR_MIN = 0.35;
/** The same word in both; its vectors may have been read at different times. */
const SAME_WORD = 0.999;
/** The vector of a function word is shorter: `the` has 17, `hotel` 125. */
const LENGTH_MIN = 60;

/** The lexemes of a passage's content, and for each the index of its first token there. */
type LexemeRow = { language: Language | null; lexemes: string[] | null; tokens: number[] | null };

/** Positions of the content have the label D; the title's and headings' come before them. */
const contentLexemes = sql`
        SELECT array_agg(lexeme ORDER BY first) AS lexemes,
          array_agg((first - "from")::integer ORDER BY first) AS tokens
        FROM (SELECT lexeme, first, min(first) OVER () AS "from" FROM (
          SELECT lexeme, positions[array_position(weights, 'D')] AS first FROM unnest(lexemes)) AS placed
          WHERE first IS NOT NULL) AS ofcontent`;

const rowsOf = ({
  knowledgeBaseIds,
  documentIds,
  positions,
}: Record<'knowledgeBaseIds' | 'documentIds' | 'positions', RawBuilder<unknown>>) => sql<LexemeRow>`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${knowledgeBaseIds}::uuid[], ${documentIds}::uuid[],
        ${positions}::integer[]) WITH ORDINALITY AS given (knowledge_base_id, document_id, position, number)),
    located AS MATERIALIZED (
      SELECT number, language, passage_lexemes.lexemes FROM given
        JOIN passages USING (knowledge_base_id, document_id, position)
        JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE ${inShards(knowledgeBaseIds, 'passages')} AND ${inShards(knowledgeBaseIds, 'passage_lexemes')})
    SELECT language, found.lexemes, tokens FROM given LEFT JOIN located USING (number)
      CROSS JOIN LATERAL (${contentLexemes}) AS found
    ORDER BY number`;

const readLexemes = prepare(
  'read_content_lexemes',
  ['knowledgeBaseIds', 'documentIds', 'positions'],
  rowsOf,
  {
    build: rowsOf,
    ids: 'knowledgeBaseIds',
  },
);

/** A word with its vector and that one's length. */
type Measured = { vector: WordVector; length: number };

const measured = (vector: WordVector): Measured => ({ vector, length: lengthOf(vector) });

function cosine(one: Measured, other: Measured): number {
  let product = 0;
  // DIMENSIONS each.
  for (let i = 0; i < DIMENSIONS; i++) product += (one.vector[i] as number) * (other.vector[i] as number);
  return product === 0 ? 0 : product / (one.length * other.length);
}

/** A word of the content: a lexeme and the index of its first token, or a word without spaces as it is. */
type PassageWord = Measured & ({ lexeme: string; token: number } | { unspaced: string });

function wordsOf({ language, lexemes, tokens }: LexemeRow, vectorsIn: VectorsIn): PassageWord[] {
  const ofLanguage = vectorsIn(language ?? 'simple');
  return (lexemes ?? []).flatMap((lexeme, i) => {
    const vector = ofLanguage?.vectorOf(lexeme);
    const word = vector && measured(vector);
    return word === undefined || word.length < LENGTH_MIN
      ? []
      : [{ ...word, lexeme, token: tokens?.[i] ?? 0 }];
  });
}

/** The distinct words of a content in scripts without spaces. The index has bigrams of them. */
function unspacedWordsOf(content: string, read: ReturnType<typeof createUnspacedReader>): PassageWord[] {
  const words = new Map(read(content)?.words.map(({ word, vectors }) => [word, vectors]));
  return [...words]
    .flatMap(([unspaced, vectors]) => vectors.map((vector) => ({ ...measured(vector), unspaced })))
    .filter(({ length }) => length >= LENGTH_MIN);
}

/** A word of the query to pair. */
type PairedWord = Measured & { word: string };

/** The words of a query that may be in a pair: the rarest ones, a long query has hundreds. */
const PAIRED_WORDS_MAX = 24;

/** The words of a query to compare with the words of each passage. */
export const pairedWords = (words: MeaningWord[]): PairedWord[] =>
  words
    .map(({ word, vector }) => ({ word, ...measured(vector) }))
    .filter(({ length }) => length >= LENGTH_MIN)
    .sort((left, right) => right.length - left.length)
    .slice(0, PAIRED_WORDS_MAX);

function nearestTo(
  word: PairedWord,
  words: PassageWord[],
): { best: PassageWord; similarity: number } | undefined {
  let nearest: { best: PassageWord; similarity: number } | undefined;
  for (const best of words) {
    const similarity = cosine(word, best);
    if (similarity > (nearest?.similarity ?? PAIR_MIN)) nearest = { best, similarity };
  }
  return nearest;
}

/** A word as the content has it. */
function writtenIn(content: string, word: PassageWord): string {
  if ('unspaced' in word) return word.unspaced;
  const { lexeme, token } = word;
  return wordReader(content, { tokens: new Map([[lexeme, [token]]]) })([lexeme])[0] ?? lexeme;
}

/** The pairs of a passage, those first that count most. A word that both have is none. */
function pairsOf(content: string, words: PassageWord[], query: PairedWord[]): MeaningPair[] {
  return query
    .flatMap((word) => {
      const nearest = nearestTo(word, words);
      if (nearest === undefined || nearest.similarity > SAME_WORD) return [];
      return [{ ...nearest, term: word.word, size: nearest.similarity * word.length * nearest.best.length }];
    })
    .sort((left, right) => right.size - left.size)
    .slice(0, PAIRS_MAX)
    .map(({ term, best, similarity }) => {
      return { term, word: writtenIn(content, best), similarity: Math.round(similarity * 100) / 100 };
    });
}

/** The pairs of each passage, in the order of the passages. */
export async function readMeaningPairs(
  database: Queryable,
  passages: FoundPassage[],
  { words, vectorsIn }: { words: MeaningWord[]; vectorsIn: VectorsIn },
): Promise<MeaningPair[][]> {
  const rows = await readLexemes(database, {
    knowledgeBaseIds: passages.map(({ knowledge_base_id }) => knowledge_base_id),
    documentIds: passages.map(({ document_id }) => document_id),
    positions: passages.map(({ position }) => position),
  });
  const paired = pairedWords(words);
  const readUnspaced = createUnspacedReader(vectorsIn);
  return rows.map((row, i) => {
    const content = passages[i]?.content ?? '';
    return pairsOf(content, [...wordsOf(row, vectorsIn), ...unspacedWordsOf(content, readUnspaced)], paired);
  });
}
