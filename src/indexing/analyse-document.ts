/**
 * Analyses a document: splits it into passages, finds the language, lexemes and vector of each, and encodes them to be
 * stored.
 */

import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  detectLanguage,
  detectPassageLanguage,
  hasManyStopWords,
  type Language,
} from '../analysis/language.ts';
import type { Stem } from '../analysis/lexemes.ts';
import { tokeniseAs } from '../analysis/tokens.ts';
import { noVectors, type VectorsIn } from '../meaning/passage-vectors.ts';
import { createUnspacedReader } from '../meaning/unspaced-words.ts';
import { titleWordsOf, titleWordsOfPassages } from './document-title.ts';
import {
  addPassage,
  createPassageColumns,
  finishColumns,
  type PassageColumns,
  type UnfinishedColumns,
} from './passage-columns.ts';
import { createLexemeVectors } from './postings/lexeme-vectors.ts';
import { createDocumentPostings, type PassageTokens, type TokenIdText } from './postings/postings.ts';
import { createTermDictionary, type TermDictionary } from './postings/term-dictionary.ts';
import { createTokenIds } from './postings/token-ids.ts';
import { type PackedText, type StructuredText, unpackText } from './split/extracted-text.ts';
import { scanMarkdown } from './split/markdown.ts';
import { sizeOf } from './split/passage-size.ts';
import { type Passage, splitPassages } from './split/passages.ts';

/**
 * The document: imported text (parsed as Markdown), the text extracted from a file, or the stored passages of a
 * document with a new title, which keep their languages. `expected`: the languages of its knowledge base, the most
 * frequent first; empty where they are unknown.
 */
export type SingleText = { title: string; expected?: Language[] } & (
  | (Text & { format: 'text' })
  | (ExtractedFile & { format: 'extracted' })
  | { format: 'passages'; passages: StoredPassage[] }
);

/** What is analysed at a time: a document, or several small files of one knowledge base. */
export type DocumentText =
  | SingleText
  | { format: 'files'; files: ExtractedFile[]; expected: Language[]; title?: undefined };

/** A passage as it is stored. */
export type StoredPassage = Passage & { language: Language };

/** A document's part of the statistics: the number of its passages, their total length, their number by language. */
export type PassageTotals = {
  passageCount: number;
  lengthTotal: number;
  languageCounts: Map<Language, number>;
};

/** Document frequencies of the lexemes, one binary array for each statement (see `encodeDocumentFrequencies`). */
type DocumentFrequencies = Uint8Array[];

/**
 * A batch of consecutive passages; `position`: of the first passage. The document frequencies in a batch count the
 * passages since the last batch that had document frequencies. The last batch always has them, and also the totals of
 * the whole document. That of several files is the only one: see `AnalysedTexts`.
 */
export type PassageBatch = { position: number; columns: PassageColumns } & (
  | { documentFrequencies?: DocumentFrequencies; totals?: undefined }
  | { documentFrequencies: DocumentFrequencies; totals: PassageTotals; passageCounts?: number[] }
);

/**
 * Passages in a batch: a fifteenth of a second's work. The first batches of a large document are stored while the next
 * ones are analysed.
 */
const PASSAGES_PER_BATCH = 150;

/**
 * With more distinct tokens and lexemes than this, the next batch takes the document frequencies along, and counting
 * starts again. They take 40 MB here, and as much in the process that stores them. A million characters of English have
 * 20,000 distinct tokens and lexemes, of Chinese 200,000.
 */
const DISTINCT_TOKENS_MAX = 250_000;

/** `whole`: title, headings and text. */
type Tokenised = { passage: Passage & { language?: Language }; tokens: PassageTokens; whole: string };
const tokensOf = ({ tokens }: Tokenised): PassageTokens => tokens;

/**
 * The tokens, lexemes and document frequencies of a document, or of several short texts, so far. A document with very
 * many has several buffers.
 */
type IndexBuffer = ReturnType<typeof createIndexBuffer>;

function createIndexBuffer(stem: Stem, vectorsIn: VectorsIn) {
  const tokenIds = createTokenIds();
  return {
    tokenise: (text: string): TokenIdText => tokeniseAs(tokenIds, text),
    postings: createDocumentPostings(tokenIds),
    dictionary: createTermDictionary(stem, tokenIds),
    vectorsIn: createLexemeVectors(vectorsIn, tokenIds),
    readUnspaced: createUnspacedReader(vectorsIn),
    isFull: () => tokenIds.size() > DISTINCT_TOKENS_MAX,
  };
}

/**
 * Splits and analyses a document in batches, each on demand. A document without visible text has one batch without
 * passages. `stem` is called once for each word and language, and again after a new buffer was started.
 * @throws what `stem` throws
 */
