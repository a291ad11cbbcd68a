/** A service whose operator has a model: what it finds, and what it answers while the model does not. */
import { expect, test } from 'vitest';
import type { QueryRequest, SearchResultsEnvelope } from '../../../generated/types.gen.ts';
import { startEmbeddingsModel } from '../../harness/service/embeddings-model.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { withService } from '../../harness/service/service-process.ts';

const TEXTS = {
  Hotels: 'Employees stay in a hotel of at most three stars during trips.',
  Wages: 'Wages are transferred on the last working day of each month.',
  Parts: 'The part number is AX-4711.',
};

test('a model finds what is meant; without it the words answer, and the answer says so', async () => {
  await using model = await startEmbeddingsModel();
  const log: string[] = [];
  await withService(
    async (service) => {
      const { api, request } = await openAccount({}, service);
      const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Rules' });
      const { id: otherId } = await api.createKnowledgeBase({ name: 'Other rules' });
      const import_ = (title: string, content: string, into = knowledgeBaseId) =>
        api.importTextContent({ knowledgeBaseId: into, title, content });
      for (const [title, content] of Object.entries(TEXTS)) await import_(title, content);
      const search = async (query: string, options: Partial<QueryRequest> = {}) => {
        const { body } = await request('query', { query, knowledgeBaseIds: [knowledgeBaseId], ...options });
        const { data, warnings } = body as SearchResultsEnvelope; // the harness compares it with the spec
        return { titles: data.map(({ title }) => title), warnings: warnings?.map(({ code }) => code) };
      };

      // Passages get their vectors soon after the import.
      await expect.poll(() => search('lodging')).toEqual({ titles: ['Hotels'], warnings: undefined });
      expect(await search('salary', { mode: 'meaning' })).toMatchObject({ titles: ['Wages'] });
      expect(await search('salary', { mode: 'words' })).toMatchObject({ titles: [] });
      expect(model.asked).toContain(`passage: Hotels\n${TEXTS.Hotels}`);
      expect(model.asked).toContain('query: lodging');
      const [explained] = await api.query({
        query: 'salary',
        knowledgeBaseIds: [knowledgeBaseId],
        explain: true,
      });
      expect(explained?.explanation?.meaning).toMatchObject({ pairs: [], contribution: explained?.score });

      // What is deleted, or in another knowledge base, is not found by its meaning either.
      const { id } = await import_('Doctors', 'Physicians on call.');
      await import_('Clinics', 'Physicians of others.', otherId);
      await expect.poll(() => search('doctor')).toMatchObject({ titles: ['Doctors'] });
      await api.deleteDocument(id);
      expect(await search('doctor')).toMatchObject({ titles: [] });
      expect((await api.query({ query: 'salary', knowledgeBaseIds: [otherId] })).length).toBe(0);

      // Identifiers and phrases do not reach the model, and a query that it has answered before does not either.
      const before = model.asked.length;
      expect(await search('AX-4711')).toMatchObject({ titles: ['Parts'] });
      expect(await search('"salary"')).toMatchObject({ titles: [] });
      expect(await search('salary')).toMatchObject({ titles: ['Wages'] });
      expect(model.asked.length).toBe(before);

      // Imports go on without the model, and so do queries.
      model.behaviour = 'hangs';
      await import_('Later', 'Shoes are bought once a year.');
      expect(await search('shoes and pay')).toEqual({ titles: ['Later'], warnings: ['MEANING_TIMEOUT'] });
      model.behaviour = 'fails';
      await expect
        .poll(() => search(`shoes ${Math.random()} or clothes`))
        .toMatchObject({
          titles: ['Later'],
          warnings: ['MEANING_UNAVAILABLE'],
        });
      model.behaviour = 'answers';
      const byBoth = async () => {
        const { titles, warnings } = await search('pay for shoes');
        return { titles: titles.toSorted(), warnings };
      };
      await expect.poll(byBoth).toEqual({ titles: ['Later', 'Wages'], warnings: undefined });
      expect(log.join('')).toContain('the model does not answer');
      expect(log.join('')).not.toContain('sk-secret');
    },
    { settings: model.settings, onLog: (text) => log.push(text) },
  );
});
