/** Splits a text into passages as the service does, and counts the words of each for searches. */
import { detectLanguage, detectPassageLanguage, type Language } from '../../../src/analysis/language.ts';
import { lexemesOf, type Stems } from '../../../src/analysis/lexemes.ts';
import { tokenise } from '../../../src/analysis/tokens.ts';
import type { PassageRow } from '../../../src/database/rows/documents/passages.ts';
import type { ExtractedText } from '../../../src/indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../../src/indexing/split/markdown.ts';
import { sizeOf } from '../../../src/indexing/split/passage-size.ts';
import { splitPassages } from '../../../src/indexing/split/passages.ts';
import type { ScopedId } from '../../../src/terms/ids.ts';

/** A passage. `frequencies`: how often it has each lexeme. `length`: in letters, for BM25. */
export type IndexedPassage = PassageRow & {
  language: Language;
  length: number;
  frequencies: ReadonlyMap<string, number>;
};

/** A title counts four times in searches. */
const TITLE_WEIGHT = 4;

/** The service stems words in PostgreSQL. Here, a search compares the beginnings of words: see search.ts. */
const NO_STEMS: Stems = new Map();

/** For each lexeme of a text the indices of its tokens. */
export function lexemesIn(text: string): Map<string, number[]> {
  const { tokens, stackedTokens, stackedAt } = tokenise(text);
  const found = new Map<string, number[]>();
  const add = (token: string, at: number) => {
    const { asWritten, unaccented } = lexemesOf(token, NO_STEMS);
    for (const lexeme of [...asWritten, ...unaccented]) {
      const indices = found.get(lexeme);
      if (indices === undefined) found.set(lexeme, [at]);
      else indices.push(at);
    }
  };
  tokens.forEach(add);
  for (const [i, token] of stackedTokens.entries()) add(token, stackedAt[i] ?? 0);
  return found;
}

/** How often a passage has each lexeme, with its headings and its title. */
export function countLexemes(passage: PassageRow, title: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const [lexeme, { length }] of lexemesIn(text))
      counts.set(lexeme, (counts.get(lexeme) ?? 0) + weight * length);
  };
  add(passage.content, 1);
  add(passage.headings.join('\n'), 1);
  add(title, TITLE_WEIGHT);
  return counts;
}

/** The passages of a document. `isText`: its title is as informative as its content; the name of a file is not. */
export function toPassages(
  extracted: ExtractedText,
  { document, title, isText }: { document: ScopedId; title: string; isText: boolean },
): IndexedPassage[] {
  const language = detectLanguage(isText ? `${title}\n${extracted.text}` : extracted.text);
  return Array.from(splitPassages(extracted), (passage) => {
    const { position, text, start, end, page, timeMs, later, headings, tableHeader = '' } = passage;
    const isNamed = tableHeader !== '' && tableHeader.length <= HEADING_MAX_LENGTH;
    const row: PassageRow = {
      knowledge_base_id: document.knowledgeBaseId,
      document_id: document.id,
      position,
      content: text,
      start_offset: start,
      end_offset: end,
      page: page ?? null,
      time_ms: timeMs ?? null,
      later_starts: later ?? null,
      headings: isNamed ? [...headings, tableHeader] : headings,
    };
    return {
      ...row,
      language: detectPassageLanguage(text, language),
      length: Math.round(sizeOf(text, 0, text.length)),
      frequencies: countLexemes(row, title),
    };
  });
}
