/** What a model's vectors, and what is remembered of them, tell a key of documents and queries that it does not see. */
import { expect, test } from 'vitest';
import type { SearchMode, SearchResultsEnvelope } from '../../../generated/types.gen.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { startEmbeddingsModel } from '../../harness/service/embeddings-model.ts';
import { type Account, createKey, openAccount } from '../../harness/service/opened-account.ts';
import { type RunningService, withService } from '../../harness/service/service-process.ts';

const VISIBLE = {
  Hotels: 'Employees stay in a hotel of at most three stars during trips.',
  Wages: 'Wages are transferred on the last working day of each month.',
};
/** Nearer to most queries than what is visible, by words and by meaning. */
const HIDDEN = {
  Board: 'The lodging of the board costs 900 a night: its accommodation is a lodging by the sea.',
  Pay: 'The salary of the board is paid in shares, and the pay of its physicians in gold.',
};

const QUERIES = ['lodging', 'salary of physicians', 'lodging by the sea', 'doctor', 'accomodation', 'shares'];
const MODES: SearchMode[] = ['words', 'meaning', 'both'];

const LONG = { timeout: 100_000 };

/** An account with the visible documents, and with the hidden ones too if it has some; and a key for the visible. */
async function openWorld(service: RunningService, hasHidden: boolean) {
  const account = await openAccount({}, service);
  const { id: knowledgeBaseId } = await account.api.createKnowledgeBase({ name: 'Rules' });
  const importAll = async (texts: Record<string, string>, team: string) => {
    for (const [title, content] of Object.entries(texts))
      await account.api.importTextContent({ knowledgeBaseId, title, content, attributes: { team } });
  };
  if (hasHidden) await importAll(HIDDEN, 'board');
  await importAll(VISIBLE, 'sales');
  const filter = { type: 'eq', key: 'team', value: 'sales' } as const;
  const apiKey = await createKey(account.name, service, { scope: 'search', filter });
  const { api, request } = createCaller({ address: service.address, apiKey });
  const vectorsLack = async ({ api }: Pick<Account, 'api'>) =>
    (await api.getKnowledgeBase(knowledgeBaseId)).documentsWithoutVectors;
  /** An answer without what differs from account to account in any case. */
  const search = async (query: string, mode: SearchMode) => {
    const { status, body } = await request('query', { query, mode, explain: true, highlight: true });
    const { data = [], warnings } = body as SearchResultsEnvelope; // the harness compares it with the spec
    const results = data.map(({ title, content, score, explanation }) => ({
      title,
      content,
      score,
      explanation,
    }));
    return { status, results, warnings };
  };
  return { account, api, search, vectorsLack, hides: () => importAll({ Later: HIDDEN.Pay }, 'board') };
}

test('a key with a filter gets the answers that it would get if there were no other documents', async () => {
  await using model = await startEmbeddingsModel();
  await withService(
    async (service) => {
      const mixed = await openWorld(service, true);
      const pure = await openWorld(service, false);
      for (const { account, vectorsLack } of [mixed, pure])
        await expect.poll(() => vectorsLack(account), LONG).toBe(0);
      await expect
        .poll(async () => (await mixed.search('lodging', 'both')).results.map(({ title }) => title), LONG)
        .toEqual(['Hotels']);
      for (const query of QUERIES)
        for (const mode of MODES)
          expect({ query, mode, ...(await mixed.search(query, mode)) }).toEqual({
            query,
            mode,
            ...(await pure.search(query, mode)),
          });

      // A hidden document that waits for its vectors is not counted.
      model.behaviour = 'fails';
      await mixed.hides();
      // The worker's first look for missing vectors may have put the others into the queue once more, for a moment.
      await expect.poll(() => mixed.vectorsLack(mixed.account), LONG).toBe(1);
      expect(await mixed.vectorsLack(mixed)).toBe(0);
    },
    { settings: model.settings, onLog: () => {} },
  );
});

test('no key learns by the time of an answer what another key or account has asked', async () => {
  await using model = await startEmbeddingsModel();
  await withService(
    async (service) => {
      const [one, other] = [await openWorld(service, true), await openWorld(service, true)];
      for (const { account, vectorsLack } of [one, other])
        await expect.poll(() => vectorsLack(account), LONG).toBe(0);
      await expect.poll(async () => (await one.search('lodging', 'both')).warnings, LONG).toBeUndefined();
      const timesAsked = () => model.asked.filter((text) => text === 'query: pay of the board').length;
      const query = { query: 'pay of the board' };
      const askers = [one.account.api, one.api, other.account.api, other.api];
      for (const [i, api] of askers.entries()) {
        await api.query(query);
        expect(timesAsked()).toBe(i + 1);
      }
      for (const api of askers) await api.query(query);
      expect(timesAsked()).toBe(askers.length);
    },
    { settings: model.settings, onLog: () => {} },
  );
});
