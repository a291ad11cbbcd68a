/** Analyses a document: splits it into passages and gives each its language and lexemes, ready to be stored. */

import {
  detectLanguage,
  detectPassageLanguage,
  isToldByStopWords,
  type Language,
} from '../analysis/language.ts';
import type { Stem } from '../analysis/lexemes.ts';
import { tokeniseAs } from '../analysis/tokens.ts';
import { type BinaryArray, createBinaryArray, elementTypes } from '../binary-array.ts';
import { createDocumentPostings, type NumberedText, type PassageTokens } from './postings/postings.ts';
import { createTermDictionary, type TermDictionary } from './postings/term-dictionary.ts';
import { createTokenIds } from './postings/token-ids.ts';
import { type PackedText, type StructuredText, unpackText } from './split/extracted-text.ts';
import { HEADING_MAX_LENGTH, scanMarkdown } from './split/markdown.ts';
import { sizeOf } from './split/passage-size.ts';
import { type Passage, splitPassages } from './split/passages.ts';

/**
 * What is analysed: imported text (read as Markdown), or what an extractor made of a file. `expected` are the languages
 * that it is probably in, the likeliest first (those of its knowledge base); none where nothing is known.
 */
export type DocumentText = { title: string; expected?: Language[] } & (
  | { format: 'text'; content: string }
  | { format: 'extracted'; extracted: PackedText }
);

/**
 * Passages in order, one binary array a column (see storage/binary-array.ts); the names are the columns of `passages`
 * and `passage_lexemes`. Offsets count code points of the document's text, `headings` is JSON text, `length` the
 * size of `content` in letters (`sizeOf`).
 */
export type PassageColumns = Record<
  'content' | 'start_offset' | 'end_offset' | 'page' | 'headings' | 'language' | 'length' | 'lexemes',
  Uint8Array
>;

/**
 * What a document's passages add to the statistics: their number, their lengths' sum, and how many are in each language.
 */
export type PassageTotals = {
  passageCount: number;
  lengthTotal: number;
  languageCounts: Map<Language, number>;
};

/** In how many passages each lexeme is, an array for each statement (see `passageCounts` of a document's lexemes). */
type LexemeCounts = Uint8Array[];

/**
 * A run of passages of which the first has the `position`. Some parts have counts of lexemes: of their own passages, and
 * of those before for which there were none yet. The last part has them, and the whole document's totals.
 */
export type AnalysedPart = { position: number; columns: PassageColumns } & (
  | { lexemeCounts?: LexemeCounts; totals?: undefined }
  | { lexemeCounts: LexemeCounts; totals: PassageTotals }
);

/**
 * Passages that are analysed together: a large document's first ones can be stored while the next are analysed.
 * As many as a fifteenth of a second's work.
 */
const PASSAGES_PER_PART = 150;

/**
 * Distinct texts of tokens and lexemes above which those so far are counted and forgotten: 40 MB here, and as much where
 * the counts are stored. A million characters of English have 20,000, of Chinese 200,000.
 */
const DISTINCT_TEXTS_MAX = 250_000;

type Tokenised = { passage: Passage; tokens: PassageTokens };
const tokensOf = ({ tokens }: Tokenised): PassageTokens => tokens;

/** What is known of the words of a document, or of a stretch of one that has very many. */
type Words = ReturnType<typeof createWords>;

function createWords(title: string, stem: Stem) {
  const numbers = createTokenIds();
  return {
    tokenisePassage: passageTokeniser(title, (text) => tokeniseAs(numbers, text)),
    lexemes: createDocumentPostings(numbers),
    vocabulary: createTermDictionary(stem, numbers),
    areMany: () => numbers.size() > DISTINCT_TEXTS_MAX,
  };
}

/**
 * Splits and analyses a document, part by part, each when it is asked for; the one part of a document without visible
 * text has no passages. `stem` is called for words that this document has not had yet, or not for long.
 * @throws what `stem` throws
 */
export async function* analyseDocument(document: DocumentText, stem: Stem): AsyncGenerator<AnalysedPart> {
  const structured =
    document.format === 'text' ? scanMarkdown(document.content) : unpackText(document.extracted);
  const documentLanguage = languageOfDocument(document, structured);
  const totals: PassageTotals = { passageCount: 0, lengthTotal: 0, languageCounts: new Map() };
  let words = createWords(document.title, stem);
  for (const { passages, isLast } of runsOf(splitPassages(structured), PASSAGES_PER_PART)) {
    const isAlone = isLast && totals.passageCount + passages.length === 1;
    const columns = await analysePassages(passages, { words, documentLanguage, isAlone, totals });
    const part = { position: totals.passageCount - passages.length + 1, columns };
    if (isLast) yield { ...part, lexemeCounts: words.lexemes.passageCounts(), totals };
    else if (words.areMany()) {
      yield { ...part, lexemeCounts: words.lexemes.passageCounts() };
      words = createWords(document.title, stem);
    } else yield part;
  }
}

/** Runs of `length`, the last of which may be shorter; one without elements where there are none. */
function* runsOf(
  passages: Iterable<Passage>,
  length: number,
): Generator<{ passages: Passage[]; isLast: boolean }> {
  let run: Passage[] = [];
  for (const passage of passages) {
    if (run.length === length) {
      yield { passages: run, isLast: false };
      run = [];
    }
    run.push(passage);
  }
  yield { passages: run, isLast: true };
}

type Surroundings = { words: Words; documentLanguage: Language; isAlone: boolean; totals: PassageTotals };

