/** Finds the words that carry the nearness of a passage to a query: "accommodation ≈ hotel". */
import { type RawBuilder, sql } from 'kysely';
import type { Language } from '../../analysis/language.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { lengthOf, type VectorsIn, type WordVector } from '../../meaning/passage-vectors.ts';
import type { MeaningWord } from '../query/query-meaning.ts';
import type { FoundPassage } from '../ranking/ranking.ts';
import { wordReader } from './matched-words.ts';

/** A word of the query, the passage's word that is nearest to it, and the cosine of their vectors. */
export type MeaningPair = { term: string; word: string; similarity: number };

const PAIRS_MAX = 3;
/** Words with a smaller cosine are no pair: `doctor` and `physician` have .6, `accommodation` and `hotel` .5. */
const PAIR_MIN = 0.35;
/** The vector of a function word is shorter: `the` has 17, `hotel` 125. */
const LENGTH_MIN = 60;

/** The lexemes of a passage's content, and for each the index of its first token there. */
type LexemeRow = { language: Language | null; lexemes: string[] | null; tokens: number[] | null };

/** Positions of the content have the label D; the title's and headings' come before them. */
const contentLexemes = sql`
        SELECT array_agg(lexeme ORDER BY first) AS lexemes, array_agg((first - "from")::integer ORDER BY first) AS tokens
        FROM (SELECT lexeme, first, min(first) OVER () AS "from" FROM (
          SELECT lexeme, positions[array_position(weights, 'D')] AS first FROM unnest(lexemes)) AS placed
          WHERE first IS NOT NULL) AS ofcontent`;

const rowsOf = (
  values: Record<'knowledgeBaseIds' | 'documentIds' | 'positions', RawBuilder<unknown>>,
) => sql<LexemeRow>`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${values.knowledgeBaseIds}::uuid[], ${values.documentIds}::uuid[],
        ${values.positions}::integer[]) WITH ORDINALITY AS given (knowledge_base_id, document_id, position, number)),
    located AS MATERIALIZED (
      SELECT number, language, passage_lexemes.lexemes FROM given
        JOIN passages USING (knowledge_base_id, document_id, position)
        JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE ${inShards(values.knowledgeBaseIds, 'passages')} AND ${inShards(values.knowledgeBaseIds, 'passage_lexemes')})
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

function cosine(one: WordVector, other: WordVector): number {
  const product = one.reduce((sum, number, i) => sum + number * (other[i] as number), 0); // of equal length
  return product === 0 ? 0 : product / (lengthOf(one) * lengthOf(other));
}

/** A lexeme of the content, the index of its first token, and its vector. */
type PassageWord = { lexeme: string; token: number; vector: WordVector };

function wordsOf({ language, lexemes, tokens }: LexemeRow, vectorsIn: VectorsIn): PassageWord[] {
  const ofLanguage = vectorsIn(language ?? 'simple');
  return (lexemes ?? []).flatMap((lexeme, i) => {
    const vector = ofLanguage?.vectorOf(lexeme);
    return vector === undefined || lengthOf(vector) < LENGTH_MIN
      ? []
      : [{ lexeme, token: tokens?.[i] ?? 0, vector }];
  });
}

/** The pairs of a passage, those first that count most. A word that both have is none. */
function pairsOf(content: string, words: PassageWord[], query: MeaningWord[]): MeaningPair[] {
  const informative = query.filter(({ vector }) => lengthOf(vector) >= LENGTH_MIN);
  const nearest = informative.flatMap(({ word, vector }) => {
    const all = words.map((each) => ({ ...each, similarity: cosine(vector, each.vector) }));
    const [best] = all.sort((left, right) => right.similarity - left.similarity);
    if (best === undefined || best.similarity < PAIR_MIN || best.vector === vector) return [];
    return [{ term: word, best, size: best.similarity * lengthOf(vector) * lengthOf(best.vector) }];
  });
  return nearest
    .sort((left, right) => right.size - left.size)
    .slice(0, PAIRS_MAX)
    .map(({ term, best }) => {
      const read = wordReader(content, { tokens: new Map([[best.lexeme, [best.token]]]) });
      return {
        term,
        word: read([best.lexeme])[0] ?? best.lexeme,
        similarity: Math.round(best.similarity * 100) / 100,
      };
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
  return rows.map((row, i) => pairsOf(passages[i]?.content ?? '', wordsOf(row, vectorsIn), words));
}
