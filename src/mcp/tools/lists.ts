/** The tools that list knowledge bases and documents. */
import { z } from 'zod';
import type { Document, FilterOrText } from '../../../generated/types.gen.ts';
import { findKnowledgeBaseId } from '../arguments/find-knowledge-base.ts';
import {
  addressFor,
  attributes,
  cursor,
  describeAttributes,
  filter,
  knowledgeBase,
  nextCursor,
  toNext,
  toPage,
} from './fields.ts';
import { answer, defineTool } from './tool.ts';

export const listKnowledgeBases = defineTool({
  name: 'list_knowledge_bases',
  title: 'List the knowledge bases',
  description: 'Lists what can be searched: names, descriptions, and how many documents each has.',
  input: z.strictObject({ cursor }),
  output: z.object({
    knowledgeBases: z.array(
      z.object({
        knowledgeBaseId: z.string(),
        name: z.string(),
        description: z.string(),
        documentCount: z.number().optional(),
      }),
    ),
    nextCursor,
  }),
  async run(page, { client, signal }) {
    const { data, pagination } = await client.listKnowledgeBases({ limit: 100, ...page }, { signal });
    const knowledgeBases = data.map(({ id, name, description, documentCount }) => ({
      knowledgeBaseId: id,
      name,
      description,
      documentCount,
    }));
    const lines = knowledgeBases.map((each) =>
      [each.knowledgeBaseId, `${each.name} (${each.documentCount} documents)`, each.description].join('  '),
    );
    return answer({ knowledgeBases, ...toNext(pagination) }, toPage(lines, pagination));
  },
});

const listed = z.object({
  documentId: z.string(),
  title: z.string(),
  type: z.string(),
  status: z.string().describe('Only what is `processed` can be found.'),
  createdAt: z.string(),
  uri: z.string().describe('Where people open it: the original, or its page in the console.'),
  attributes: attributes.optional(),
  externalId: z.string().optional(),
  warnings: z
    .array(z.string())
    .optional()
    .describe('What was not read of the file: a search cannot find it.'),
  error: z.string().optional().describe('Why the file could not be read.'),
});

/** A document as the tool shows it. */
const toListed = (document: Document, address: string): z.output<typeof listed> => {
  const { id, title, type, status, createdAt, externalId, error } = document;
  return {
    documentId: id,
    title,
    type,
    status,
    createdAt,
    uri: addressFor(document, address),
    ...(document.attributes && { attributes: document.attributes }),
    ...(externalId !== undefined && { externalId }),
    ...(document.warnings?.length && { warnings: document.warnings.map(({ message }) => message) }),
    ...(error && { error: error.message }),
  };
};

const toLine = ({ documentId, title, type, status, error, warnings = [], ...of }: z.output<typeof listed>) =>
  [
    `${documentId}  ${title} (${type}, ${status})`,
    describeAttributes(of.attributes),
    error ?? '',
    ...warnings,
  ]
    .filter(Boolean)
    .join('  ');

export const listDocuments = defineTool({
  name: 'list_documents',
  title: 'List the documents of a knowledge base',
  description:
    'Lists documents, newest first, with title, type, status and attributes; by a filter, only some.',
  input: z.strictObject({
    knowledgeBaseId: knowledgeBase,
    titleContains: z.string().min(1).exactOptional().describe('Only documents whose title contains this.'),
    filter,
    status: z.enum(['pending', 'processing', 'processed', 'failed', 'timeout']).exactOptional(),
    externalId: z.string().min(1).exactOptional().describe('Only the document with this id of your own.'),
    limit: z.number().int().min(1).max(200).default(50),
    cursor,
  }),
  output: z.object({ documents: z.array(listed), nextCursor }),
  async run({ knowledgeBaseId: given, filter: asked, ...page }, call) {
    const knowledgeBaseId = await findKnowledgeBaseId(given, call);
    const { client, signal, address } = call;
    // The service checks filters itself, and names what is wrong.
    const request = { ...page, knowledgeBaseId, ...(asked && { filter: asked as FilterOrText }) };
    const { data, pagination } = await client.listDocuments(request, { signal });
    const documents = data.map((document) => toListed(document, address));
    return answer({ documents, ...toNext(pagination) }, toPage(documents.map(toLine), pagination));
  },
});
