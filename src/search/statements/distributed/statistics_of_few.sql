-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH searched AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = $1::uuid AND deleted_at IS NULL AND knowledge_base_id = ANY($2::uuid[])),
    stemmed AS MATERIALIZED (
      SELECT word, ordinal, coalesce((ts_lexize("dictionary"::regdictionary, "word"))[1], '') AS stem
      FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS given (dictionary, word, ordinal)),
    query_lexemes AS MATERIALIZED (
      SELECT DISTINCT prefix || lexeme AS lexeme FROM (
        SELECT unnest($3::text[])
        UNION ALL SELECT coalesce(nullif(stem, ''), word) FROM stemmed WHERE $7::boolean
      ) AS given (lexeme), unnest($4::text[]) AS prefix)
    SELECT
      array_to_string(ARRAY(SELECT knowledge_base_id FROM searched), ',') AS ids,
      (SELECT coalesce(array_agg(DISTINCT language), '{}') FROM language_statistics WHERE knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM searched))) AS languages,
      coalesce(sum(passage_count), 0)::bigint AS "passageCount",
      coalesce(sum(passage_length_total), 0)::bigint AS "lengthTotal",
      (SELECT reltuples::bigint FROM pg_class WHERE oid = 'passage_lexemes'::regclass) AS estimate,
      (
  SELECT coalesce(json_object_agg(lexeme, passage_count), '{}') AS frequencies FROM (
    SELECT lexeme, sum(passage_count)::bigint AS passage_count
    FROM (
  SELECT merged.lexeme, merged.passage_count FROM "searched" AS searched CROSS JOIN LATERAL (
    SELECT lexeme, passage_count FROM document_frequencies
    WHERE knowledge_base_id = searched.knowledge_base_id AND lexeme = ANY(ARRAY(SELECT lexeme FROM "query_lexemes")) OFFSET 0) AS merged
  UNION ALL
  SELECT counted.lexeme, counted.passage_count::bigint
  FROM (
      SELECT passage_counts || '{}' AS passage_counts FROM document_frequency_deltas
      WHERE knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM searched)) OFFSET 0) AS delta
    CROSS JOIN LATERAL (
      SELECT lexeme, delta.passage_counts ->> lexeme AS passage_count FROM "query_lexemes" OFFSET 0) AS counted
  WHERE counted.passage_count IS NOT NULL) AS counted
    GROUP BY lexeme HAVING sum(passage_count) > 0) AS occurring) AS frequencies,
      (SELECT coalesce(array_agg(stem ORDER BY ordinal), '{}') FROM stemmed) AS stems,
      CASE WHEN $8::boolean THEN NULL::json END AS synonyms
    FROM knowledge_base_statistics WHERE knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM searched))
