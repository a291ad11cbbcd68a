/**
 * Checks the successful answers of the operations on the history of queries. A history that the account had before is
 * its owner's: it stays.
 */
import assert from 'node:assert/strict';
import type { KeptQueries, QueryHistory, QueryRequest } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';

export async function listQueries(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const before = await api.listQueries({ limit: 1 });
  const { keptSince } = await api.setQueryHistory(true);
  await api.importTextContent({ knowledgeBaseId, title: 'Notes', content: 'The okapi is shy.' });
  const knowledgeBaseIds = [knowledgeBaseId];
  await api.query({ query: 'okapi', knowledgeBaseIds, limit: 3, highlight: true });
  await api.query({ query: 'zeppelin', knowledgeBaseIds });
  return {
    sent: requestWith(context, 'listQueries'),
    async check(answer) {
      const data = dataOf<KeptQueries>(answer);
      assert.equal(data.keptSince, keptSince, 'it says since when queries are kept');
      const own = data.queries.filter(({ request }) =>
        (request as QueryRequest).knowledgeBaseIds?.includes(knowledgeBaseId),
      );
      const found = own.map(({ request: { query, limit }, resultCount }) => [query, limit, resultCount]);
      const kept = [
        ['zeppelin', 10, 0],
        ['okapi', 3, 1],
      ];
      assert.deepEqual(found, kept, 'the queries are there, the latest first, with their results counted');
      assert.equal(own[1]?.request.highlight, true, 'the whole request is kept');
      assert.ok(!JSON.stringify(own).includes('shy'), 'the text of results is not kept');
      if (before.keptSince !== null) return;
      await api.setQueryHistory(false);
      assert.deepEqual(
        await api.listQueries(),
        { keptSince: null, queries: [] },
        'who wants none kept has none',
      );
    },
  };
}

export async function setQueryHistory(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const before = await api.listQueries({ limit: 1 });
  if (before.keptSince !== null)
    return {
      sent: requestWith(context, 'setQueryHistory', { enabled: true }),
      check: (answer) =>
        assert.deepEqual(dataOf<QueryHistory>(answer), { keptSince: before.keptSince }, 'nothing changes'),
    };
  await api.setQueryHistory(true);
  return {
    sent: requestWith(context, 'setQueryHistory', { enabled: false }),
    async check(answer) {
      assert.deepEqual(dataOf<QueryHistory>(answer), { keptSince: null }, 'none are kept');
      assert.equal((await api.listQueries()).keptSince, null, 'the list says so too');
      const { keptSince } = await api.setQueryHistory(true);
      assert.notEqual(keptSince, null, 'they are kept from now on');
      assert.deepEqual(await api.setQueryHistory(true), { keptSince }, 'a repetition changes nothing');
      await api.setQueryHistory(false);
    },
  };
}
