/** Checks the successful answers of the search: which passages, how many, in which order, from which documents. */
import assert from 'node:assert/strict';
import type {
  Explanation,
  PassageLocation,
  QueryRequest,
  SearchResult,
} from '../../../generated/types.gen.ts';
import {
  BEST_TITLE,
  IS_MARKED,
  LONG_TEXT_QUERY,
  SAME_TEXT_QUERY,
  UNRELATED_TITLE,
} from '../planning/fixtures.ts';
import {
  dataOf,
  exampleInput,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import { UNKNOWN_DOCUMENT_ID, UNKNOWN_KNOWLEDGE_BASE_ID } from '../planning/valid-inputs.ts';
import { inputsOf, operationOf } from '../spec/read-spec.ts';

const SMALL_LIMIT = 2;

/** Checks that each result quotes a text of the fixtures literally, at its stated location. */
function checkQuotes({ fixtures }: RunContext, results: SearchResult[]): void {
  for (const { document_id, knowledge_base_id, title, type, content, metadata, location } of results) {
    const text = fixtures.texts.find(({ document }) => document.id === document_id);
    assert.ok(text, `${document_id} is a document of the searched knowledge base`);
    const found = { knowledge_base_id, title, type, source: metadata.source };
    const source = {
      knowledge_base_id: fixtures.knowledgeBaseId,
      title: text.title,
      type: 'text',
      source: text.title,
    };
    assert.deepEqual(found, source, 'a result names its knowledge base, title, type and source');
    const annotated: unknown = JSON.parse(metadata.annotations);
    assert.deepEqual(annotated, location ?? annotated, 'annotations and location agree');
    const { start, end } = annotated as PassageLocation; // of that shape by the spec
    assert.equal(
      content,
      [...text.content].slice(start, end).join(''),
      'content is the text at its location',
    );
  }
}

function checkOrder(results: SearchResult[]): void {
  const scores = results.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((left, right) => right - left),
    'best first',
  );
  assert.ok(
    scores.every((score) => score > 0),
    'every score is above 0',
  );
  assert.equal(new Set(results.map(({ id }) => id)).size, results.length, 'each passage comes once');
}

const titlesOf = (results: SearchResult[]) => results.map(({ title }) => title);

export function query(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { knowledgeBaseId } = context.fixtures;
  const { query: words } = exampleInput('query') as { query: string }; // required in the schema of the body
  return {
    sent: requestWith(context, 'query', { knowledgeBaseIds: [knowledgeBaseId], limit: SMALL_LIMIT }),
    async check(answer) {
      const few = dataOf<SearchResult[]>(answer);
      assert.equal(few.length, SMALL_LIMIT, 'limit bounds the results if more passages match');
      const all = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId] });
      for (const results of [few, all]) {
        checkOrder(results);
        checkQuotes(context, results);
      }
      assert.deepEqual(
        few,
        all.slice(0, SMALL_LIMIT),
        'a smaller limit cuts the same results, with the same scores',
      );
      assert.equal(all[0]?.title, BEST_TITLE, 'the text that answers the question comes first');
      await checkKnowledgeBases(context, words);
      await checkFilter(context, words);
      await checkDocuments(context, words);
      await checkCounts(context, words);
      await checkDefault(context);
      await checkWords(context);
      await checkMode(context, words);
    },
  };
}

/** Checks that the search covers the given knowledge bases, or all of the account's. */
async function checkKnowledgeBases({ caller, fixtures }: RunContext, words: string): Promise<void> {
  const { api, request } = caller;
  const { knowledgeBaseId, otherKnowledgeBaseId } = fixtures;
  const everywhere = await api.query({ query: words, limit: 50 });
  const found = new Set(everywhere.map(({ knowledge_base_id }) => knowledge_base_id));
  for (const id of [knowledgeBaseId, otherKnowledgeBaseId])
    assert.ok(found.has(id), 'without knowledgeBaseIds all knowledge bases are searched');
  assert.deepEqual(
    await api.query({ query: words, knowledgeBaseIds: [] }),
    [],
    'an empty knowledgeBaseIds finds nothing',
  );
  const nothing = { query: 'zyxwvut', knowledgeBaseIds: [knowledgeBaseId] };
  assert.deepEqual(await api.query(nothing), [], 'a word that no text has finds nothing');
  const once = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId] });
  const twice = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId, knowledgeBaseId] });
  assert.deepEqual(twice, once, 'an id that is given twice counts once');
  const partlyUnknown = { query: words, knowledgeBaseIds: [knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID] };
  assert.equal((await request('query', partlyUnknown)).status, 404, 'one unknown id among others is a 404');
}

/** The words, searched in the fixtures' knowledge base. */
const searcher =
  ({ caller: { api }, fixtures }: RunContext, query: string) =>
  (options: Partial<QueryRequest>) =>
    api.query({ query, knowledgeBaseIds: [fixtures.knowledgeBaseId], ...options });

/** Checks that a filter keeps the results that fit it, and drops the others. */
async function checkFilter(context: RunContext, words: string): Promise<void> {
  const search = searcher(context, words);
  const marked = await search({ filter: IS_MARKED });
  assert.equal(marked.length, 1, 'a filter keeps the one document that fits');
  assert.deepEqual(marked[0]?.attributes, { reviewed: true }, 'the document that fits has the attribute');
  const byTitle = { key: '$title', value: BEST_TITLE };
  const is = await search({ filter: { type: 'eq', ...byTitle } });
  assert.deepEqual(titlesOf(is), [BEST_TITLE], 'a filter by title keeps this title only');
  const others = titlesOf(await search({ filter: { type: 'ne', ...byTitle } }));
  assert.ok(others.length > 1 && !others.includes(BEST_TITLE), 'its negation keeps all other titles');
  const either = await search({ filter: { type: 'or', filters: [IS_MARKED, { type: 'eq', ...byTitle }] } });
  assert.equal(either.length, 2, 'or keeps what fits one of the conditions');
  const both = await search({ filter: { type: 'and', filters: [IS_MARKED, { type: 'eq', ...byTitle }] } });
  assert.deepEqual(both, [], 'and keeps what fits all conditions');
}

