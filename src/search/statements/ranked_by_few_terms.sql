-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH query_terms AS MATERIALIZED (
  SELECT term, (array_agg(query))[1] AS query, (array_agg(upper_bound))[1] AS upper_bound,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS variants, array_agg(upper_bound) AS upper_bounds
  FROM (
    SELECT query::tsquery AS query, upper_bound, term
    FROM unnest($5::text[], $6::float8[], $7::integer[]) AS given (query, upper_bound, term)
  ) AS variant GROUP BY term),
    best AS MATERIALIZED (
    SELECT knowledge_base_id, document_id, position, lexemes, norm, (CASE WHEN "lexemes" @@ $8::tsquery THEN $9::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $8::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $10::tsquery THEN $11::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $10::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $12::tsquery THEN $13::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $12::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $14::tsquery THEN $15::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $14::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $16::tsquery THEN $17::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $16::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $18::tsquery THEN $19::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $18::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $20::tsquery THEN $21::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $20::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $22::tsquery THEN $23::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $22::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $24::tsquery THEN $25::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $24::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $26::tsquery THEN $27::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $26::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $28::tsquery THEN $29::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $28::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $30::tsquery THEN $31::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $30::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $32::tsquery THEN $33::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $32::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $34::tsquery THEN $35::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $34::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $36::tsquery THEN $37::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $36::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $38::tsquery THEN $39::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $38::tsquery)) - 0.5))) ELSE 0 END) AS score FROM ((
      SELECT knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY($2::tsquery[])
        AND (knowledge_base_id IN (SELECT unnest($1::uuid[]))) IS TRUE OFFSET 0)
      UNION ALL
      (
      SELECT knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY($40::tsquery[])
        AND (knowledge_base_id IN (SELECT unnest($1::uuid[]))) IS TRUE AND (lexemes @@ ANY($2::tsquery[])) IS NOT TRUE
      LIMIT 3000)
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT $4),
    counted_best AS MATERIALIZED (SELECT count(*) >= CASE WHEN $48::boolean THEN $49::integer ELSE $4 END AS is_enough FROM best),
    with_neighbours AS MATERIALIZED (
    SELECT knowledge_base_id, document_id, position, lexemes, norm, score AS bm25,
      CASE WHEN score >= 0.6::float8 * (SELECT max(score) FROM best) THEN (
    SELECT CASE WHEN others = 0 THEN best.score
      ELSE 0.7::float8 * best.score + 0.3::float8 * coalesce(
    (SELECT sum(CASE WHEN query_term.variants IS NULL THEN "query_term"."upper_bound" * (1 - "neighbourhood"."norm" / ("neighbourhood"."norm" + greatest((CASE WHEN neighbourhood.vectors[1] @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[1], "query_term"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[2] @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[2], "query_term"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[3] @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[3], "query_term"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[4] @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[4], "query_term"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[5] @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[5], "query_term"."query")) - 0.5) ELSE 0 END) - neighbourhood.others * (CASE WHEN "best"."lexemes" @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{0,0,0,1}', "best"."lexemes", "query_term"."query")) - 0.5) ELSE 0 END), 0)))
      ELSE (SELECT max("variant"."upper_bound" * (1 - "neighbourhood"."norm" / ("neighbourhood"."norm" + greatest((CASE WHEN neighbourhood.vectors[1] @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[1], "variant"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[2] @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[2], "variant"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[3] @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[3], "variant"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[4] @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[4], "variant"."query")) - 0.5) ELSE 0 END) + (CASE WHEN neighbourhood.vectors[5] @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', neighbourhood.vectors[5], "variant"."query")) - 0.5) ELSE 0 END) - neighbourhood.others * (CASE WHEN "best"."lexemes" @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{0,0,0,1}', "best"."lexemes", "variant"."query")) - 0.5) ELSE 0 END), 0))))
        FROM unnest(query_term.variants, query_term.upper_bounds) AS variant (query, upper_bound)) END)
    FROM query_terms AS query_term), 0) END
    FROM (
      SELECT array_agg(lexemes) AS vectors, (0.315::float8 + $3::float8 * sum(length)) AS norm, count(*) - 1 AS others
      FROM passage_lexemes AS near
      WHERE near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - 2 AND best.position + 2) AS neighbourhood) ELSE score END
        AS score
    FROM best),
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
    WHERE char_length(lexeme) > 1 AND lexeme <> ALL($45::text[])
    GROUP BY lexeme HAVING count(*) > 1
    ORDER BY centroid DESC, lexeme LIMIT 100),
  collection AS MATERIALIZED (
    SELECT knowledge_base_id, passage_count FROM knowledge_base_statistics
    WHERE knowledge_base_id = ANY(ARRAY(SELECT DISTINCT knowledge_base_id FROM passages))),
  counted AS (
    SELECT lexeme, max(centroid) AS centroid, sum(passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM (
      SELECT lexeme, centroid, 0 AS passage_count FROM shared UNION ALL
      SELECT lexeme, NULL, passage_count
      FROM (
  SELECT merged.lexeme, merged.passage_count FROM "collection" AS searched CROSS JOIN LATERAL (
    SELECT lexeme, passage_count FROM document_frequencies
    WHERE knowledge_base_id = searched.knowledge_base_id AND lexeme = ANY(ARRAY(SELECT lexeme FROM "shared")) OFFSET 0) AS merged
  UNION ALL
  SELECT counted.lexeme, counted.passage_count::bigint
  FROM (
      SELECT passage_counts || '{}' AS passage_counts FROM document_frequency_deltas
      WHERE knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM collection)) OFFSET 0) AS delta
    CROSS JOIN LATERAL (
      SELECT lexeme, delta.passage_counts ->> lexeme AS passage_count FROM "shared" OFFSET 0) AS counted
  WHERE counted.passage_count IS NOT NULL) AS counts) AS counts
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
      SELECT *, score AS combined, coalesce(lexemes @@ $44::tsquery, false) AS has_all,
        CASE WHEN coalesce(lexemes @@ $41::tsquery, false) THEN 3 WHEN coalesce(lexemes @@ $42::tsquery, false) THEN 2 WHEN coalesce(lexemes @@ $43::tsquery, false) THEN 1 ELSE 0 END AS level, score + 4::float8 * best_score * (feedback_weight + CASE WHEN scale IS NULL THEN 0 ELSE coalesce(
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
            ELSE least(score, min(full_score) FILTER (WHERE has_all) OVER (ORDER BY combined DESC) - 0.000002 * $46::float8)
            END AS relevant
        FROM (SELECT *, combined + 0.1 * (score - combined) AS full_score FROM reranked) AS weighed
      ) AS by_words)
    SELECT knowledge_base_id, document_id, position, bm25, combined, relevant, unlifted, cosine,
      CASE WHEN level < 1 THEN unlifted ELSE $46::float8 * (1 - (1 - unlifted / $46::float8) * coalesce((SELECT 1 - max(unlifted) / $46::float8 FROM kept WHERE level = 0), 1) * CASE WHEN level > 1 THEN coalesce((SELECT 1 - max(unlifted) / $46::float8 FROM kept WHERE level = 1), 1) ELSE 1 END * CASE WHEN level > 2 THEN coalesce((SELECT 1 - max(unlifted) / $46::float8 FROM kept WHERE level = 2), 1) ELSE 1 END) END AS score
    FROM kept),
    ranked AS (
      SELECT knowledge_base_id, document_id, position, "bm25", "combined",
        "relevant", unlifted, cosine,
        round((score / $46::float8)::numeric, 6)::float8 AS score
      FROM ordered WHERE bm25 > 0 ORDER BY score DESC FETCH FIRST $47 ROWS WITH TIES)
    SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, time_ms, later_starts, headings, documents.title, documents.source, documents.type, attributes, source_url,
      external_id, least(ranked.score, 1) AS score, bm25, combined, relevant, unlifted, cosine,
      (SELECT is_enough FROM counted_best) AS "isEnough"
    FROM ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    LEFT JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT $47
