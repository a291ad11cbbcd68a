/** The operation that counts attributes. */
import type { Attributes, AttributeType, AttributeTypeSummary } from '../../../../generated/types.gen.ts';
import { documentsOf, requireKnowledgeBase } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';

type Value = Attributes[string];

function typeOf(value: Value): AttributeType {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
}

/** The most frequent first, then in the order of their text. */
const byCount = <Key>([a, { length: ofA }]: [Key, unknown[]], [b, { length: ofB }]: [Key, unknown[]]) =>
  ofB - ofA || (String(a) < String(b) ? -1 : 1);

function summariseType(type: AttributeType, own: Value[]): AttributeTypeSummary {
  const elements = own.flatMap((value) => (Array.isArray(value) ? [...new Set(value)] : [value]));
  const counted = [...Map.groupBy(elements, (value) => value)].sort(byCount);
  const numbers = elements.filter((value) => typeof value === 'number');
  return {
    type,
    documentCount: own.length,
    valueCount: counted.length,
    values: counted.slice(0, 10).map(([value, { length }]) => ({ value, documentCount: length })),
    ...(numbers.length > 0 && { minimum: Math.min(...numbers), maximum: Math.max(...numbers) }),
  };
}

export const attributeAnswers = {
  listAttributes({ knowledgeBaseId }, { state }) {
    requireKnowledgeBase(state, knowledgeBaseId);
    const documents = documentsOf(state, knowledgeBaseId).filter(({ row }) => row.status === 'processed');
    const pairs = documents.flatMap(({ row }) => Object.entries(row.attributes));
    const names = [...Map.groupBy(pairs, ([name]) => name)].sort(byCount);
    const attributes = names.slice(0, 100).map(([name, own]) => {
      const values = own.map(([, value]) => value);
      const types = [...Map.groupBy(values, typeOf)].sort(byCount);
      return {
        name,
        documentCount: own.length,
        types: types.map(([type, ofType]) => summariseType(type, ofType)),
      };
    });
    return {
      data: { attributes, countedDocuments: documents.length, isComplete: names.length <= attributes.length },
    };
  },
} satisfies Partial<MemoryAnswers>;
