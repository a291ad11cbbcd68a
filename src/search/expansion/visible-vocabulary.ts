/**
 * Looks for lexemes in the passages that a restricted key sees: in the sample of them, which is all where it has few.
 * The vocabularies of the index would complete words that only other documents have.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { readInEach, scaled, type VisiblePassages, visibleTables } from '../visible-passages.ts';
import {
  type Found,
  type FoundRow,
  foundBy,
  hasEnding,
  isSimilar,
  type LexemePattern,
  mostFrequent,
  patternValues,
  spellingTables,
  textColumns,
} from './vocabulary.ts';

const VALUES = [
  ...([
    'ids',
    'path',
    'hasFields',
    'dictionaries',
    'words',
    'wordPatterns',
    'lexemes',
    'lexemePatterns',
  ] as const),
  ...(['texts', 'textPatterns', 'areEndings', 'similarTo'] as const),
] as const;

/** SQL for the lexemes of the sample but the reserved ones, which begin with a slash or a knowledge base's mark. */
const vocabulary = sql`vocabulary AS MATERIALIZED (
      SELECT word.lexeme COLLATE "C" AS lexeme, ${scaled(sql`count(*)`)} AS passage_count
      FROM sample, unnest(lexemes) AS word WHERE word.positions IS NOT NULL GROUP BY 1)`;

const lookUpSql = (values: Record<(typeof VALUES)[number], RawBuilder<unknown>>) => sql<FoundRow>`
    WITH ${visibleTables(values)},
    ${vocabulary},
    ${spellingTables(values)},
    texts AS MATERIALIZED (
      SELECT text, pattern, is_ending, similar_to
      FROM unnest(${values.texts}::text[], ${values.textPatterns}::integer[], ${values.areEndings}::boolean[],
        ${values.similarTo}::text[]) AS given (text, pattern, is_ending, similar_to)),
    found AS (
      SELECT pattern, lexeme, passage_count FROM spellings JOIN vocabulary USING (lexeme)
      UNION ALL
      SELECT pattern, lexeme, passage_count FROM texts JOIN vocabulary
        ON CASE WHEN is_ending THEN right(lexeme, char_length(text)) = text AND ${hasEnding}
          ELSE starts_with(lexeme, text) END
      WHERE similar_to IS NULL OR (${isSimilar(sql.ref('lexeme'), sql.ref('similar_to'))})),
    ${mostFrequent}`;

const readFound = prepare('visible_vocabulary', VALUES, lookUpSql, { build: lookUpSql, ids: 'ids' });

/** Beginnings and endings that a look-up searches for: each is compared with all lexemes of the sample. */
const TEXTS_MAX = 200;

/** Looks for the lexemes of the patterns, in their order, in the visible passages. */
export async function lookUpVisible(
  database: Queryable,
  { ids, languages, restriction }: VisiblePassages & { languages: string[] },
  patterns: LexemePattern[],
): Promise<Found[]> {
  const { texts, ...values } = patternValues(languages, patterns);
  const given = { ...restriction, ...values, ...textColumns(texts.slice(0, TEXTS_MAX)) };
  const parts = await readInEach(database, ids, (some) =>
    readFound(database, { ...given, ids: `{${some}}` }),
  );
  const found = foundBy(patterns, []);
  for (const { pattern, lexeme, passageCount } of parts.flat())
    found[pattern]?.set(lexeme, (found[pattern].get(lexeme) ?? 0) + passageCount);
  return found;
}
