-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH stemmed AS NOT MATERIALIZED (
      SELECT word, ordinal, coalesce((ts_lexize("dictionary"::regdictionary, "word"))[1], '') AS stem
      FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS given (dictionary, word, ordinal)),
    query_lexemes AS NOT MATERIALIZED (
      SELECT DISTINCT prefix || lexeme AS lexeme FROM (
        SELECT unnest($3::text[])
        UNION ALL SELECT coalesce(nullif(stem, ''), word) FROM stemmed WHERE $7::boolean
      ) AS given (lexeme), unnest($4::text[]) AS prefix)
    SELECT ids, languages, "passageCount", "lengthTotal", frequencies, stems, CASE WHEN $8::boolean THEN NULL::json END AS synonyms,
      -1::bigint AS estimate
    FROM
      (SELECT coalesce(string_agg(knowledge_base_id::text, ','), '') AS ids,
        coalesce(sum(passage_count), 0)::bigint AS "passageCount",
        coalesce(sum(passage_length_total), 0)::bigint AS "lengthTotal"
        FROM knowledge_base_statistics WHERE "knowledge_base_id" = ANY($2::uuid[]) AND knowledge_base_id IN (
      SELECT knowledge_base_id FROM knowledge_bases WHERE account_id = $1::uuid AND deleted_at IS NULL AND "knowledge_base_id" = ANY($2::uuid[]))) AS totals,
      (SELECT coalesce(array_agg(language), '{}') AS languages
        FROM (SELECT DISTINCT language FROM language_statistics WHERE "knowledge_base_id" = ANY($2::uuid[]) AND knowledge_base_id IN (
      SELECT knowledge_base_id FROM knowledge_bases WHERE account_id = $1::uuid AND deleted_at IS NULL AND "knowledge_base_id" = ANY($2::uuid[]))) AS languages) AS analysed,
      (
  SELECT coalesce(json_object_agg(lexeme, passage_count), '{}') AS frequencies FROM (
    SELECT lexeme, sum(passage_count)::bigint AS passage_count
    FROM (
  SELECT lexeme, sum(passage_count)::bigint AS passage_count FROM document_frequencies
  WHERE "knowledge_base_id" = ANY($2::uuid[]) AND knowledge_base_id IN (
      SELECT knowledge_base_id FROM knowledge_bases WHERE account_id = $1::uuid AND deleted_at IS NULL AND "knowledge_base_id" = ANY($2::uuid[])) AND lexeme = ANY(ARRAY(SELECT lexeme FROM "query_lexemes")) GROUP BY lexeme
  UNION ALL
  SELECT counted.lexeme, sum((passage_counts ->> counted.lexeme)::bigint)::bigint
  FROM document_frequency_deltas CROSS JOIN (SELECT lexeme FROM "query_lexemes") AS counted
  WHERE "knowledge_base_id" = ANY($2::uuid[]) AND knowledge_base_id IN (
      SELECT knowledge_base_id FROM knowledge_bases WHERE account_id = $1::uuid AND deleted_at IS NULL AND "knowledge_base_id" = ANY($2::uuid[])) AND passage_counts ? counted.lexeme GROUP BY counted.lexeme) AS counted
    GROUP BY lexeme HAVING sum(passage_count) > 0) AS occurring) AS occurring,
      (SELECT coalesce(array_agg(stem ORDER BY ordinal), '{}') AS stems FROM stemmed) AS stemmed_words
