/** Whatever a model's server does: no import and no query fails, and each answer without meaning says so. */
import { expect, test } from 'vitest';
import type { SearchResultsEnvelope } from '../../../generated/types.gen.ts';
import { FAULTS, startEmbeddingsModel } from '../../harness/service/embeddings-model.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { withService } from '../../harness/service/service-process.ts';

/** More than the failures after which queries do not wait any more. */
const QUERIES = 12;
test('no fault of a model fails an import or a query, and each answer by words alone says so', async () => {
  await using model = await startEmbeddingsModel();
  const log: string[] = [];
  await withService(
    async (service) => {
      const { api, request } = await openAccount({}, service);
      const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Rules' });
      const import_ = (title: string, content: string) =>
        api.importTextContent({ knowledgeBaseId, title, content });
      const search = async (query: string) => {
        const { status, body } = await request('query', { query, knowledgeBaseIds: [knowledgeBaseId] });
        const { data = [], warnings = [] } = body as SearchResultsEnvelope; // the harness compares it with the spec
        return { status, titles: data.map(({ title }) => title), warnings: warnings.map(({ code }) => code) };
      };
      let asked = 0;
      const untilAnswered = () =>
        expect
          .poll(() => search(`lodging ${++asked}`), { timeout: 100_000 })
          .toEqual({ status: 200, titles: ['Hotels'], warnings: [] });

      await import_('Hotels', 'Employees stay in a hotel of at most three stars during trips.');
      for (const fault of FAULTS) {
        await untilAnswered();
        if (fault === 'is dead') await model.end();
        else model.behaviour = fault;
        const { status } = await request('importTextContent', {
          knowledgeBaseId,
          title: fault,
          content: `Shoes are bought once a year, if the model ${fault}.`,
        });
        expect({ fault, status }).toEqual({ fault, status: 200 });
        for (let i = 0; i < QUERIES; i++) {
          const { warnings, ...answer } = await search(`shoes and hotel ${++asked}`);
          expect({ fault, ...answer, warnings }).toMatchObject({
            fault,
            status: 200,
            titles: expect.arrayContaining([fault, 'Hotels']),
            warnings: [expect.stringMatching(/^MEANING_(TIMEOUT|UNAVAILABLE)$/)],
          });
          if (i === 0 && fault === 'hangs') expect(warnings).toEqual(['MEANING_TIMEOUT']);
        }
        if (fault === 'is dead') await model.start();
        model.behaviour = 'answers';
      }
      const { data: documents } = await api.listDocuments({ knowledgeBaseId });
      expect(documents.map(({ status }) => status)).toEqual(documents.map(() => 'processed'));
      expect(documents.length).toBe(FAULTS.length + 1);
      expect(log.join('')).toContain('the model does not answer');
      expect(log.join('')).not.toContain('sk-secret');
    },
    { settings: model.settings, onLog: (text) => log.push(text) },
  );
});
