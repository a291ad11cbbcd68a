/** What the successes of the search promise: which passages, how many, in which order, from where. */
import assert from 'node:assert/strict';
import type { PassageLocation, SearchResult } from '../../generated/types.gen.ts';
import { BEST_TITLE, LONG_TEXT_QUERY, UNRELATED_TITLE } from '../dredd/fixtures.ts';
import {
  dataOf,
  exampleInput,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../dredd/planned-request.ts';
import { inputsOf, operationOf } from '../harness/read-spec.ts';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../harness/valid-inputs.ts';

const FEW = 2;

/** Each result quotes a text of the fixtures as it is, at the location that it names. */
function checkQuotes({ fixtures }: RunContext, results: SearchResult[]): void {
  for (const { document_id, knowledge_base_id, title, type, content, metadata, location } of results) {
    const text = fixtures.texts.find(({ document }) => document.id === document_id);
    assert.ok(text, `${document_id} is a document of the knowledge base that was searched`);
    const found = { knowledge_base_id, title, type, source: metadata.source };
    const source = {
      knowledge_base_id: fixtures.knowledgeBaseId,
      title: text.title,
      type: 'text',
      source: text.title,
    };
    assert.deepEqual(found, source, 'a result names where it comes from');
    const annotated: unknown = JSON.parse(metadata.annotations);
    assert.deepEqual(annotated, location ?? annotated, 'annotations say what location says');
    const { start, end } = annotated as PassageLocation; // the same, as the spec has it
    assert.equal(content, [...text.content].slice(start, end).join(''), 'content stands where it says');
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
    'what matches nothing is not given',
  );
  assert.equal(new Set(results.map(({ id }) => id)).size, results.length, 'each passage comes once');
}

const titlesOf = (results: SearchResult[]) => results.map(({ title }) => title);

export function query(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { knowledgeBaseId } = context.fixtures;
  const { query: words } = exampleInput('query') as { query: string }; // required in the schema of the body
  return {
    sent: requestWith(context, 'query', { knowledgeBaseIds: [knowledgeBaseId], limit: FEW }),
    async check(answer) {
      const few = dataOf<SearchResult[]>(answer);
      assert.equal(few.length, FEW, 'limit bounds the results, where more match');
      const all = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId] });
      for (const results of [few, all]) {
        checkOrder(results);
        checkQuotes(context, results);
      }
      assert.deepEqual(few, all.slice(0, FEW), 'a smaller limit cuts the same results, with the same scores');
      assert.equal(all[0]?.title, BEST_TITLE, 'the text that answers the question comes first');
      assert.ok(!titlesOf(all).includes(UNRELATED_TITLE), 'a text without any of the words is not given');
      await checkKnowledgeBases(context, words);
      await checkDefault(context);
    },
  };
}

/** The search covers the given knowledge bases, or all of the account's. */
async function checkKnowledgeBases({ caller, fixtures }: RunContext, words: string): Promise<void> {
  const { api, request } = caller;
  const { knowledgeBaseId, otherKnowledgeBaseId } = fixtures;
  const everywhere = await api.query({ query: words, limit: 50 });
  const found = new Set(everywhere.map(({ knowledge_base_id }) => knowledge_base_id));
  for (const id of [knowledgeBaseId, otherKnowledgeBaseId])
    assert.ok(found.has(id), 'without knowledgeBaseIds all knowledge bases are searched');
  assert.deepEqual(await api.query({ query: words, knowledgeBaseIds: [] }), [], '[] searches nowhere');
  const nothing = { query: 'zyxwvut', knowledgeBaseIds: [knowledgeBaseId] };
  assert.deepEqual(await api.query(nothing), [], 'a word that no text has finds nothing');
  const once = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId] });
  const twice = await api.query({ query: words, knowledgeBaseIds: [knowledgeBaseId, knowledgeBaseId] });
  assert.deepEqual(twice, once, 'an id that is given twice counts once');
  const half = { query: words, knowledgeBaseIds: [knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID] };
  assert.equal((await request('query', half)).status, 404, 'one unknown id among others is a 404');
}

/** The spec's own default of limit. */
const { default: DEFAULT_LIMIT } = inputsOf(operationOf('query')).limit ?? {};

/** How many there are without a limit, where more match. */
async function checkDefault({ caller: { api }, fixtures }: RunContext): Promise<void> {
  const { knowledgeBaseId } = fixtures;
  const gauges = { query: LONG_TEXT_QUERY, knowledgeBaseIds: [knowledgeBaseId] };
  const [some, most] = [await api.query(gauges), await api.query({ ...gauges, limit: 50 })];
  assert.ok(most.length > some.length, 'limit asks for more results, too');
  assert.equal(some.length, DEFAULT_LIMIT, 'without limit as many as the spec says');
}
