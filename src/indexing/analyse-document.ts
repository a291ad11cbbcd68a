/** Analyses a document: splits it into passages and finds the language and lexemes of each, ready to be stored. */

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
 * The document: imported text (parsed as Markdown), or the text extracted from a file. `expected` are its probable
 * languages, the likeliest first (those of its knowledge base); none where nothing is known.
 */
export type DocumentText = { title: string; expected?: Language[] } & (
  | { format: 'text'; content: string }
  | { format: 'extracted'; extracted: PackedText }
);

/**
 * Passages in order, as one binary array for each column (see binary-array.ts). The names are the columns of `passages`
 * and `passage_lexemes`. Offsets count code points of the document's text. `headings` is JSON text. `length` is the
 * size of `content` in letters (`sizeOf`).
 */
export type PassageColumns = Record<
  'content' | 'start_offset' | 'end_offset' | 'page' | 'headings' | 'language' | 'length' | 'lexemes',
  Uint8Array
>;

/**
 * What a document's passages add to the statistics: their number, the sum of their lengths, their number by language.
 */
export type PassageTotals = {
  passageCount: number;
  lengthTotal: number;
  languageCounts: Map<Language, number>;
};

/**
 * Document frequencies of the lexemes, one array for each statement (see `passageCounts` of the document's postings).
 */
type LexemeCounts = Uint8Array[];

/**
 * A batch of consecutive passages; the first has the `position`. Some batches have document frequencies: of their own
 * passages and of those in earlier batches without. The last batch has them, and the whole document's totals.
 */
export type AnalysedPart = { position: number; columns: PassageColumns } & (
  | { lexemeCounts?: LexemeCounts; totals?: undefined }
  | { lexemeCounts: LexemeCounts; totals: PassageTotals }
);

/**
 * Passages in a batch, a fifteenth of a second's work. The first batches of a large document are stored while the next
 * are analysed.
 */
const PASSAGES_PER_PART = 150;

/**
 * Distinct tokens and lexemes above which the document frequencies so far are handed over and forgotten: 40 MB here,
 * and as much in the process that stores them. A million characters of English have 20,000, of Chinese 200,000.
 */
const DISTINCT_TEXTS_MAX = 250_000;

type Tokenised = { passage: Passage; tokens: PassageTokens };
const tokensOf = ({ tokens }: Tokenised): PassageTokens => tokens;

/** Known tokens and lexemes of a document, or of a stretch of a document that has very many. */
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
 * Splits and analyses a document in batches, each on demand. A document without visible text has one batch without
 * passages. `stem` is called for words that are new in this document, or were forgotten since.
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

/** Consecutive runs of `length`, the last of which may be shorter. Without elements there is one empty run. */
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

/** Returns the columns of some passages, and adds the passages to the totals. */
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
    const language = languages[i] as Language; // one language for each passage
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
 * A passage's length for BM25. In letters, not tokens, so that it means the same in every script: a Thai passage has
 * four times the tokens of an English one with the same content. It excludes title and headings, which repeat. With
 * letters, Thai gains .003 nDCG@10 and German loses .005 on the six XQuAD languages in one knowledge base. With a
 * knowledge base for each collection, the gain is .0006 in the mean.
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

/**
 * The headings above a passage. If the passage begins inside a table, the table's header row follows, if it is short.
 */
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

/** Returns the function from a passage to its tokens and those of its title and headings. */
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

/** The language of a document. A text's title is as informative as its content; a file's name is not. */
const languageOfDocument = ({ title, format, expected }: DocumentText, { text }: StructuredText): Language =>
  detectLanguage(format === 'text' ? `${title}\n${text}` : text, expected);

/**
 * Returns the function from a document's passages to their languages. `vocabulary` then knows the stems of their words.
 * The function throws what `stem` throws.
 */
function passageLanguages(
  documentLanguage: Language,
  vocabulary: TermDictionary,
  isAlone: boolean,
): (passages: Tokenised[]) => Promise<Language[]> {
  const isStopWord = vocabulary.stopWordsIn(documentLanguage);
  const languageOf = ({ passage, tokens }: Tokenised): Language => {
    // Code resembles any language, so it inherits its document's language. So does the only passage of a document.
    if (passage.verbatim || isAlone || isToldByStopWords(tokens.content.tokens, isStopWord))
      return documentLanguage;
    return detectPassageLanguage(passage.text, documentLanguage);
  };
  return async (passages) => {
    await vocabulary.learn(documentLanguage, passages.map(tokensOf));
    const languages = passages.map(languageOf);
    const byLanguage = Map.groupBy(passages.keys(), (i) => languages[i] as Language); // one language for each passage
    byLanguage.delete(documentLanguage); // its stems are known already
    for (const [language, places] of byLanguage) {
      await vocabulary.learn(
        language,
        places.map((i) => tokensOf(passages[i] as Tokenised)), // keys of `passages`
      );
    }
    return languages;
  };
}

/** Caches the last result by its key: consecutive passages have the same headings. */
function rememberLast<Key extends string, T>(compute: (key: Key) => T): (key: Key) => T {
  let last: { key: Key; value: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
