/** The tools by which an agent adds texts, and corrects and deletes what agents have added. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Document } from '../../../generated/types.gen.ts';
import { findKnowledgeBaseId } from '../arguments/find-knowledge-base.ts';
import { readDocumentId } from '../arguments/read-document-id.ts';
import { addressFor, attributes, documentId, knowledgeBase } from './fields.ts';
import { answer, type Call, defineTool } from './tool.ts';

/** The attribute of what agents add. People filter by it, and agents change only what has it. */
const ADDED_BY = { addedBy: 'agent' };
/** As many attributes as a document may have, but for that one. */
const ATTRIBUTES_MAX = 15;

const title = z.string().min(1).max(256);
const content = z.string().min(1).describe('Plain text or Markdown.');
const sourceUrl = z.string().describe('Where people find the original.');
const facts = attributes
  .meta({ maxProperties: ATTRIBUTES_MAX })
  .describe('Facts to filter by, such as {"year": 2026}.');

const stored = z.object({ documentId: z.string(), uri: z.string(), status: z.string() });

const toStored = (document: Document, { address }: Call) => ({
  documentId: document.id,
  uri: addressFor(document, address),
  status: document.status,
});

/** @throws a sentence for the model if people have added the document */
function requireOfAgent({ attributes, externalId, title: name }: Document): void {
  if (attributes?.addedBy === ADDED_BY.addedBy && externalId !== undefined) return;
  throw new Error(
    `"${name}" was not added by an agent, so it stays as it is; people change it in the console. ` +
      'list_documents with the filter addedBy = agent returns what agents have added.',
  );
}

export const addText = defineTool({
  name: 'add_text',
  title: 'Add a text to a knowledge base',
  description:
    'Stores a text as a document, with the attribute addedBy: "agent". It can be found as soon as this returns. ' +
    'update_text corrects it, delete_text deletes it.',
  input: z.strictObject({
    knowledgeBaseId: knowledgeBase,
    title,
    content,
    sourceUrl: sourceUrl.exactOptional(),
    externalId: z
      .string()
      .min(1)
      .max(256)
      .exactOptional()
      .describe('Your own id for it: a later text of yours with the same id replaces this one.'),
    attributes: facts.exactOptional(),
  }),
  output: stored,
  writes: { destructive: true, idempotent: false },
  async run({ knowledgeBaseId: given, externalId = randomUUID(), ...text }, call) {
    const knowledgeBaseId = await findKnowledgeBaseId(given, call);
    const { client, signal } = call;
    const { data: former } = await client.listDocuments({ knowledgeBaseId, externalId }, { signal });
    for (const document of former) requireOfAgent(document);
    const request = { ...text, knowledgeBaseId, externalId, attributes: { ...text.attributes, ...ADDED_BY } };
    const document = await call.client.importTextContent(request, { signal: call.signal });
    return answer(toStored(document, call), `"${document.title}" is stored as ${document.id}.`);
  },
});

/** The document that an agent has added. @throws a sentence for the model if people have, or there is none */
async function requireOwn(given: string, { client, signal }: Call): Promise<Document> {
  const document = await client.getDocument(readDocumentId(given), { signal });
  requireOfAgent(document);
  return document;
}

export const updateText = defineTool({
  name: 'update_text',
  title: 'Correct a text that an agent has added',
  description:
    'Replaces what is given, and leaves the rest. With content the corrected text is a new document with a new id, ' +
    'which this returns; the old one is gone.',
  input: z.strictObject({
    documentId,
    title: title.exactOptional(),
    content: content.exactOptional(),
    sourceUrl: sourceUrl.exactOptional(),
    attributes: facts.exactOptional().describe('They replace all attributes.'),
  }),
  output: stored,
  writes: { destructive: true, idempotent: true },
  async run({ documentId: given, content: text, ...changes }, call) {
    const { client, signal } = call;
    const own = await requireOwn(given, call);
    const { id, knowledgeBaseId = '', externalId = '' } = own;
    const facts = { ...(changes.attributes ?? own.attributes), ...ADDED_BY };
    const fields = { ...changes, attributes: facts };
    const source = own.sourceUrl === undefined ? {} : { sourceUrl: own.sourceUrl };
    const document =
      text === undefined
        ? await client.updateDocument({ documentId: id, ...fields }, { signal })
        : await client.importTextContent(
            { title: own.title, ...source, ...fields, content: text, knowledgeBaseId, externalId },
            { signal },
          );
    return answer(toStored(document, call), `"${document.title}" is stored as ${document.id}.`);
  },
});

export const deleteText = defineTool({
  name: 'delete_text',
  title: 'Delete a text that an agent has added',
  description: 'Deletes a document that add_text has stored. It cannot be brought back.',
  input: z.strictObject({ documentId }),
  output: z.object({ documentId: z.string(), title: z.string() }),
  writes: { destructive: true, idempotent: true },
  async run({ documentId: given }, call) {
    const { id, title: name } = await requireOwn(given, call);
    await call.client.deleteDocument(id, { signal: call.signal });
    return answer({ documentId: id, title: name }, `"${name}" is deleted.`);
  },
});
