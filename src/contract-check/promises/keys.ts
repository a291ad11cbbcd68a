/** Checks the successful answers of the operations on keys and tokens. */
import assert from 'node:assert/strict';
import type { CreatedToken } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import { createCaller } from '../requests/calling.ts';

const SECONDS = 600;
/** Clocks of two machines may differ by so much. */
const CLOCKS_DIFFER_MS = 120_000;

export async function createToken(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const add = (title: string, team: string) =>
    api.importTextContent({ knowledgeBaseId, title, content: 'The windmill turns.', attributes: { team } });
  const shown = await add('Shown', 'sales');
  const hidden = await add('Hidden', 'board');
  return {
    sent: requestWith(context, 'createToken', { filter: 'team = "sales"', expiresIn: SECONDS }),
    async check(answer) {
      const { token, expiresAt } = dataOf<CreatedToken>(answer);
      const ends = Date.parse(expiresAt) - Date.now() - SECONDS * 1000;
      assert.ok(Math.abs(ends) < CLOCKS_DIFFER_MS, 'the token ends when it was to');
      const { address } = context.target;
      const reader = createCaller({ address, apiKey: token });
      const found = await reader.api.query({ query: 'windmill', knowledgeBaseIds: [knowledgeBaseId] });
      assert.deepEqual(
        found.map(({ document_id }) => document_id),
        [shown.id],
        'the token finds what its filter matches',
      );
      const { status } = await reader.request('getDocument', { documentId: hidden.id });
      assert.equal(status, 404, 'no other documents exist for it');
      const written = await reader.request('deleteDocument', { documentId: shown.id });
      assert.equal(written.status, 403, 'it only reads');
      const bearer = { 'x-api-key': undefined, authorization: `Bearer ${token}` };
      const { body } = await reader.request('listDocuments', { knowledgeBaseId }, bearer);
      assert.equal((body as { data: unknown[] }).data.length, 1, 'Authorization: Bearer takes it too');
    },
  };
}