/** The columns of some passages, which are added to the totals. */
async function analysePassages(
  passages: Passage[],
  { words, documentLanguage, isAlone, totals }: Surroundings,
): Promise<PassageColumns> {
  const { tokenisePassage, vocabulary, lexemes } = words;
  const tokenised = passages.map(tokenisePassage);
  const languageOf = passageLanguages(documentLanguage, vocabulary, isAlone);
  const languages = await languageOf(tokenised);
  const columns = createPassageColumns();
  for (const [i, { passage, tokens }] of tokenised.entries()) {
    const language = languages[i] as Language; // one each
    lexemes.addPassage(columns.lexemes, tokens, vocabulary.lexemesIn(language));
    const length = lengthOf(passage.text);
    addPassage(columns, { passage, language, length });
    totals.passageCount++;
    totals.lengthTotal += length;
    totals.languageCounts.set(language, (totals.languageCounts.get(language) ?? 0) + 1);
  }
  return finishColumns(columns);
}

/**
 * The length that BM25 goes by. In letters, not tokens, so that it means the same in every script: a Thai passage
 * has four times the tokens of an English one that says the same. On the six XQuAD languages in one knowledge base
 * Thai gains .003 nDCG@10, German loses .005; alone, the collections gain .0006 in the mean. Without title and
 * headings, which repeat.
 */
const lengthOf = (content: string): number => Math.round(sizeOf(content, 0, content.length));

type Columns = Record<keyof PassageColumns, BinaryArray>;

const createPassageColumns = (): Columns => ({
  content: createBinaryArray(elementTypes.text),
  start_offset: createBinaryArray(elementTypes.integer),
  end_offset: createBinaryArray(elementTypes.integer),
  page: createBinaryArray(elementTypes.integer),
  headings: createBinaryArray(elementTypes.text),
  language: createBinaryArray(elementTypes.text),
  length: createBinaryArray(elementTypes.integer),
  lexemes: createBinaryArray(elementTypes.tsvector),
});

function addPassage(
  columns: Columns,
  { passage, language, length }: { passage: Passage; language: Language; length: number },
): void {
  columns.content.addText(passage.text);
  columns.start_offset.addInteger(passage.start);
  columns.end_offset.addInteger(passage.end);
  columns.page.addInteger(passage.page ?? null);
  columns.headings.addText(JSON.stringify(headingsOf(passage)));
  columns.language.addText(language);
  columns.length.addInteger(length);
}

/** The headings above a passage, and last of all the row that names the columns of the table it begins in, if it is short. */
function headingsOf({ headings, tableHeader = '' }: Passage): string[] {
  return tableHeader === '' || tableHeader.length > HEADING_MAX_LENGTH
    ? headings
    : [...headings, tableHeader];
}

const finishColumns = (columns: Columns): PassageColumns => ({
  content: columns.content.toBuffer(),
  start_offset: columns.start_offset.toBuffer(),
  end_offset: columns.end_offset.toBuffer(),
  page: columns.page.toBuffer(),
  headings: columns.headings.toBuffer(),
  language: columns.language.toBuffer(),
  length: columns.length.toBuffer(),
  lexemes: columns.lexemes.toBuffer(),
});

/** From a passage to its tokens, and those of what stands above it. */
function passageTokeniser(
  title: string,
  tokenise: (text: string) => NumberedText,
): (passage: Passage) => Tokenised {
  const titleTokens = tokenise(title);
  const headingTokens = rememberLast((headings: string) => tokenise(headings));
  return (passage) => {
    const above = [...passage.headings, passage.tableHeader ?? ''].join('\n');
    const tokens = { title: titleTokens, headings: headingTokens(above), content: tokenise(passage.text) };
    return { passage, tokens };
  };
}

/** A text's title tells as much as its content; a file's name tells little. */
const languageOfDocument = ({ title, format, expected }: DocumentText, { text }: StructuredText): Language =>
  detectLanguage(format === 'text' ? `${title}\n${text}` : text, expected);

/**
 * For the passages of a document, the function to their languages; `vocabulary` has learnt their words in these then.
 * It throws what `stem` throws.
 */
function passageLanguages(
  documentLanguage: Language,
  vocabulary: TermDictionary,
  isAlone: boolean,
): (passages: Tokenised[]) => Promise<Language[]> {
  const isStopWord = vocabulary.stopWordsIn(documentLanguage);
  const languageOf = ({ passage, tokens }: Tokenised): Language => {
    // Code looks like any language: it inherits its document's. So does a passage that is the whole document.
    if (passage.verbatim || isAlone || isToldByStopWords(tokens.content.tokens, isStopWord))
      return documentLanguage;
    return detectPassageLanguage(passage.text, documentLanguage);
  };
  return async (passages) => {
    await vocabulary.learn(documentLanguage, passages.map(tokensOf));
    const languages = passages.map(languageOf);
    const byLanguage = Map.groupBy(passages.keys(), (i) => languages[i] as Language); // one each
    byLanguage.delete(documentLanguage); // learnt already
    for (const [language, places] of byLanguage) {
      await vocabulary.learn(
        language,
        places.map((i) => tokensOf(passages[i] as Tokenised)), // by its own keys
      );
    }
    return languages;
  };
}

/** Computes anew when the key is another one than the last: passages below the same headings follow one another. */
function rememberLast<Key extends string, T>(compute: (key: Key) => T): (key: Key) => T {
  let last: { key: Key; value: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
