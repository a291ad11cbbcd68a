/** A server that is killed while it makes the vectors of another model: the next one goes on where it was. */
import { expect, test } from 'vitest';
import type { SearchResultsEnvelope } from '../../../generated/types.gen.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { startEmbeddingsModel } from '../../harness/service/embeddings-model.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import {
  type RunningService,
  startService,
  withDataDirectory,
} from '../../harness/service/service-process.ts';

const DOCUMENTS = 24;
const [BATCH, KILLED_AFTER] = [2, 8];
/** So slow that it can be killed in between. */
const SLOWLY = { EMBEDDINGS_BATCH: String(BATCH), EMBEDDINGS_PER_MINUTE: '120' };

test('a server that is killed in the middle of a rebuild loses a few texts at most', async () => {
  await using model = await startEmbeddingsModel();
  await withDataDirectory(async (dataDirectory) => {
    const start = (settings: Record<string, string> = {}) =>
      startService(dataDirectory, { settings: { ...model.settings, ...settings }, onLog: () => {} });
    const first = await start();
    const { api, apiKey } = await openAccount({}, first);
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Rules' });
    for (let i = 0; i < DOCUMENTS; i++)
      await api.importTextContent({
        knowledgeBaseId,
        title: `Rule ${i}`,
        content: `Hotels have ${i} stars.`,
      });
    const accountAt = ({ address }: RunningService) => createCaller({ address, apiKey });
    const waitingAt = async (service: RunningService) =>
      (await accountAt(service).api.getKnowledgeBase(knowledgeBaseId)).documentsWithoutVectors;
    let asked = 0;
    const search = async (service: RunningService) => {
      const { status, body } = await accountAt(service).request('query', { query: `lodging ${++asked}` });
      const { data, warnings } = body as SearchResultsEnvelope; // the harness compares it with the spec
      return { status, isFound: data?.length > 0, warnings };
    };
    const FOUND = { status: 200, isFound: true, warnings: undefined };
    const LONG = { timeout: 100_000 };
    await expect.poll(() => waitingAt(first), LONG).toBe(0);
    await expect.poll(() => search(first), LONG).toEqual(FOUND);
    await first.stop();

    model.asked.length = 0;
    const passages = () => model.asked.filter((text) => text.startsWith('passage: Rule'));
    const OTHER = { ...SLOWLY, EMBEDDINGS_MODEL: 'multilingual-e5-base' };
    const second = await start(OTHER);
    await expect
      .poll(() => passages().length, { ...LONG, interval: 20 })
      .toBeGreaterThanOrEqual(KILLED_AFTER);
    // The former model's vectors answer meanwhile.
    expect(await search(second)).toEqual(FOUND);
    await second.kill();
    const before = passages().length;
    expect(before).toBeLessThan(DOCUMENTS);

    const third = await start(OTHER);
    expect(await search(third)).toEqual(FOUND);
    await expect.poll(() => new Set(passages()).size, LONG).toBe(DOCUMENTS);
    await expect.poll(() => waitingAt(third), LONG).toBe(0);
    await expect.poll(() => search(third), LONG).toEqual(FOUND);
    expect(passages().length).toBeLessThanOrEqual(DOCUMENTS + 2 * BATCH);
    await third.stop();
  });
});
