/** Analyses a document: splits it into passages and gives each its language and lexemes, ready to be stored. */
import type { ExtractedText } from './extracted-text.ts';
import { detectLanguage, detectPassageLanguage, type Language } from './language.ts';
import {
  lexemesOf,
  type PassageTokens,
  passageLexemes,
  type Stem,
  type Stems,
  wordsToStem,
} from './lexemes.ts';
import { scanMarkdown } from './markdown.ts';
import { type Passage, splitPassages } from './passages.ts';
import { tokenise } from './tokens.ts';

/** What is analysed: imported text (read as Markdown), or what an extractor made of a file. */
export type DocumentText =
  | { title: string; format: 'text'; content: string }
  | { title: string; format: 'extracted'; extracted: ExtractedText };

/**
 * A passage as it is stored; offsets count code points of the document's text, `lexemes` is tsvector text,
 * `length` its number of tokens (title and headings included). The names are the columns of `passages`.
 */
export type PassageRow = {
  position: number;
  content: string;
  start_offset: number;
  end_offset: number;
  page: number | null;
  headings: string[];
  language: Language;
  lexemes: string;
  length: number;
};

/** A document's passages in order, and in how many of them each lexeme occurs. */
export type AnalysedDocument = { passages: PassageRow[]; lexemeCounts: Map<string, number> };

/**
 * An analysed document as the strings that go to PostgreSQL: `passagesJson` is an array of `PassageRow` (for
 * json_to_recordset), `lexemeCountsJson` an object from lexeme to its number of passages (for json_each_text).
 */
export type Analysis = {
  passagesJson: string;
  passageCount: number;
  lengthTotal: number;
  lexemeCountsJson: string;
};

type Tokenised = { passage: Passage; language: Language; tokens: PassageTokens };

/**
 * Splits and analyses a document; no passages where it has no visible text. `stem` is called once per language.
 * @throws what `stem` throws
 */
export async function analyseDocument(document: DocumentText, stem: Stem): Promise<AnalysedDocument> {
  const extracted = document.format === 'text' ? scanMarkdown(document.content) : document.extracted;
  const tokenised = tokenisePassages(document.title, extracted);
  const stemsByLanguage = await stemAll(tokenised, stem);
  const lexemeCounts = new Map<string, number>();
  const passages = tokenised.map(({ passage, language, tokens }): PassageRow => {
    const lexemesOfToken = stemsByLanguage.get(language) ?? ((token) => [token]);
    const { tsvector, length, lexemes } = passageLexemes(tokens, lexemesOfToken);
    for (const lexeme of lexemes) lexemeCounts.set(lexeme, (lexemeCounts.get(lexeme) ?? 0) + 1);
    const { position, text: content, start, end, page = null, headings } = passage;
    return {
      position,
      content,
      start_offset: start,
      end_offset: end,
      page,
      headings,
      language,
      lexemes: tsvector,
      length,
    };
  });
  return { passages, lexemeCounts };
}

/** An analysed document in the form that crosses threads and goes to the database. */
export function toAnalysis({ passages, lexemeCounts }: AnalysedDocument): Analysis {
  return {
    passagesJson: JSON.stringify(passages),
    passageCount: passages.length,
    lengthTotal: passages.reduce((total, { length }) => total + length, 0),
    // Not through an object: a lexeme may be called __proto__.
    lexemeCountsJson: `{${[...lexemeCounts].map(([lexeme, count]) => `${JSON.stringify(lexeme)}:${count}`).join()}}`,
  };
}

function tokenisePassages(title: string, extracted: ExtractedText): Tokenised[] {
  const documentLanguage = detectLanguage(extracted.text);
  const titleTokens = tokenise(title);
  const headingTokens = remember((headings: string) => tokenise(headings));
  return splitPassages(extracted).map((passage) => {
    // Code looks like any language: it inherits its document's.
    const language = passage.verbatim
      ? documentLanguage
      : detectPassageLanguage(passage.text, documentLanguage);
    const above = [...passage.headings, passage.tableHeader ?? ''].join('\n');
    const tokens = { title: titleTokens, headings: headingTokens(above), content: tokenise(passage.text) };
    return { passage, language, tokens };
  });
}

/** For each language of the passages, the function from token to lexemes; a word is looked up once. */
async function stemAll(
  tokenised: Tokenised[],
  stem: Stem,
): Promise<Map<Language, (token: string) => string[]>> {
  const byLanguage = Map.groupBy(tokenised, ({ language }) => language);
  const entries = [...byLanguage].map(async ([language, passages]) => {
    const stems = await stemWords(language, allTokens(passages), stem);
    return [language, remember((token: string) => lexemesOf(token, stems))] as const;
  });
  return new Map(await Promise.all(entries));
}

async function stemWords(language: Language, tokens: Iterable<string>, stem: Stem): Promise<Stems> {
  if (language === 'simple') return new Map();
  const words = wordsToStem(tokens);
  const stems = await stem(language, words);
  return new Map(words.map((word, i) => [word, stems[i] ?? word]));
}

function* allTokens(passages: Tokenised[]): Generator<string> {
  for (const { tokens } of passages) {
    yield* tokens.title;
    yield* tokens.headings;
    yield* tokens.content;
  }
}

function remember<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key);
      known.set(key, value);
    }
    return value;
  };
}
