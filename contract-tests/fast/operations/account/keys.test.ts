/** createKey, listKeys and revokeKey, status by status. */
import { expect, test } from 'vitest';
import {
  UNKNOWN_KEY_ID,
  UNKNOWN_KNOWLEDGE_BASE_ID,
} from '../../../../src/contract-check/planning/valid-inputs.ts';
import { createCaller } from '../../../../src/contract-check/requests/calling.ts';
import {
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { createKey, openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, address, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Teams' });

testPromises('createKey');
testPromises('listKeys');
testPromises('revokeKey');

test('200: without anything, a key may do everything; with a filter it reads', async () => {
  expect(await api.createKey()).toMatchObject({ name: 'unnamed', scope: 'write', status: 'valid' });
  const bound = await api.createKey({ knowledgeBaseIds: [knowledgeBaseId, knowledgeBaseId] });
  expect(bound.knowledgeBaseIds).toEqual([knowledgeBaseId]);
  expect(await api.createKey({ filter: 'year >= 2025' })).toMatchObject({
    scope: 'search',
    filter: { type: 'gte', key: 'year', value: 2025 },
  });
});

test('200: the list has the keys of the account alone, and the day of their last use', async () => {
  const other = await openAccount();
  const { id, key } = await other.api.createKey({ name: 'Seite 知识' });
  await createCaller({ address, apiKey: key }).api.getUsage();
  const ofOther = async () => (await other.api.listKeys()).data.find((each) => each.id === id);
  await expect.poll(ofOther).toMatchObject({
    name: 'Seite 知识',
    lastUsedOn: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
  });
  expect((await api.listKeys()).data.map((each) => each.id)).not.toContain(id);
  expectRefusal(await request('revokeKey', { keyId: id }), 404, 'KEY_NOT_FOUND');
});

test('200: a key revokes itself, and again', async () => {
  const own = await createKey(account.name);
  const keyId = own.split('_')[1] ?? '';
  await createCaller({ address, apiKey: own }).api.revokeKey(keyId);
  const { data } = await api.listKeys();
  const { revokedAt } = data.find(({ id }) => id === keyId) ?? {};
  expect(await api.revokeKey(keyId)).toEqual({ id: keyId });
  expect((await api.listKeys()).data.find(({ id }) => id === keyId)).toMatchObject({ revokedAt });
});

test('404: unknown keys alike, and knowledge bases that the account does not have', async () => {
  const ids = [UNKNOWN_KEY_ID, "' OR '1'='1' --       ,,,", '😀'.repeat(24)];
  const answers = ids.map((keyId) => request('revokeKey', { keyId: [...keyId].slice(0, 24).join('') }));
  expectSameRefusal(await Promise.all(answers), 404, 'KEY_NOT_FOUND');
  const answer = await request('createKey', { knowledgeBaseIds: [UNKNOWN_KNOWLEDGE_BASE_ID] });
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422: a filter that is to write, the name of a setting, a wrong filter, a cursor of another list', async () => {
  const filter = { type: 'eq', key: 'team', value: 'sales' };
  expectRefusedFields(await request('createKey', { filter, scope: 'write' }), 'scope');
  expectRefusedFields(await request('createKey', { name: 'BOOTSTRAP_API_KEY' }), 'name');
  expectRefusedFields(await request('createKey', { name: 'two\nlines' }), 'name');
  expectRefusedFields(await request('createKey', { filter: '$createdAt > yesterday' }), 'filter.value');
  expectRefusedFields(
    await request('createKey', { expiresInDays: 0, knowledgeBaseIds: [] }),
    'expiresInDays',
    'knowledgeBaseIds',
  );
  const cursor = Buffer.from(`keys.1.${knowledgeBaseId}`).toString('base64url');
  expectRefusedFields(await request('listKeys', { cursor }), 'cursor');
});
