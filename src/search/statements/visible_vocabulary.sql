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
    vocabulary AS MATERIALIZED (
      SELECT word.lexeme COLLATE "C" AS lexeme, greatest(round(count(*)::numeric * (SELECT passages::numeric / sampled FROM extent)), 1)::bigint AS passage_count
      FROM sample, unnest(lexemes) AS word WHERE word.positions IS NOT NULL GROUP BY 1),
    spellings AS MATERIALIZED (
      SELECT pattern, coalesce(nullif(coalesce((ts_lexize("dictionary"::regdictionary, "word"))[1], ''), ''), word) AS lexeme
      FROM unnest($5::text[], $6::integer[]) AS given (word, pattern),
        (SELECT dictionary::regdictionary FROM unnest($4::text[]) AS given (dictionary)
          UNION ALL SELECT 'simple' OFFSET 0) AS languages
      UNION
      SELECT pattern, lexeme
      FROM unnest($7::text[], $8::integer[]) AS given (lexeme, pattern)),
    query_lexemes AS MATERIALIZED (SELECT DISTINCT lexeme FROM spellings),
    texts AS MATERIALIZED (
      SELECT text, pattern, is_ending, similar_to
      FROM unnest($9::text[], $10::integer[], $11::boolean[],
        $12::text[]) AS given (text, pattern, is_ending, similar_to)),
    found AS (
      SELECT pattern, lexeme, passage_count FROM spellings JOIN vocabulary USING (lexeme)
      UNION ALL
      SELECT pattern, lexeme, passage_count FROM texts JOIN vocabulary
        ON CASE WHEN is_ending THEN right(lexeme, char_length(text)) = text AND lexeme >= 'a' AND char_length(lexeme) >= 6
          ELSE starts_with(lexeme, text) END
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