export async function* analyseDocument(
  document: DocumentText,
  stem: Stem,
  vectorsIn: VectorsIn = noVectors,
): AsyncGenerator<PassageBatch> {
  if (document.format === 'files') {
    const { files, expected } = document;
    yield { position: 1, ...(await analyseTexts(files, { expected, stem, vectorsIn })) };
    return;
  }
  const { passages: all, language: documentLanguage, titleWords } = split(document);
  const totals: PassageTotals = { passageCount: 0, lengthTotal: 0, languageCounts: new Map() };
  let buffer = createIndexBuffer(stem, vectorsIn);
  let tokenisePassage = passageTokeniser(titleWords, buffer.tokenise);
  for (const { passages, isLast } of batchesOf(all, PASSAGES_PER_BATCH)) {
    const before = totals.passageCount;
    const isAlone = isLast && before + passages.length === 1;
    const columns = createPassageColumns();
    const tokenised = passages.map(tokenisePassage);
    await addPassages(columns, tokenised, { text: 1, before, buffer, documentLanguage, isAlone, totals });
    const batch = { position: before + 1, columns: finishColumns(columns) };
    if (isLast) yield { ...batch, documentFrequencies: buffer.postings.documentFrequencies(), totals };
    else if (buffer.isFull()) {
      yield { ...batch, documentFrequencies: buffer.postings.documentFrequencies() };
      buffer = createIndexBuffer(stem, vectorsIn);
      tokenisePassage = passageTokeniser(titleWords, buffer.tokenise);
    } else yield batch;
  }
}

/** The passages of a document, its language, and the words that count as its title. */
type SplitDocument = { passages: Iterable<Passage>; language: Language; titleWords: string };

function split(document: SingleText): SplitDocument {
  const { title } = document;
  if (document.format === 'passages') {
    const { passages } = document;
    const language = passages[0]?.language ?? 'simple';
    return { passages, language, titleWords: titleWordsOfPassages(title, passages) };
  }
  const structured = structureOf(document);
  return {
    passages: splitPassages(structured),
    language: languageOfDocument({ ...document, structured }),
    titleWords: titleWordsOf(title, structured),
  };
}

/** A text to import, parsed as Markdown. */
export type Text = { title: string; content: string };

/** A file to import, whose text was extracted. */
export type ExtractedFile = { title: string; extracted: PackedText };

const structureOf = (document: Text | ExtractedFile): StructuredText =>
  'content' in document ? scanMarkdown(document.content) : unpackText(document.extracted);

/**
 * The passages of several texts in one batch, text by text.
 * `passageCounts` has the number of passages of each text. Document frequencies and totals count all texts.
 */
export type AnalysedTexts = {
  columns: PassageColumns;
  passageCounts: number[];
  documentFrequencies: DocumentFrequencies;
  totals: PassageTotals;
};

/** Other work of the event loop runs between two texts after this time. */
const BLOCKED_MAX_MS = 5;

/**
 * Splits and analyses short texts or small files of one knowledge base together. Each gets the same passages as by
 * `analyseDocument`. `expected` are the languages of the knowledge base. `stem` is called once for the words of each
 * language. Blocks the event loop for BLOCKED_MAX_MS, or for the longest of the texts.
 * @throws what `stem` throws
 */
export async function analyseTexts(
  texts: (Text | ExtractedFile)[],
  { expected, stem, vectorsIn = noVectors }: { expected: Language[]; stem: Stem; vectorsIn?: VectorsIn },
): Promise<AnalysedTexts> {
  const buffer = createIndexBuffer(stem, vectorsIn);
  const giveWay = createGiveWay();
  const documents: { language: Language; tokenised: Tokenised[] }[] = [];
  for (const text of texts) {
    await giveWay();
    const structured = structureOf(text);
    const format = 'content' in text ? 'text' : 'extracted';
    const language = languageOfDocument({ title: text.title, format, expected, structured });
    const toTokens = passageTokeniser(titleWordsOf(text.title, structured), buffer.tokenise);
    const tokenised = Array.from(splitPassages(structured), toTokens);
    documents.push({ language, tokenised });
  }
  for (const [language, alike] of Map.groupBy(documents, (document) => document.language)) {
    const tokens = alike.flatMap(({ tokenised }) => tokenised.map(tokensOf));
    await buffer.dictionary.learn(language, tokens);
  }
  const columns = createPassageColumns();
  const totals: PassageTotals = { passageCount: 0, lengthTotal: 0, languageCounts: new Map() };
  for (const [i, { language: documentLanguage, tokenised }] of documents.entries()) {
    await giveWay();
    const isAlone = tokenised.length === 1;
    const place = { text: i + 1, before: 0 };
    await addPassages(columns, tokenised, { ...place, buffer, documentLanguage, isAlone, totals });
  }
  return {
    columns: finishColumns(columns),
    passageCounts: documents.map(({ tokenised }) => tokenised.length),
    documentFrequencies: buffer.postings.documentFrequencies(),
    totals,
  };
}

