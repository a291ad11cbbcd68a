/** The tool by which an agent learns what a filter can ask for. */
import { z } from 'zod';
import type { AttributesSummary } from '../../../generated/types.gen.ts';
import { findKnowledgeBaseId } from '../arguments/find-knowledge-base.ts';
import { knowledgeBase } from './fields.ts';
import { answer, defineTool } from './tool.ts';

/** `year (number): 2026 in 3 documents, 2025 in 1` */
const describeAttribute = ({ name, types }: AttributesSummary['attributes'][number]): string[] =>
  types.map(({ type, values, valueCount }) => {
    const frequent = values.map(({ value, documentCount }) => `${JSON.stringify(value)} in ${documentCount}`);
    const rest = valueCount > values.length ? [`${valueCount - values.length} other values`] : [];
    return `${name} (${type}): ${[...frequent, ...rest].join(', ')}`;
  });

export const listAttributes = defineTool({
  name: 'list_attributes',
  title: 'List the attributes of documents',
  description:
    'Returns which attributes the documents of a knowledge base have, with types and most frequent values: what a ' +
    'filter can ask for.',
  input: z.strictObject({ knowledgeBaseId: knowledgeBase }),
  output: z.object({
    attributes: z.array(
      z.object({
        name: z.string(),
        documentCount: z.number(),
        types: z.array(
          z.object({
            type: z.string(),
            documentCount: z.number(),
            valueCount: z.number().describe('How many different values there are.'),
            values: z.array(
              z.object({ value: z.union([z.string(), z.number(), z.boolean()]), documentCount: z.number() }),
            ),
            minimum: z.number().optional(),
            maximum: z.number().optional(),
          }),
        ),
      }),
    ),
    countedDocuments: z.number(),
    isComplete: z.boolean().describe('Whether all documents were counted, and all attributes are here.'),
  }),
  async run({ knowledgeBaseId: given }, call) {
    const knowledgeBaseId = await findKnowledgeBaseId(given, call);
    const { attributes, countedDocuments, isComplete } = await call.client.listAttributes(knowledgeBaseId, {
      signal: call.signal,
    });
    const lines = attributes.flatMap(describeAttribute);
    const part = isComplete ? [] : [`Of the newest ${countedDocuments} documents.`];
    const text = [...lines, ...part].join('\n') || 'No document has attributes.';
    return answer({ attributes, countedDocuments, isComplete }, text);
  },
});
