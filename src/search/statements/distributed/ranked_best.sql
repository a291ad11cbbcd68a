-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH with_neighbours AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS given (knowledge_base_id uuid, document_id uuid, position integer,
        lexemes tsvector, norm float8, bm25 float8, score float8, passage_count bigint)),
    feedback AS MATERIALIZED (
  SELECT with_neighbours.*, best_score,
    CASE WHEN best_score > 0 AND score >= 0.65::float8 * best_score AND score >= coalesce(last_score, 0)
      THEN (score / best_score) ^ 8 ELSE 0 END AS feedback_weight
  FROM with_neighbours, (
    SELECT max(score) AS best_score, (array_agg(score ORDER BY score DESC))[8] AS last_score
    FROM with_neighbours) AS bounds),
    feedback_terms AS MATERIALIZED (
  WITH passages AS MATERIALIZED (
    SELECT knowledge_base_id, norm, feedback_weight * ((1 + norm) / sqrt(length(ts_filter(lexemes, '{a,b,c,d}')))) AS scale, ts_filter(lexemes, '{a,b,c,d}') AS lexemes
    FROM feedback WHERE feedback_weight > 0 AND (SELECT count(*) FROM feedback WHERE feedback_weight > 0) > 1),
  shared AS MATERIALIZED (
    SELECT lexeme, sum(("scale" * (1 - "norm" / ("norm" + cardinality(positions))))) AS centroid
    FROM passages, unnest(lexemes)
    WHERE char_length(lexeme) > 1 AND lexeme <> ALL($3::text[])
    GROUP BY lexeme HAVING count(*) > 1
    ORDER BY centroid DESC, lexeme LIMIT 100),
  collection AS MATERIALIZED (
    SELECT DISTINCT knowledge_base_id, passage_count FROM feedback
    WHERE knowledge_base_id IN (SELECT knowledge_base_id FROM passages)),
  counted AS (
    SELECT lexeme, max(centroid) AS centroid, sum(passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM (
      SELECT lexeme, centroid, 0 AS passage_count FROM shared UNION ALL
      SELECT lexeme, NULL, passage_count
      FROM (SELECT key COLLATE "C" AS lexeme, value::bigint AS passage_count FROM json_each_text($2::json)) AS counts) AS counts
    GROUP BY lexeme)
  SELECT ('''' || replace(replace("lexeme", '\', '\\'), '''', '''''') || '''')::tsquery AS query, centroid, idf ^ 2 AS squared_idf FROM (
    SELECT lexeme, centroid, ln(1 + (passages - frequency + 0.5) / (frequency + 0.5)) /
      (0.5::float8 * ln(1 + passages)) AS idf
    FROM counted WHERE frequency BETWEEN 2 AND passages) AS informative
  ORDER BY centroid * idf DESC, lexeme LIMIT 16),
    reranked AS MATERIALIZED (
    SELECT knowledge_base_id, document_id, position, bm25, combined, has_all, level,
      coalesce(best_score * total / nullif(max(total) OVER (), 0), combined) AS score
    FROM (
      SELECT *, score AS combined, coalesce(lexemes @@ $7::tsquery, false) AS has_all,
        CASE WHEN coalesce(lexemes @@ $4::tsquery, false) THEN 3 WHEN coalesce(lexemes @@ $5::tsquery, false) THEN 2 WHEN coalesce(lexemes @@ $6::tsquery, false) THEN 1 ELSE 0 END AS level, score + 4::float8 * best_score * (feedback_weight + CASE WHEN scale IS NULL THEN 0 ELSE coalesce(
        (SELECT sum(squared_idf * element * greatest(centroid - feedback_weight * element, 0))
        FROM (SELECT squared_idf, centroid, ("scale" * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ "query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", "query")) - 0.5) ELSE 0 END)))) AS element FROM feedback_terms OFFSET 0) AS elements), 0) END
        ) / nullif((SELECT sum(feedback_weight) FROM feedback), 0) AS total
      FROM (
        SELECT *, CASE WHEN EXISTS (SELECT FROM feedback_terms) THEN ((1 + norm) / sqrt(length(ts_filter(lexemes, '{a,b,c,d}')))) END AS scale FROM feedback OFFSET 0
      ) AS scaled OFFSET 0) AS summed),
    ordered AS MATERIALIZED (
    WITH kept AS MATERIALIZED (
      SELECT *, relevant AS unlifted, NULL::float8 AS cosine
      FROM (
        SELECT *, CASE WHEN has_all THEN full_score
            ELSE least(score, min(full_score) FILTER (WHERE has_all) OVER (ORDER BY combined DESC) - 0.000002 * $8::float8)
            END AS relevant
        FROM (SELECT *, combined + 0.1 * (score - combined) AS full_score FROM reranked) AS weighed
      ) AS by_words)
    SELECT knowledge_base_id, document_id, position, bm25, combined, relevant, unlifted, cosine,
      CASE WHEN level < 1 THEN unlifted ELSE $8::float8 * (1 - (1 - unlifted / $8::float8) * coalesce((SELECT 1 - max(unlifted) / $8::float8 FROM kept WHERE level = 0), 1) * CASE WHEN level > 1 THEN coalesce((SELECT 1 - max(unlifted) / $8::float8 FROM kept WHERE level = 1), 1) ELSE 1 END * CASE WHEN level > 2 THEN coalesce((SELECT 1 - max(unlifted) / $8::float8 FROM kept WHERE level = 2), 1) ELSE 1 END) END AS score
    FROM kept),
    ranked AS (
      SELECT knowledge_base_id, document_id, position, "bm25", "combined",
        "relevant", unlifted, cosine,
        round((score / $8::float8)::numeric, 6)::float8 AS score
      FROM ordered WHERE bm25 > 0 ORDER BY score DESC FETCH FIRST $9 ROWS WITH TIES)
    SELECT * FROM ranked
