-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH query_terms AS MATERIALIZED (
  SELECT term, (array_agg(query))[1] AS query, (array_agg(upper_bound))[1] AS upper_bound,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS variants, array_agg(upper_bound) AS upper_bounds
  FROM (
    SELECT query::tsquery AS query, upper_bound, term
    FROM unnest($5::text[], $6::float8[], $7::integer[]) AS given (query, upper_bound, term)
  ) AS variant GROUP BY term),
    located AS MATERIALIZED (
      (SELECT knowledge_base_id, id FROM documents
      WHERE $115::uuid[] IS NULL AND $112::jsonpath IS NOT NULL AND knowledge_base_id = ANY($1::uuid[])
      LIMIT $117::bigint + 1)
      UNION ALL
      SELECT knowledge_base_id, id
      FROM unnest($114::uuid[], $115::uuid[]) AS named (knowledge_base_id, id)
      WHERE knowledge_base_id = ANY($1::uuid[])),
    scope AS MATERIALIZED (
      SELECT knowledge_base_id, id, passage_count FROM located JOIN documents USING (knowledge_base_id, id)
      WHERE "documents"."knowledge_base_id" = ANY($1::uuid[]) AND (SELECT count(*) FROM located) <= $117::bigint AND ($112::jsonpath IS NULL OR
    (CASE WHEN $113::boolean THEN attributes || jsonb_build_object('$type', type, '$title', title, '$sourceUrl', source_url,
  '$createdAt', round(extract(epoch FROM created_at) * 1000)) ELSE attributes END)
      @@ $112::jsonpath)
    IS TRUE),
    extent AS MATERIALIZED (
      SELECT is_known, is_known AND (SELECT coalesce(sum(passage_count), 0) FROM scope) <= 3000 AS is_small, is_known AND (SELECT coalesce(sum(passage_count), 0) FROM scope) <= 20000 AS is_comparable,
        CASE WHEN is_known THEN (SELECT count(*) FROM scope)
          WHEN $112::jsonpath IS NULL THEN (SELECT count(*) FROM (
            SELECT 1 FROM documents WHERE knowledge_base_id = ANY($1::uuid[]) LIMIT 50) AS counted) END AS documents_max
      FROM (SELECT $115::uuid[] IS NOT NULL
        OR ($112::jsonpath IS NOT NULL AND (SELECT count(*) FROM located) <= $117::bigint) AS is_known
      ) AS known),
    scored AS MATERIALIZED (
      SELECT *, (CASE WHEN $9::integer > 0 THEN CASE WHEN "lexemes" @@ $11::tsquery THEN $12::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $11::tsquery)) - 0.5))) ELSE 0 END +
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
      greatest(CASE WHEN "lexemes" @@ $87::tsquery THEN $88::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $87::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $89::tsquery THEN $90::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $89::tsquery)) - 0.5))) ELSE 0 END) ELSE 0 END + coalesce(
    (SELECT sum(most) FROM (
      SELECT max(upper_bound * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ query::tsquery THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", query::tsquery)) - 0.5) ELSE 0 END)))) AS most
      FROM unnest($5::text[], $6::float8[], $7::integer[]) AS variant (query, upper_bound, term)
      WHERE term >= $8::integer GROUP BY term) AS scores), 0)) AS score FROM (
      (SELECT passage_lexemes.knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm FROM scope JOIN passage_lexemes
        ON passage_lexemes.knowledge_base_id = scope.knowledge_base_id AND document_id = scope.id
      WHERE "passage_lexemes"."knowledge_base_id" = ANY($1::uuid[]) AND (SELECT is_small FROM extent) AND lexemes @@ $118::tsquery
        AND CASE WHEN lexemes @@ ALL($92::tsquery[]) THEN true ELSE false END)
      UNION ALL
      (SELECT passage_lexemes.knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm FROM passage_lexemes JOIN documents
        ON documents.knowledge_base_id = passage_lexemes.knowledge_base_id AND id = document_id
      WHERE "passage_lexemes"."knowledge_base_id" = ANY($1::uuid[]) AND "documents"."knowledge_base_id" = ANY($1::uuid[]) AND NOT (SELECT is_small FROM extent)
        AND lexemes @@ ANY($2::tsquery[] || $91::tsquery[])
        AND CASE WHEN lexemes @@ ALL($92::tsquery[]) THEN true ELSE false END AND ($112::jsonpath IS NULL OR
    (CASE WHEN $113::boolean THEN attributes || jsonb_build_object('$type', type, '$title', title, '$sourceUrl', source_url,
  '$createdAt', round(extract(epoch FROM created_at) * 1000)) ELSE attributes END)
      @@ $112::jsonpath)
    IS TRUE
        AND (NOT (SELECT is_known FROM extent) OR (documents.knowledge_base_id, id) IN (SELECT knowledge_base_id, id FROM scope)))) AS candidate),
    first AS MATERIALIZED (SELECT * FROM scored ORDER BY score DESC, document_id DESC, position LIMIT $4),
    by_words AS MATERIALIZED (SELECT * FROM first WHERE ((SELECT $100::boolean OR is_small OR (
        (SELECT count(*) FROM scored) >= 100 AND (SELECT count(*) FROM first) >= least($4, coalesce($116::integer, $4) * documents_max))
      FROM extent) AND (SELECT count(*) FROM scored) >= $101::integer)),
    best AS MATERIALIZED (
      SELECT * FROM by_words UNION ALL (
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
      greatest(CASE WHEN "lexemes" @@ $87::tsquery THEN $88::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $87::tsquery)) - 0.5))) ELSE 0 END, CASE WHEN "lexemes" @@ $89::tsquery THEN $90::float8 * (1 - "norm" / ("norm" + round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", $89::tsquery)) - 0.5))) ELSE 0 END) ELSE 0 END + coalesce(
    (SELECT sum(most) FROM (
      SELECT max(upper_bound * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ query::tsquery THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", query::tsquery)) - 0.5) ELSE 0 END)))) AS most
      FROM unnest($5::text[], $6::float8[], $7::integer[]) AS variant (query, upper_bound, term)
      WHERE term >= $8::integer GROUP BY term) AS scores), 0)) AS score FROM (
      SELECT knowledge_base_id, document_id, position, 
  CASE WHEN pg_column_size(lexemes) > 8000 THEN lexemes || ''::tsvector ELSE lexemes END AS lexemes,
        (0.315::float8 + $3::float8 * "length") AS norm
      FROM (
        SELECT * FROM (
        SELECT knowledge_base_id, document_id, position, bit_count(substring(vector FROM 0 * $103::integer + 1 FOR $103::integer) # ($104::bit varying[])[1]) AS distance FROM passage_vectors
        WHERE ($107::boolean AND $108::json IS NULL OR $104::bit varying[] IS NOT NULL AND (SELECT is_comparable FROM extent)) AND "knowledge_base_id" = ANY($1::uuid[]) AND generation = $102::smallint
          AND CASE WHEN (SELECT is_known FROM extent)
            THEN (knowledge_base_id, document_id) IN (SELECT knowledge_base_id, id FROM scope)
            ELSE $112::jsonpath IS NULL END) AS compared
        ORDER BY distance, document_id DESC, position LIMIT 50
      ) AS nearest JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE "passage_lexemes"."knowledge_base_id" = ANY($1::uuid[]) AND NOT EXISTS (
        SELECT FROM by_words WHERE by_words.document_id = nearest.document_id AND by_words.position = nearest.position)
    ) AS candidate)),
    neighbourhoods AS MATERIALIZED (
    SELECT near.document_id, best.position, array_agg(near.lexemes) AS vectors, sum(near.length) AS length,
      count(*) - 1 AS others
    FROM best JOIN passage_lexemes AS near ON near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - 2 AND best.position + 2 AND "near"."knowledge_base_id" = ANY($1::uuid[])
    WHERE score >= 0.6::float8 * (SELECT max(score) FROM best)
    GROUP BY near.knowledge_base_id, near.document_id, best.position),
    cosines AS MATERIALIZED (
    SELECT document_id, position, least(greatest($105::float8 * (
      4 * (8 * bit_count("plane0" & ($104::bit varying[])[1]) + 4 * bit_count("plane0" & ($104::bit varying[])[2]) + 2 * bit_count("plane0" & ($104::bit varying[])[3]) + 1 * bit_count("plane0" & ($104::bit varying[])[4]) - 7.5 * bit_count("plane0")) + 
      2 * (8 * bit_count("plane1" & ($104::bit varying[])[1]) + 4 * bit_count("plane1" & ($104::bit varying[])[2]) + 2 * bit_count("plane1" & ($104::bit varying[])[3]) + 1 * bit_count("plane1" & ($104::bit varying[])[4]) - 7.5 * bit_count("plane1")) + 
      1 * (8 * bit_count("plane2" & ($104::bit varying[])[1]) + 4 * bit_count("plane2" & ($104::bit varying[])[2]) + 2 * bit_count("plane2" & ($104::bit varying[])[3]) + 1 * bit_count("plane2" & ($104::bit varying[])[4]) - 7.5 * bit_count("plane2"))
      - $106::float8), 0), 1) AS cosine
    FROM (
      SELECT best.document_id, best.position, substring(vector FROM 0 * $103::integer + 1 FOR $103::integer) AS "plane0", substring(vector FROM 1 * $103::integer + 1 FOR $103::integer) AS "plane1", substring(vector FROM 2 * $103::integer + 1 FOR $103::integer) AS "plane2"
      FROM best JOIN passage_vectors USING (knowledge_base_id, document_id, position)
      WHERE "passage_vectors"."knowledge_base_id" = ANY($1::uuid[]) AND generation = $102::smallint AND $105::float8 IS NOT NULL
      OFFSET 0) AS planes),
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
      SELECT vectors, (0.315::float8 + $3::float8 * length) AS norm, others FROM neighbourhoods
      WHERE document_id = best.document_id AND position = best.position) AS neighbourhood) ELSE score END
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
    WHERE char_length(lexeme) > 1 AND lexeme <> ALL($97::text[])
    GROUP BY lexeme HAVING count(*) > 1
    ORDER BY centroid DESC, lexeme LIMIT 100),
  among AS MATERIALIZED (
    SELECT ts_filter(lexemes, '{a,b,c,d}') AS lexemes FROM scored
    ORDER BY score DESC, document_id DESC, position LIMIT 500),
  collection AS MATERIALIZED (SELECT count(*) AS passage_count FROM among),
  counted AS (
    SELECT lexeme, max(centroid) AS centroid, sum(passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM (
      SELECT lexeme, centroid, 0 AS passage_count FROM shared UNION ALL
      SELECT lexeme, NULL, passage_count
      FROM (SELECT word.lexeme, 1 AS passage_count FROM among, unnest(lexemes) AS word
        WHERE word.lexeme IN (SELECT lexeme FROM shared)) AS counts) AS counts
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
      SELECT *, score AS combined, coalesce(lexemes @@ $96::tsquery, false) AS has_all,
        CASE WHEN coalesce(lexemes @@ $93::tsquery, false) THEN 3 WHEN coalesce(lexemes @@ $94::tsquery, false) THEN 2 WHEN coalesce(lexemes @@ $95::tsquery, false) THEN 1 ELSE 0 END AS level, score + 4::float8 * best_score * (feedback_weight + CASE WHEN scale IS NULL THEN 0 ELSE coalesce(
        (SELECT sum(squared_idf * element * greatest(centroid - feedback_weight * element, 0))
        FROM (SELECT squared_idf, centroid, ("scale" * (1 - "norm" / ("norm" + (CASE WHEN "lexemes" @@ "query" THEN round(0.6079271 / (1 - ts_rank('{1,1,1,1}', "lexemes", "query")) - 0.5) ELSE 0 END)))) AS element FROM feedback_terms OFFSET 0) AS elements), 0) END
        ) / nullif((SELECT sum(feedback_weight) FROM feedback), 0) AS total
      FROM (
        SELECT *, CASE WHEN EXISTS (SELECT FROM feedback_terms) THEN ((1 + norm) / sqrt(length(ts_filter(lexemes, '{a,b,c,d}')))) END AS scale FROM feedback OFFSET 0
      ) AS scaled OFFSET 0) AS summed),
    ordered AS MATERIALIZED (
    WITH kept AS MATERIALIZED (
      SELECT *, ($109::float8 * "relevant" + $110::float8 * coalesce(cosine, 0) * ($98::float8 - $109::float8 * "relevant")) AS unlifted
      FROM (
        SELECT *, CASE WHEN has_all THEN full_score
            ELSE least(score, min(full_score) FILTER (WHERE has_all) OVER (ORDER BY combined DESC) - 0.000002 * $98::float8)
            END AS relevant
        FROM (SELECT *, combined + 0.1 * (score - combined) AS full_score FROM reranked) AS weighed
      ) AS by_words LEFT JOIN cosines USING (document_id, position))
    SELECT knowledge_base_id, document_id, position, bm25, combined, relevant, unlifted, cosine,
      CASE WHEN level < 1 THEN unlifted ELSE $98::float8 * (1 - (1 - unlifted / $98::float8) * coalesce((SELECT 1 - max(unlifted) / $98::float8 FROM kept WHERE level = 0), 1) * CASE WHEN level > 1 THEN coalesce((SELECT 1 - max(unlifted) / $98::float8 FROM kept WHERE level = 1), 1) ELSE 1 END * CASE WHEN level > 2 THEN coalesce((SELECT 1 - max(unlifted) / $98::float8 FROM kept WHERE level = 2), 1) ELSE 1 END) END AS score
    FROM kept),
    ranked AS (
      SELECT knowledge_base_id, document_id, position, $109::float8 * "bm25" AS "bm25", $109::float8 * "combined" AS "combined",
        $109::float8 * "relevant" AS "relevant", unlifted, cosine,
        round((score / $98::float8)::numeric, 6)::float8 AS score
      FROM ordered WHERE (bm25 * $109::float8 > 0 OR cosine >= (
        SELECT greatest($111::float8, 0.75 * max(cosine)) FROM cosines)) ORDER BY score DESC FETCH FIRST $99 ROWS WITH TIES)
    SELECT found.*, ((SELECT $100::boolean OR is_small OR (
        (SELECT count(*) FROM scored) >= 100 AND (SELECT count(*) FROM first) >= least($4, coalesce($116::integer, $4) * documents_max))
      FROM extent) AND (SELECT count(*) FROM scored) >= $101::integer) AS "isEnough",
      (SELECT count(*) FROM scored) AS matched
    FROM (SELECT 1) AS always LEFT JOIN (
      SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, time_ms, later_starts, headings, documents.title, documents.source, documents.type, attributes, source_url,
      external_id, least(ranked.score, 1) AS score, bm25, combined, relevant, unlifted, cosine, documents.created_at FROM ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
      AND "documents"."knowledge_base_id" = ANY($1::uuid[]) AND "passages"."knowledge_base_id" = ANY($1::uuid[])) AS found ON true
    ORDER BY score DESC, created_at DESC, position, document_id, knowledge_base_id
    LIMIT $99
