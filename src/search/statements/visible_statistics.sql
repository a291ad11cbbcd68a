-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH 
    visible AS MATERIALIZED (
      SELECT knowledge_base_id, id, passage_count,
        sum(passage_count) OVER (ORDER BY id, knowledge_base_id) - passage_count AS before
      FROM documents
      WHERE knowledge_base_id = ANY($1::uuid[]) AND passage_count > 0 AND ($2::jsonpath IS NULL OR
    (CASE WHEN $3::boolean THEN attributes || jsonb_build_object('$type', type, '$title', title, '$sourceUrl', source_url,
  '$createdAt', round(extract(epoch FROM created_at) * 1000)) ELSE attributes END)
      @@ $2::jsonpath)
    IS TRUE),
    extent AS MATERIALIZED (
      SELECT passages, greatest(least(passages, 1000), 1) AS sampled
      FROM (SELECT coalesce(sum(passage_count), 0)::bigint AS passages FROM visible) AS counted),
    sample AS MATERIALIZED (
      SELECT own.* FROM (
        SELECT knowledge_base_id, id, (number * "passages" / "sampled" - "before" + 1)::integer AS position
        FROM visible CROSS JOIN extent CROSS JOIN LATERAL generate_series((("before" * "sampled") + "passages" - 1) / "passages", ((("before" + passage_count) * "sampled") + "passages" - 1) / "passages" - 1) AS number
      ) AS picked CROSS JOIN LATERAL (
        SELECT lexemes, length, language FROM passage_lexemes JOIN passages USING (knowledge_base_id, document_id, position)
        WHERE passage_lexemes.knowledge_base_id = picked.knowledge_base_id
          AND passage_lexemes.document_id = picked.id AND passage_lexemes.position = picked.position OFFSET 0) AS own),
    stemmed AS MATERIALIZED (
      SELECT word, ordinal, coalesce((ts_lexize("dictionary"::regdictionary, "word"))[1], '') AS stem
      FROM unnest($6::text[], $7::text[]) WITH ORDINALITY AS given (dictionary, word, ordinal)),
    query_lexemes AS MATERIALIZED (
      SELECT DISTINCT prefix || lexeme AS lexeme FROM (
        SELECT unnest($4::text[])
        UNION ALL SELECT coalesce(nullif(stem, ''), word) FROM stemmed WHERE $8::boolean
      ) AS given (lexeme), unnest($5::text[]) AS prefix),
    sampled_lexemes AS MATERIALIZED (
      SELECT lexeme, greatest(round(count(*)::numeric * (SELECT passages::numeric / sampled FROM extent)), 1)::bigint AS passage_count
      FROM (SELECT word.lexeme FROM sample, unnest(lexemes) AS word) AS words JOIN query_lexemes USING (lexeme)
      GROUP BY lexeme)
    SELECT
      ARRAY(SELECT DISTINCT language FROM sample ORDER BY language) AS languages,
      passages AS "passageCount",
      (SELECT round(coalesce(sum(length), 0)::numeric * passages / sampled)::bigint FROM sample) AS "lengthTotal",
      (SELECT coalesce(json_object_agg(lexeme, passage_count), '{}') FROM (
        SELECT * FROM sampled_lexemes UNION ALL (
      SELECT lexeme, (
        SELECT count(*) FROM (
          SELECT FROM passage_lexemes
          WHERE passage_lexemes.lexemes @@ ('''' || replace(replace("query_lexemes"."lexeme", '\', '\\'), '''', '''''') || '''')::tsquery
            AND (passage_lexemes.knowledge_base_id = ANY($1::uuid[])) IS TRUE AND ("passage_lexemes"."knowledge_base_id", "passage_lexemes"."document_id") IN (SELECT knowledge_base_id, id FROM visible)
          LIMIT (SELECT passages / sampled + 1 FROM extent)) AS found) AS passage_count
      FROM query_lexemes
      WHERE (SELECT passages > sampled FROM extent) AND lexeme NOT LIKE '/%'
        AND NOT EXISTS (SELECT FROM sampled_lexemes WHERE sampled_lexemes.lexeme = query_lexemes.lexeme))) AS counted
        WHERE passage_count > 0) AS frequencies,
      (SELECT coalesce(array_agg(stem ORDER BY ordinal), '{}') FROM stemmed) AS stems
    FROM extent
