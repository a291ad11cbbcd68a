/** query, status by status; search-results.test.ts tests its results. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../../harness/calls/expect-refusal.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

/** A new knowledge base with these texts. No query matches their title. */
async function fill(...contents: string[]): Promise<string> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Searched' });
  await createInParallel(contents.length, (index) =>
    api.importTextContent({ knowledgeBaseId, title: 'Untitled', content: contents[index] ?? '' }),
  );
  return knowledgeBaseId;
}

const mammals = await fill('The wombat digs.', 'The quokka smiles.');
const birds = await fill('The wombat is no bird.', 'The kiwi runs.');

const basesOf = async (query: string, knowledgeBaseIds: string[]) =>
  (await api.query({ query, knowledgeBaseIds })).map((found) => found.knowledge_base_id);

testPromises('query');

test('200: up to `limit` results, from the least to the most', async () => {
  const knowledgeBaseId = await fill(...Array.from({ length: 55 }, (_, index) => `The lemur no. ${index}.`));
  const count = async (limit: number) =>
    (await api.query({ query: 'lemur', knowledgeBaseIds: [knowledgeBaseId], limit })).length;
  expect(await Promise.all([1, 2, 49, 50].map(count))).toEqual([1, 2, 49, 50]);
  const few = await api.query({ query: 'quokka', limit: 50 });
  expect(few).toHaveLength(1);
});

test.each([
  '!!!',
  ' ',
  '\n',
  '😀',
  'the of and',
  "'; DROP TABLE passages; --",
  'wombat & | ! <-> :* ( ) \\',
  "':*'''",
  '"wombat" OR -digs',
  '%_\\%',
  '$1 {{x}}',
  '\u202E\uFEFF\u0001',
  'ﷺ'.repeat(100),
  'e\u0301'.repeat(100),
])('200: the query %j is plain text, not syntax', async (query) => {
  const answer = await request('query', { query, knowledgeBaseIds: [mammals, birds] });
  expect(answer.status).toBe(200);
});

test('200: operators of search languages neither exclude nor require', async () => {
  for (const query of [
    '!wombat',
    '-wombat',
    'NOT wombat',
    'wombat & unicorn',
    'wombat <-> unicorn',
    'wombat\\',
  ]) {
    expect(await basesOf(query, [mammals]), query).toEqual([mammals]);
  }
});

test('402 INSUFFICIENT_CREDITS: with a balance of 0; invalid fields and unknown ids are refused first', async () => {
  const poor = await openAccount({ credits: 0 });
  expectRefusal(await poor.request('query', { query: 'wombat' }), 402, 'INSUFFICIENT_CREDITS');
  expectRefusedFields(await poor.request('query', { query: '' }), 'query');
  const unknown = { query: 'wombat', knowledgeBaseIds: [UNKNOWN_KNOWLEDGE_BASE_ID] };
  expectRefusal(await poor.request('query', unknown), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  const nowhere = { query: 'wombat', knowledgeBaseIds: [] };
  expectRefusal(await poor.request('query', nowhere), 402, 'INSUFFICIENT_CREDITS');
  expect(await poor.api.getBalance()).toBe(0);
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: an unknown, malformed or deleted id among several is named, alike', async () => {
  const deleted = await fill('gone');
  await api.deleteKnowledgeBase(deleted);
  await expectNothingChanged(account, async () => {
    for (const id of [
      UNKNOWN_KNOWLEDGE_BASE_ID,
      'x'.repeat(36),
      '😀'.repeat(36),
      mammals.toUpperCase(),
      deleted,
    ]) {
      const answer = await request('query', { query: 'wombat', knowledgeBaseIds: [mammals, id, birds] });
      expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
      const message = `There is no knowledge base with the id ${id}.`;
      expect(answer.body).toEqual({
        success: false,
        message,
        errorCode: 'KNOWLEDGE_BASE_NOT_FOUND',
        data: {},
      });
    }
  });
});

test('422 INPUT_VALIDATION_FAILED: an unknown field is refused with the nearest legal name', async () => {
  for (const name of ['knowledge_base_ids', 'knowledgeBaseId', 'KnowledgeBaseIDs']) {
    const answer = await request('query', { query: 'wombat', [name]: [mammals] });
    expectRefusedFields(answer, name);
    const message = `${name} is not a field of this operation; did you mean knowledgeBaseIds?`;
    expect(answer.body).toMatchObject({ message });
  }
});

test('422 INPUT_VALIDATION_FAILED: values of another type are not converted', async () => {
  await expectNothingChanged(account, async () => {
    for (const value of [null, 5, true, ['wombat'], { text: 'wombat' }]) {
      expectRefusedFields(await request('query', { query: value }), 'query');
    }
    for (const value of [null, '5', true, [5], {}, 2.5, '']) {
      expectRefusedFields(await request('query', { query: 'wombat', limit: value }), 'limit');
    }
    for (const value of [null, mammals, 5, true, { 0: mammals }]) {
      expectRefusedFields(
        await request('query', { query: 'wombat', knowledgeBaseIds: value }),
        'knowledgeBaseIds',
      );
    }
  });
});

test('422 INPUT_VALIDATION_FAILED: names the wrong element of knowledgeBaseIds', async () => {
  for (const id of [null, 5, 'short', '', `${mammals}x`, `${mammals.slice(1)}\u0000`, [mammals]]) {
    const input = { query: 'wombat', knowledgeBaseIds: [mammals, id] };
    expectRefusedFields(await request('query', input), 'knowledgeBaseIds.1');
  }
  const { body } = await request('query', { query: 'wombat', knowledgeBaseIds: [mammals, 'short'] });
  const message = 'knowledgeBaseIds[1] must be the id of a knowledge base: 36 characters.';
  expect(body).toMatchObject({ message });
  const loneSurrogate = JSON.stringify({ query: 'wombat', knowledgeBaseIds: [`${mammals.slice(1)}\ud800`] });
  expectRefusedFields(await request('query', loneSurrogate), 'knowledgeBaseIds.0');
});

test('422 INPUT_VALIDATION_FAILED: every wrong field is named at once', async () => {
  const input = { query: '', limit: 0, knowledgeBaseIds: 'all', offset: 1 };
  expectRefusedFields(await request('query', input), 'knowledgeBaseIds', 'limit', 'offset', 'query');
});