/** Returns a function that waits for the next iteration of the event loop if the last one began too long ago. */
function createGiveWay(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < BLOCKED_MAX_MS) return;
    await nextIteration();
    sinceMs = performance.now();
  };
}

/** Consecutive batches of `length` passages; the last one may be shorter. Without passages there is one empty batch. */
function* batchesOf(
  passages: Iterable<Passage>,
  length: number,
): Generator<{ passages: Passage[]; isLast: boolean }> {
  let batch: Passage[] = [];
  for (const passage of passages) {
    if (batch.length === length) {
      yield { passages: batch, isLast: false };
      batch = [];
    }
    batch.push(passage);
  }
  yield { passages: batch, isLast: true };
}

/** `text`: see `PassageColumns`. `before`: the number of passages of the text that come before these. */
type PassageContext = {
  text: number;
  before: number;
  buffer: IndexBuffer;
  documentLanguage: Language;
  isAlone: boolean;
  totals: PassageTotals;
};

/** Adds passages of a document to the columns of a batch, and to the totals. */
async function addPassages(
  columns: UnfinishedColumns,
  tokenised: Tokenised[],
  { text, before, buffer, documentLanguage, isAlone, totals }: PassageContext,
): Promise<void> {
  const { dictionary, postings, vectorsIn, readUnspaced } = buffer;
  const languageOf = passageLanguages(documentLanguage, dictionary, isAlone);
  const languages = await languageOf(tokenised);
  for (const [i, { passage, tokens, whole }] of tokenised.entries()) {
    const language = languages[i] as Language; // one language for each passage
    postings.addPassage(columns, tokens, {
      lexemes: dictionary.lexemesIn(language),
      vectors: vectorsIn(language),
      unspaced: readUnspaced(whole),
    });
    const length = lengthOf(passage.text);
    addPassage(columns, { text, position: before + i + 1, passage, language, length });
    totals.passageCount++;
    totals.lengthTotal += length;
    totals.languageCounts.set(language, (totals.languageCounts.get(language) ?? 0) + 1);
  }
}

/**
 * A passage's length for BM25, in letters. Letters mean the same in every script; tokens do not: a Thai passage has
 * four times the tokens of an English one with the same content. Title and headings do not count, because every passage
 * repeats them.
 *
 * nDCG@10 with letters against tokens: +.003 for Thai and -.005 for German, with the six XQuAD languages in one
 * knowledge base; +.0006 in the mean of the collections, each in a knowledge base of its own.
 */
const lengthOf = (content: string): number => Math.round(sizeOf(content, 0, content.length));

/** Returns a function that tokenises a passage with the words that count as its title, and its headings. */
function passageTokeniser(
  title: string,
  tokenise: (text: string) => TokenIdText,
): (passage: Tokenised['passage']) => Tokenised {
  const titleTokens = tokenise(title);
  const headingTokens = rememberLast((headings: string) => tokenise(headings));
  return (passage) => {
    const above = [...passage.headings, passage.tableHeader ?? ''].join('\n');
    const tokens = { title: titleTokens, headings: headingTokens(above), content: tokenise(passage.text) };
    return { passage, tokens, whole: `${title}\n${above}\n${passage.text}` };
  };
}

/** The language of a document. A text's title is as informative as its content; a file's name is not. */
const languageOfDocument = ({
  title,
  format,
  expected,
  structured: { text },
}: Pick<SingleText, 'title' | 'format' | 'expected'> & { structured: StructuredText }): Language =>
  detectLanguage(format === 'text' ? `${title}\n${text}` : text, expected);

/**
 * Returns a function that finds the languages of passages. It also adds the stems of their words to `dictionary`. It
 * throws what `stem` throws.
 */
function passageLanguages(
  documentLanguage: Language,
  dictionary: TermDictionary,
  isAlone: boolean,
): (passages: Tokenised[]) => Promise<Language[]> {
  const isStopWord = dictionary.stopWordsIn(documentLanguage);
  const languageOf = ({ passage, tokens }: Tokenised): Language => {
    if (passage.language !== undefined) return passage.language;
    // Code resembles any language, so it inherits its document's language. So does the only passage of a document.
    if (passage.verbatim || isAlone || hasManyStopWords(tokens.content.tokens, isStopWord))
      return documentLanguage;
    return detectPassageLanguage(passage.text, documentLanguage);
  };
  return async (passages) => {
    await dictionary.learn(documentLanguage, passages.map(tokensOf));
    const languages = passages.map(languageOf);
    const byLanguage = Map.groupBy(passages.keys(), (i) => languages[i] as Language); // one language for each passage
    byLanguage.delete(documentLanguage); // its stems are known already
    for (const [language, indices] of byLanguage) {
      await dictionary.learn(
        language,
        indices.map((i) => tokensOf(passages[i] as Tokenised)), // keys of `passages`
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
