-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH query_terms AS MATERIALIZED (
  SELECT term, (array_agg(query))[1] AS query, (array_agg(upper_bound))[1] AS upper_bound,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS variants, array_agg(upper_bound) AS upper_bounds
  FROM (
    SELECT query::tsquery AS query, upper_bound, term
    FROM unnest($5::text[], $6::float8[], $7::integer[]) AS given (query, upper_bound, term)
  ) AS variant GROUP BY term),
    best AS MATERIALIZED (
    SELECT knowledge_base_id, document_id, position, lexemes, norm, (CASE WHEN $9::integer > 0 THEN CASE WHEN "lexemes" @@ $11::tsquery THEN $12::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $11::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $13::tsquery THEN $14::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $13::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $15::tsquery THEN $16::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $15::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $17::tsquery THEN $18::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $17::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $19::tsquery THEN $20::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $19::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $21::tsquery THEN $22::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $21::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $23::tsquery THEN $24::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $23::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $25::tsquery THEN $26::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $25::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $27::tsquery THEN $28::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $27::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $29::tsquery THEN $30::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $29::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $31::tsquery THEN $32::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $31::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $33::tsquery THEN $34::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $33::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $35::tsquery THEN $36::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $35::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $37::tsquery THEN $38::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $37::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $39::tsquery THEN $40::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $39::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $41::tsquery THEN $42::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $41::tsquery)) - 0.5))) ELSE 0 END ELSE 0 END +
      CASE WHEN $9::integer > 16 THEN CASE WHEN "lexemes" @@ $43::tsquery THEN $44::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $43::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $45::tsquery THEN $46::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $45::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $47::tsquery THEN $48::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $47::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $49::tsquery THEN $50::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $49::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $51::tsquery THEN $52::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $51::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $53::tsquery THEN $54::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $53::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $55::tsquery THEN $56::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $55::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $57::tsquery THEN $58::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $57::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $59::tsquery THEN $60::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $59::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $61::tsquery THEN $62::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $61::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $63::tsquery THEN $64::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $63::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $65::tsquery THEN $66::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $65::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $67::tsquery THEN $68::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $67::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $69::tsquery THEN $70::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $69::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $71::tsquery THEN $72::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $71::tsquery)) - 0.5))) ELSE 0 END +
      CASE WHEN "lexemes" @@ $73::tsquery THEN $74::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $73::tsquery)) - 0.5))) ELSE 0 END ELSE 0 END +
      CASE WHEN $10::integer > 0 THEN greatest(CASE WHEN "lexemes" @@ $75::tsquery THEN $76::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $75::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $77::tsquery THEN $78::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $77::tsquery)) - 0.5))) ELSE 0 END) +
      greatest(CASE WHEN "lexemes" @@ $79::tsquery THEN $80::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $79::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $81::tsquery THEN $82::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $81::tsquery)) - 0.5))) ELSE 0 END) +
      greatest(CASE WHEN "lexemes" @@ $83::tsquery THEN $84::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $83::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $85::tsquery THEN $86::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $85::tsquery)) - 0.5))) ELSE 0 END) +
      greatest(CASE WHEN "lexemes" @@ $87::tsquery THEN $88::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $87::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $89::tsquery THEN $90::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $89::tsquery)) - 0.5))) ELSE 0 END) ELSE 0 END + CASE WHEN EXISTS (SELECT * FROM query_terms WHERE term >= $8::integer) THEN 
    (SELECT sum(CASE WHEN query_term.variants IS NULL THEN "query_term"."upper_bound" * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ "query_term"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", "query_term"."query")) - 0.5) ELSE 0 END)))
      ELSE (SELECT max("variant"."upper_bound" * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ "variant"."query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", "variant"."query")) - 0.5) ELSE 0 END))))
        FROM unnest(query_term.variants, query_term.upper_bounds) AS variant (query, upper_bound)) END)
    FROM (SELECT * FROM query_terms WHERE term >= $8::integer) AS query_term) ELSE 0 END) AS score FROM ((
      SELECT knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY($2::tsquery[])
        AND (knowledge_base_id IN (SELECT unnest($1::uuid[]))) IS TRUE AND CASE WHEN lexemes @@ ALL($92::tsquery[]) THEN true ELSE false END OFFSET 0)
      UNION ALL
      (
      SELECT knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY($91::tsquery[])
        AND (knowledge_base_id IN (SELECT unnest($1::uuid[]))) IS TRUE AND CASE WHEN lexemes @@ ALL($92::tsquery[]) THEN true ELSE false END AND (lexemes @@ ANY($2::tsquery[])) IS NOT TRUE
      LIMIT 3000)
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT $4),
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
    FROM best)
    SELECT knowledge_base_id, document_id, position, lexemes::text, norm, bm25, score, passage_count
    FROM with_neighbours JOIN knowledge_base_statistics USING (knowledge_base_id)
