-- Compiled by statements.test.ts (vitest --update), never edited by hand.
WITH searched AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = $1::uuid AND knowledge_base_id = ANY($2::uuid[])),
    unmerged AS MATERIALIZED (
      SELECT key COLLATE "C" AS lexeme, sum(value::bigint) AS passage_count
      FROM (
        SELECT passage_counts, pg_column_size(passage_counts) AS size,
          sum(pg_column_size(passage_counts)) OVER (ORDER BY knowledge_base_id, id) AS total
        FROM document_frequency_deltas WHERE knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM searched))) AS delta,
        jsonb_each_text(passage_counts)
      WHERE total - size < 131072 GROUP BY key),
    spellings AS MATERIALIZED (
      SELECT pattern, coalesce(nullif(coalesce((ts_lexize("dictionary"::regdictionary, "word"))[1], ''), ''), word) AS lexeme
      FROM unnest($4::text[], $5::integer[]) AS given (word, pattern),
        (SELECT dictionary::regdictionary FROM unnest($3::text[]) AS given (dictionary)
          UNION ALL SELECT 'simple' OFFSET 0) AS languages
      UNION
      SELECT pattern, lexeme
      FROM unnest($6::text[], $7::integer[]) AS given (lexeme, pattern)),
    query_lexemes AS MATERIALIZED (SELECT DISTINCT lexeme FROM spellings),
    texts AS MATERIALIZED (
      SELECT text, pattern, is_ending, similar_to
      FROM unnest($8::text[], $9::integer[], $10::boolean[],
        $11::text[]) AS given (text, pattern, is_ending, similar_to)),
    found AS (
      SELECT pattern, lexeme, passage_count FROM spellings JOIN (
        
  SELECT merged.lexeme, merged.passage_count FROM "searched" AS searched CROSS JOIN LATERAL (
    SELECT lexeme, passage_count FROM document_frequencies
    WHERE knowledge_base_id = searched.knowledge_base_id AND lexeme = ANY(ARRAY(SELECT lexeme FROM "query_lexemes")) OFFSET 0) AS merged
        UNION ALL SELECT lexeme, passage_count FROM unmerged) AS counted USING (lexeme)
      UNION ALL
      SELECT pattern, lexeme, passage_count FROM texts, LATERAL (
        SELECT counted.lexeme, counted.passage_count FROM searched, LATERAL (
          SELECT lexeme, passage_count FROM document_frequencies AS counted
          WHERE NOT is_ending AND counted.knowledge_base_id = searched.knowledge_base_id
            AND lexeme >= text AND lexeme < text || chr(1114111)
          ORDER BY lexeme LIMIT $12::integer) AS counted
        UNION ALL
        SELECT counted.lexeme, counted.passage_count FROM searched, LATERAL (
          SELECT lexeme, passage_count FROM document_frequencies AS counted
          WHERE is_ending AND counted.knowledge_base_id = searched.knowledge_base_id
            AND reverse(lexeme) >= reverse(text) AND reverse(lexeme) < reverse(text) || chr(1114111)
            AND lexeme >= 'a' AND char_length(lexeme) >= 6
          ORDER BY reverse(lexeme) LIMIT $12::integer) AS counted
        UNION ALL
        SELECT lexeme, passage_count FROM unmerged
        WHERE CASE WHEN is_ending THEN right(lexeme, char_length(text)) = text AND lexeme >= 'a' AND char_length(lexeme) >= 6
          ELSE starts_with(lexeme, text) END
      ) AS counted
      WHERE similar_to IS NULL OR (
    char_length("lexeme") BETWEEN char_length("similar_to") - 2 * 2 AND char_length("similar_to") + 2
    AND char_length(translate("lexeme", "similar_to", '')) <= 2
    AND char_length(translate("similar_to", "lexeme", '')) <= 2 * 2)),
    ranked AS (
      SELECT pattern, lexeme, sum(passage_count)::bigint AS passage_count,
        row_number() OVER (PARTITION BY pattern ORDER BY sum(passage_count) DESC, lexeme) AS rank
      FROM found GROUP BY pattern, lexeme HAVING sum(passage_count) > 0)
    SELECT pattern, lexeme, passage_count AS "passageCount" FROM ranked
    WHERE rank <= 64 ORDER BY pattern, rank
