/** Finds and scores the passages that answer a query: candidates by the index, BM25 over the searched knowledge bases. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import type { Database } from '../storage/database.ts';
import type { SearchedKnowledgeBases } from '../storage/knowledge-bases.ts';
import { readDocumentFrequencies } from '../storage/lexeme-statistics.ts';
import { scopeMark } from '../storage/scope-mark.ts';
import {
  attainableWeight,
  inverseDocumentFrequency,
  lengthNorm,
  queryFrequencyWeight,
  termFrequency,
  weightAt,
} from './bm25.ts';
import { chooseCandidates, type TermLevels } from './candidates.ts';
import type { Stem } from './lexemes.ts';
import { TIERS, tierMark, UNTIERED_DENSITY } from './marks.ts';
import { analyseQuery, type QueryTerm } from './query-terms.ts';

/** A passage with its score and what the contract shows of its document. */
export type FoundPassage = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  content: string;
  start_offset: number;
  end_offset: number;
  page: number | null;
  headings: string[];
  title: string;
  source: string;
  type: DocumentType;
  /** In [0, 1], 6 decimals. */
  score: number;
};

/**
 * A word of the query as it is scored: `spellings` are its lexemes that occur, each with the most that it can add to
 * a score; `levels` are how a passage may hold any of them.
 */
type WeightedTerm = { spellings: { lexeme: string; attainable: number }[]; levels: TermLevels };

/** More terms than this sharpen no ranking any more, they only cost time: the weightiest of a long query are asked. */
const SCORED_TERMS_MAX = 64;

/** Of a word in more passages than this, some are told apart by their density. */
const TIERED_FROM = 1_000;

/** How many scores of single terms are worth computing; they take most of a query's time. */
const SCORES_BUDGET = 1_500;
/** Candidates of a query for ten results, however many or few terms it has. */
const CANDIDATES_MIN = 60;
const CANDIDATES_MAX = 400;

/** How passages may hold a term of these spellings: at least once, or so densely that they are of a tier. */
function levelsOf(
  spellings: string[],
  weight: number,
  { frequencies, passageCount }: { frequencies: Map<string, number>; passageCount: number },
): TermLevels {
  const countOf = (lexemes: string[]) =>
    Math.min(
      passageCount,
      lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
    );
  const level = (lexemes: string[], density: number) => {
    const operands = lexemes.filter((lexeme) => frequencies.has(lexeme)).map(quoteLexeme);
    const operand = operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;
    return { operand, worth: weightAt(weight, density), count: countOf(lexemes) };
  };
  const levels = [level(spellings, UNTIERED_DENSITY)];
  if (countOf(spellings) > TIERED_FROM) {
    TIERS.forEach(({ typical }, tier) => {
      levels.push(
        level(
          spellings.map((spelling) => tierMark(spelling, tier)),
          typical,
        ),
      );
    });
  }
  const held = levels.filter(({ count }) => count > 0);
  return held.map(({ operand, worth, count }, place) => ({
    operand,
    worth,
    share: Math.max(0, count - (held[place + 1]?.count ?? 0)) / passageCount,
  }));
}

/**
 * The weight of each lexeme that occurs, the weightiest terms first, and the most that all these terms could reach
 * together. A term that no passage holds counts there as well: an answer to half of the query scores at most half.
 */
export function weighTerms(terms: QueryTerm[], frequencies: Map<string, number>, passageCount: number) {
  const idfOf = (lexeme: string) => inverseDocumentFrequency(frequencies.get(lexeme) ?? 0, passageCount);
  const weighed = terms.map(({ lexemes, frequency, weight }) => {
    const known = lexemes.filter((lexeme) => frequencies.has(lexeme));
    const idf = Math.max(...(known.length > 0 ? known : lexemes).map(idfOf));
    const share = weight * queryFrequencyWeight(frequency);
    return { weight: share * idf, share, known };
  });
  const byWeight = weighed.sort((left, right) => right.weight - left.weight);
  const scored = byWeight.filter(({ known }) => known.length > 0).slice(0, SCORED_TERMS_MAX);
  const unknown = byWeight.filter(({ known }) => known.length === 0);
  const attainable = [...scored, ...unknown].reduce((sum, { weight }) => sum + attainableWeight(weight), 0);
  const weighted = scored.map(
    ({ known, weight, share }): WeightedTerm => ({
      spellings: known.map((lexeme) => ({ lexeme, attainable: attainableWeight(share * idfOf(lexeme)) })),
      levels: levelsOf(known, weight, { frequencies, passageCount }),
    }),
  );
  return { weighted, attainable };
}

/** A lexeme as tsquery text; quoted by us, so that nothing in it is an operator (PostgreSQL manual, 8.11.2). */
const quoteLexeme = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;

