/** Checks the successful answer of the operation that counts attributes. */
import assert from 'node:assert/strict';
import type { AttributesSummary } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';

/** The third and the last one are deleted before they are counted. */
const DOCUMENTS = [
  { year: 2025, tags: ['manual', 'pump'] },
  { year: 2026, tags: ['manual'] },
  { year: 1900, secret: 'gone' },
  { year: '2026', team: 'platform' },
  { year: 2026 },
  {},
  { secret: 'gone' },
];
const GONE = [2, 6];

const one = (type: 'text' | 'number' | 'list', ...values: [string | number, number][]) => ({
  type,
  valueCount: values.length,
  values: values.map(([value, documentCount]) => ({ value, documentCount })),
});

const EXPECTED: AttributesSummary = {
  attributes: [
    {
      name: 'year',
      documentCount: 4,
      types: [
        { ...one('number', [2026, 2], [2025, 1]), documentCount: 3, minimum: 2025, maximum: 2026 },
        { ...one('text', ['2026', 1]), documentCount: 1 },
      ],
    },
    {
      name: 'tags',
      documentCount: 2,
      types: [{ ...one('list', ['manual', 2], ['pump', 1]), documentCount: 2 }],
    },
    { name: 'team', documentCount: 1, types: [{ ...one('text', ['platform', 1]), documentCount: 1 }] },
  ],
  countedDocuments: 5,
  isComplete: true,
};

export async function listAttributes(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const ids: string[] = [];
  for (const attributes of DOCUMENTS) {
    const text = { knowledgeBaseId, title: 'Note', content: 'A note about windmills.', attributes };
    ids.push((await api.importTextContent(text)).id);
  }
  for (const gone of GONE) await api.deleteDocument(ids[gone] ?? '');
  return {
    sent: requestWith(context, 'listAttributes', { knowledgeBaseId }),
    check(answer) {
      assert.deepEqual(
        dataOf<AttributesSummary>(answer),
        EXPECTED,
        'each value with its number of documents',
      );
    },
  };
}
