/** The shortest use of the service: import a text, then find it. */
import { expect, inject, test } from 'vitest';
import { createClient } from '../../../generated/client/index.ts';
import { createKnowledgeBase, importTextContent, query } from '../../../generated/sdk.gen.ts';

const client = createClient({ baseUrl: inject('address'), headers: { 'x-api-key': inject('apiKey') } });

test('a text is found right after the answer to its import', async () => {
  const { data: created } = await createKnowledgeBase({
    client,
    body: { name: 'Opening hours' },
    throwOnError: true,
  });
  const knowledgeBaseId = created.data.id;
  const content = 'The café opens at nine and closes at six.';
  await importTextContent({ client, body: { knowledgeBaseId, title: 'Café', content }, throwOnError: true });
  const { data: found } = await query({
    client,
    body: { query: 'when does the cafe open?', knowledgeBaseIds: [knowledgeBaseId] },
    throwOnError: true,
  });
  expect(found.data.map((result) => result.content)).toEqual([content]);
});