/** Checks that the search covers the given documents only. */
async function checkDocuments(context: RunContext, words: string): Promise<void> {
  const search = searcher(context, words);
  const [, second] = await search({});
  assert.ok(second, 'the example query has several results');
  const documentIds = [second.document_id, second.document_id];
  assert.deepEqual(
    titlesOf(await search({ documentIds })),
    [second.title],
    'only the given document is searched',
  );
  assert.deepEqual(await search({ documentIds: [] }), [], 'an empty documentIds finds nothing');
  const partlyUnknown = { query: words, documentIds: [second.document_id, UNKNOWN_DOCUMENT_ID] };
  const { status } = await context.caller.request('query', partlyUnknown);
  assert.equal(status, 404, 'one unknown document among others is a 404');
}

/** Checks maxPerDocument, distinct and minScore. */
async function checkCounts(context: RunContext, words: string): Promise<void> {
  const all = await searcher(context, words)({});
  const minScore = all[1]?.score ?? 1;
  const good = all.filter(({ score }) => score >= minScore);
  assert.deepEqual(
    await searcher(context, words)({ minScore }),
    good,
    'minScore leaves out what is below it',
  );
  const gauges = await searcher(context, LONG_TEXT_QUERY)({ maxPerDocument: 2, limit: 50 });
  const ofLongText = gauges.filter(
    ({ document_id }) => document_id === context.fixtures.longText.document.id,
  );
  assert.equal(ofLongText.length, 2, 'no more passages of a document than maxPerDocument');
  const copies = await searcher(context, SAME_TEXT_QUERY)({ distinct: true });
  const counts = copies.map(({ duplicates }) => duplicates);
  assert.deepEqual(counts, [1], 'with distinct, two passages with the same text come once');
}

/** The default that the spec documents for limit. */
const { default: DEFAULT_LIMIT } = inputsOf(operationOf('query')).limit ?? {};

/** Checks the number of results without a limit, where more passages match. */
async function checkDefault({ caller: { api }, fixtures }: RunContext): Promise<void> {
  const { knowledgeBaseId } = fixtures;
  const gauges = { query: LONG_TEXT_QUERY, knowledgeBaseIds: [knowledgeBaseId] };
  const [byDefault, most] = [await api.query(gauges), await api.query({ ...gauges, limit: 50 })];
  assert.ok(most.length > byDefault.length, 'a limit above the default returns more results');
  assert.equal(byDefault.length, DEFAULT_LIMIT, 'without limit the default of the spec applies');
}

/** Checks what each mode finds. A service may have no vectors for these words, so meaning may add nothing. */
async function checkMode(context: RunContext, words: string): Promise<void> {
  const find = async (options: Partial<QueryRequest>) =>
    await searcher(context, words)({ explain: true, limit: 50, ...options });
  const [byWords, byBoth, byMeaning] = [
    await find({ mode: 'words' }),
    await find({ mode: 'both' }),
    await find({ mode: 'meaning' }),
  ];
  assert.deepEqual(await find({}), byBoth, 'without mode, words and meaning count');
  assert.ok(
    !titlesOf(byWords).includes(UNRELATED_TITLE),
    'by words, a text without any of them is not found',
  );
  assert.ok(
    byWords.every(({ explanation }) => explanation?.meaning === undefined && explanation?.terms.length !== 0),
    'by words, no part of a score is by meaning',
  );
  const areMeant = byMeaning.map(({ explanation }) => explanation?.meaning !== undefined);
  assert.ok(
    byMeaning.every(
      ({ explanation }, i) => areMeant[i] === areMeant[0] && !(areMeant[i] && explanation?.terms.length),
    ),
    'by meaning, no term adds to a score that is by meaning, and all are or none is',
  );
  for (const { score, explanation } of [...byWords, ...byBoth, ...byMeaning])
    assert.ok(Math.abs(sumOf(explanation) - score) < 1e-6, 'the parts of an explanation add up to the score');
}

/** The sum of all parts of a score. */
function sumOf(explanation: Explanation | undefined): number {
  const { terms = [], neighbours = 0, feedback = 0, fullMatch = 0, meaning } = explanation ?? {};
  const byTerms = terms.reduce((sum, { contribution }) => sum + contribution, 0);
  return byTerms + neighbours + feedback + fullMatch + (meaning?.contribution ?? 0);
}

/** Checks that the beginning of a word finds it with `prefix` only, and that a misspelt word does so always. */
async function checkWords({ caller: { api }, fixtures }: RunContext): Promise<void> {
  const find = async (query: string, prefix: boolean) =>
    await api.query({ query, prefix, knowledgeBaseIds: [fixtures.knowledgeBaseId] });
  assert.deepEqual(await find('gau', false), [], 'a word may be incomplete only with prefix');
  assert.ok((await find('gau', true)).length > 0, 'with prefix, the last word may be the beginning of one');
  assert.ok((await find('guage', false)).length > 0, 'a misspelt word finds what is near it');
}
