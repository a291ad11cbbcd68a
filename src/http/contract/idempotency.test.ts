/** A repeated text import is answered without an analysis. Simultaneous repeats wait before they take any resource. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';

let suite: TestService;
let analyses = 0;

beforeAll(async () => {
  suite = await startTestService({
    change: ({ importShortText }) => ({
      importShortText: (...given) => {
        analyses += 1;
        return importShortText(...given);
      },
    }),
  });
});

afterAll(() => suite.close());

test('a text is analysed once, although it is sent five times with the same key', async () => {
  const { body } = await suite.call('createKnowledgeBase', { name: 'Once' });
  const text = { knowledgeBaseId: body.data.id, title: 'Once', content: 'Analysed once, sent five times.' };
  const headers = {
    'x-api-key': suite.apiKey,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const send = async () => {
    const sent = { method: 'POST', headers, body: JSON.stringify(text) };
    return await (await fetch(`${suite.address}/v1/importTextContent`, sent)).text();
  };
  const answers = [...(await Promise.all([send(), send(), send(), send()])), await send()];
  expect(new Set(answers).size).toBe(1);
  expect(analyses).toBe(1);
});
