/** createToken, status by status, and what tokens are refused. */
import { expect, test } from 'vitest';
import { createCaller } from '../../../../src/contract-check/requests/calling.ts';
import { exchange } from '../../../../src/contract-check/requests/exchange.ts';
import { expectRefusal, expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { createKey, openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, address, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Teams' });
for (const [team, year] of [
  ['sales', 2025],
  ['sales', 2026],
  ['board', 2026],
])
  await api.importTextContent({
    ...{ knowledgeBaseId, title: `${team} ${year}`, content: 'The ibex climbs.' },
    attributes: { team: String(team), year: Number(year) },
  });

const titlesFor = async (apiKey: string) => {
  const { data } = await createCaller({ address, apiKey }).api.listDocuments({ knowledgeBaseId });
  return data.map(({ title }) => title).toSorted();
};

testPromises('createToken');

test('200: a token only narrows what its key sees, and one made by it narrows further', async () => {
  expect(await titlesFor((await api.createToken()).token)).toHaveLength(3);
  const filter = { type: 'eq', key: 'team', value: 'sales' } as const;
  const apiKey = await createKey(account.name, undefined, { scope: 'search', filter });
  const ofKey = createCaller({ address, apiKey }).api;
  expect(await titlesFor((await ofKey.createToken({ filter: 'team = board' })).token)).toEqual([]);
  const outer = await ofKey.createToken({ filter: 'year = 2026', expiresIn: 60 });
  expect(await titlesFor(outer.token)).toEqual(['sales 2026']);
  const inner = createCaller({ address, apiKey: outer.token }).api;
  expect(await titlesFor((await inner.createToken({ filter: 'year = 2025' })).token)).toEqual([]);
  const all = await inner.createToken({ expiresIn: 86_400 });
  expect(await titlesFor(all.token)).toEqual(['sales 2026']);
  expect(all.expiresAt).toBe(outer.expiresAt);
});

test('a download address of a token ends with it', async () => {
  const { id } = await api.uploadFile({ knowledgeBaseId, fileName: 'a.txt' }, 'The ibex.');
  const { token, expiresAt } = await api.createToken({ expiresIn: 30 });
  const ticket = await createCaller({ address, apiKey: token }).api.presignDownloadUrl(id);
  expect(ticket.expiresAt).toBe(expiresAt);
});

test('the console gives no session for a token', async () => {
  const { token } = await api.createToken();
  const headers = { 'x-api-key': token, 'sec-fetch-site': 'same-origin' };
  const answer = await exchange(address, { method: 'POST', path: '/console/session', headers });
  expectRefusal(answer, 401, 'UNAUTHORIZED');
});

test('401: a key in Authorization, and a token that was changed', async () => {
  const bearer = (text: string) => ({ 'x-api-key': undefined, authorization: `Bearer ${text}` });
  expectRefusal(await request('getUsage', {}, bearer(account.apiKey)), 401, 'UNAUTHORIZED');
  const { token } = await api.createToken();
  expect((await request('getUsage', {}, bearer(token))).status).toBe(200);
  expectRefusal(await request('getUsage', {}, bearer(`${token.slice(0, -4)}AAAA`)), 401, 'UNAUTHORIZED');
});

test('422: no filter, a time that is too long, a filter that is too long for a token', async () => {
  expectRefusedFields(await request('createToken', { filter: 'year =', expiresIn: 60 }), 'filter');
  expectRefusedFields(await request('createToken', { expiresIn: 86_401 }), 'expiresIn');
  expectRefusedFields(await request('createToken', { filter: '$createdAt > yesterday' }), 'filter.value');
  const value = Array.from({ length: 64 }, (_, i) => `${i}`.repeat(50));
  const long = { type: 'in', key: 'team', value };
  expectRefusedFields(await request('createToken', { filter: long }), 'filter');
});
