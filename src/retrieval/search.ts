/** Finds and scores the passages that answer a query: OR of its lexemes, BM25 over the searched knowledge bases. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import type { Database } from '../storage/database.ts';
import type { SearchedKnowledgeBases } from '../storage/knowledge-bases.ts';
import { readDocumentFrequencies } from '../storage/lexeme-statistics.ts';
import { attainableWeight, inverseDocumentFrequency, lengthNorm, termFrequency } from './bm25.ts';
import type { Stem } from './lexemes.ts';
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

/** A word of the query as it is scored: the spellings that occur, each with the most that it can add to a score. */
type WeightedTerm = { spellings: { lexeme: string; attainable: number }[] };

/** More terms than this sharpen no ranking any more, they only cost time: the rarest of a long query are asked. */
const SCORED_TERMS_MAX = 64;

/** Without stop words, unless there is nothing else: "to be or not to be" must find its passage. */
function informativeTerms(terms: QueryTerm[]): QueryTerm[] {
  const informative = terms.filter(({ isStopWord }) => !isStopWord);
  return informative.length > 0 ? informative : terms;
}

/**
 * The weight of each lexeme that occurs, rarest terms first, and the most that all these terms could reach
 * together. A term that no passage holds counts there as well: an answer to half of the query scores at most half.
 */
function weighTerms(terms: QueryTerm[], frequencies: Map<string, number>, passageCount: number) {
  const idfOf = (lexeme: string) => inverseDocumentFrequency(frequencies.get(lexeme) ?? 0, passageCount);
  const weighed = informativeTerms(terms).map(({ lexemes, frequency }) => {
    const known = lexemes.filter((lexeme) => frequencies.has(lexeme));
    const idf = Math.max(...(known.length > 0 ? known : lexemes).map(idfOf));
    return { idf, frequency, known };
  });
  const byRarity = weighed.sort((left, right) => right.idf - left.idf);
  const scored = byRarity.filter(({ known }) => known.length > 0).slice(0, SCORED_TERMS_MAX);
  const unknown = byRarity.filter(({ known }) => known.length === 0);
  const attainable = [...scored, ...unknown].reduce(
    (sum, { idf, frequency }) => sum + frequency * attainableWeight(idf),
    0,
  );
  const weighted: WeightedTerm[] = scored.map(({ known, frequency }) => ({
    spellings: known.map((lexeme) => ({ lexeme, attainable: frequency * attainableWeight(idfOf(lexeme)) })),
  }));
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

/** The statement: candidates by the index, BM25 over them, the best with all their ties, then the total order. */
function rankedPassages(
  { weighted, attainable }: { weighted: WeightedTerm[]; attainable: number },
  searched: SearchedKnowledgeBases,
  limit: number,
) {
  const anyOf = weighted
    .flatMap(({ spellings }) => spellings.map(({ lexeme }) => quoteLexeme(lexeme)))
    .join(' | ');
  return sql<FoundPassage>`
    WITH best AS (
      SELECT knowledge_base_id, document_id, position,
        round((${scoreOf(weighted, searched)} / ${attainable})::numeric, 6)::float8 AS score
      FROM passage_lexemes
      WHERE knowledge_base_id = ANY(${searched.ids}::uuid[]) AND lexemes @@ ${anyOf}::tsquery
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
  const frequencies = await readDocumentFrequencies(database, searched.ids, lexemes);
  const scoring = weighTerms(terms, frequencies, searched.passageCount);
  if (scoring.weighted.length === 0) return [];
  const { rows } = await rankedPassages(scoring, searched, limit).execute(database);
  return rows;
}