/** SQL for BM25 of the row `passage_lexemes` in scope: unrolled, term by term. A term counts by its best spelling. */
function scoreOf(terms: WeightedTerm[], searched: SearchedKnowledgeBases): RawBuilder<number> {
  const norm = lengthNorm(sql.ref('length'), searched);
  const parts = terms.map(({ spellings }) => {
    const alternatives = spellings.map(({ lexeme, attainable }) => {
      const frequency = termFrequency(sql.ref('lexemes'), sql`${quoteLexeme(lexeme)}::tsquery`);
      return sql`${attainable}::float8 * (1 - ${norm} / (${norm} + ${frequency}))`;
    });
    return alternatives.length === 1 ? alternatives[0] : sql`greatest(${sql.join(alternatives)})`;
  });
  return sql<number>`(${sql.join(parts, sql` + `)})`;
}

/**
 * tsquery text that holds the index to the searched knowledge bases; none where they are most of what there is, and
 * looking at a passage in vain is cheaper than its mark in the index.
 */
function scopeOf({ ids, passageCount, storedPassages }: SearchedKnowledgeBases): string | undefined {
  if (storedPassages !== undefined && passageCount * 2 > storedPassages) return undefined;
  return `(${ids.map((id) => quoteLexeme(scopeMark(id))).join('|')})`;
}

/** The statement: candidates by the index, BM25 over them, the best with all their ties, then the total order. */
function rankedPassages(
  { weighted, attainable }: { weighted: WeightedTerm[]; attainable: number },
  { searched, queries, limit }: { searched: SearchedKnowledgeBases; queries: string[]; limit: number },
) {
  const scope = scopeOf(searched);
  const matches = queries.map((query) => {
    const scoped = scope === undefined ? query : `(${query})&${scope}`;
    return sql`lexemes @@ ${scoped}::tsquery`;
  });
  return sql<FoundPassage>`
    WITH best AS (
      SELECT knowledge_base_id, document_id, position,
        round((${scoreOf(weighted, searched)} / ${attainable})::numeric, 6)::float8 AS score
      FROM passage_lexemes
      WHERE knowledge_base_id = ANY(${searched.ids}::uuid[]) AND (${sql.join(matches, sql` OR `)})
      ORDER BY score DESC FETCH FIRST ${sql.lit(limit)} ROWS WITH TIES)
    SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, headings, documents.title, documents.source, documents.type, least(best.score, 1) AS score
    FROM best
    JOIN passages USING (knowledge_base_id, document_id, position)
    JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${limit}`;
}

/** Candidates for `limit` results: few of long queries, where each takes its time, many of short ones. */
function budgetFor(termCount: number, limit: number): number {
  const perTen = Math.min(CANDIDATES_MAX, CANDIDATES_MIN + SCORES_BUDGET / termCount);
  return Math.ceil(perTen * Math.max(1, limit / 10));
}

/** Ranks ever more candidates until there are enough; hardly ever more than once. */
async function rankPassages(
  database: Database,
  scoring: { weighted: WeightedTerm[]; attainable: number },
  { searched, limit }: { searched: SearchedKnowledgeBases; limit: number },
): Promise<FoundPassage[]> {
  const terms = scoring.weighted.map(({ levels }) => levels);
  const budget = budgetFor(terms.length, limit);
  for (const enlarged of [budget, 20 * budget, Number.POSITIVE_INFINITY]) {
    const { queries, all } = chooseCandidates(terms, {
      passageCount: searched.passageCount,
      budget: enlarged,
    });
    const { rows } = await rankedPassages(scoring, { searched, queries, limit }).execute(database);
    if (all || rows.length === limit) return rows;
  }
  throw new Error('an unlimited budget leaves nothing out');
}

/**
 * The `limit` passages that answer `query` best: score descending, then document createdAt descending, then
 * position in the document, then id. Empty when no term of the query occurs.
 */
export async function searchPassages(
  { database, stem }: { database: Database; stem: Stem },
  { query, searched, limit }: { query: string; searched: SearchedKnowledgeBases; limit: number },
): Promise<FoundPassage[]> {
  if (searched.passageCount === 0) return [];
  const terms = await analyseQuery(query, searched.languages, stem);
  const lexemes = terms.flatMap((term) => term.lexemes);
  const marks = TIERS.flatMap((_, tier) => lexemes.map((lexeme) => tierMark(lexeme, tier)));
  const frequencies = await readDocumentFrequencies(database, searched, [...lexemes, ...marks]);
  const scoring = weighTerms(terms, frequencies, searched.passageCount);
  if (scoring.weighted.length === 0) return [];
  return await rankPassages(database, scoring, { searched, limit });
}
