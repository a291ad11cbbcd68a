/** Checks the successful answers of the operations on keys and tokens. */
import assert from 'node:assert/strict';
import type { CreatedKey, CreatedToken, Key } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import { createCaller } from '../requests/calling.ts';

const SECONDS = 600;
/** The largest difference of two machines' clocks that is taken for none. */
const CLOCKS_DIFFER_MS = 120_000;
/** Servers notice a revoked key within a second. */
const [REVOKED_TRIES, REVOKED_PAUSE_MS] = [50, 100];

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

/** What an answer says of a key, without its secret. */
const withoutSecret = ({ key: _, ...rest }: CreatedKey): Key => rest;

export function createKey(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const input = { name: 'of a check', filter: 'team = "sales"', expiresInDays: 1 };
  return {
    sent: requestWith(context, 'createKey', { ...input, scope: 'search' }),
    async check(answer) {
      const created = dataOf<CreatedKey>(answer);
      try {
        const { data } = await api.listKeys({ limit: 1 });
        assert.deepEqual(data, [withoutSecret(created)], 'the list has it, without the secret');
        assert.deepEqual(created.filter, { type: 'eq', key: 'team', value: 'sales' }, 'it has the filter');
        const reader = createCaller({ address: context.target.address, apiKey: created.key });
        assert.equal((await reader.request('listKnowledgeBases')).status, 200, 'the key reads');
        assert.equal((await reader.request('listKeys')).status, 403, 'and manages nothing');
      } finally {
        await api.revokeKey(created.id);
      }
    },
  };
}

export async function listKeys(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const made = [await api.createKey({ scope: 'search' }), await api.createKey({ scope: 'search' })];
  const [first, second] = made;
  return {
    sent: requestWith(context, 'listKeys', { limit: 1 }),
    async check(answer) {
      try {
        assert.deepEqual(
          dataOf<Key[]>(answer).map(({ id }) => id),
          [second?.id],
          'the newest key comes first',
        );
        const { pagination } = answer.body as { pagination: { nextCursor: string } };
        const { data } = await api.listKeys({ limit: 1, cursor: pagination.nextCursor });
        assert.deepEqual(
          data.map(({ id }) => id),
          [first?.id],
          'the next page has the one before',
        );
      } finally {
        for (const { id } of made) await api.revokeKey(id);
      }
    },
  };
}

export async function revokeKey(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id, key } = await api.createKey({ scope: 'search' });
  const reader = createCaller({ address: context.target.address, apiKey: key });
  assert.equal((await reader.request('listKnowledgeBases')).status, 200, 'the key reads before');
  return {
    sent: requestWith(context, 'revokeKey', { keyId: id }),
    async check(answer) {
      assert.deepEqual(dataOf(answer), { id }, 'the answer has the id of the key');
      const { data } = await api.listKeys({ limit: 1 });
      assert.equal(data[0]?.status, 'revoked', 'the list says so');
      for (let tries = 0; tries < REVOKED_TRIES; tries++) {
        if ((await reader.request('listKnowledgeBases')).status === 401) return;
        await new Promise((resolve) => setTimeout(resolve, REVOKED_PAUSE_MS));
      }
      assert.fail('the service refuses the key within seconds');
    },
  };
}
