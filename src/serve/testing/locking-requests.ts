/** A request of each operation that writes, and the locks that it waits for. */
import { CONTENT, EXTERNAL_ID, type LockedThings, NAME } from './locked-things.ts';

export type Operation = {
  /** The ranks of the locks that it waits for. */
  waits: string[];
  /** See `makeThings`. */
  things?: { isText?: boolean; isPending?: boolean };
  run(things: LockedThings): Promise<unknown>;
};

const documentId = ({ knowledgeBaseId, currentId }: LockedThings) => `${knowledgeBaseId}_${currentId}`;
const version = { externalId: EXTERNAL_ID };
const text = ({ knowledgeBaseId }: LockedThings, content: string) => ({
  knowledgeBaseId,
  title: NAME,
  content,
  ...version,
});
/** What is said otherwise about unchanged content. It takes more bytes. */
const skipping = { ...version, ifUnchanged: 'skip', attributes: { by: 'the test' } };
const parametersOf = (given: Record<string, string>) => new URLSearchParams(given);

/** The locks of what takes the place of a document, or deletes it. */
export const REPLACED = [
  'external id',
  'deletion of a document',
  'document',
  'counters',
  'file of a document',
];
/** The locks of a change that takes more bytes. */
const CHANGED = ['document', 'counters', 'account'];

/** By `operationId`, some in several ways. */
export const REQUESTS: Record<string, Operation> = {
  query: {
    waits: ['balance'],
    run: ({ send, knowledgeBaseId }) =>
      send('query', { query: 'quokka', knowledgeBaseIds: [knowledgeBaseId] }),
  },
  createKnowledgeBase: {
    waits: ['idempotency key', 'account'],
    run: ({ send }) => send('createKnowledgeBase', { name: 'another' }),
  },
  updateKnowledgeBase: {
    waits: ['knowledge base'],
    run: ({ send, knowledgeBaseId }) => send('updateKnowledgeBase', { knowledgeBaseId, name: 'renamed' }),
  },
  setSynonyms: {
    waits: ['knowledge base', 'synonyms'],
    run: ({ send, knowledgeBaseId }) =>
      send('setSynonyms', { knowledgeBaseId, groups: [{ terms: ['quokka', 'marsupial'] }] }),
  },
  // Its lock stands alone.
  setQueryHistory: {
    waits: [],
    run: ({ send }) => send('setQueryHistory', { enabled: true }),
  },
  createToken: { waits: [], run: ({ send }) => send('createToken', {}) },
  createKey: { waits: ['account'], run: ({ send }) => send('createKey', { name: 'another' }) },
  revokeKey: {
    // The creation of the key that it revokes.
    waits: ['account'],
    run: async ({ send }) => {
      const { id: keyId } = await send('createKey', { name: 'revoked' });
      await send('revokeKey', { keyId });
    },
  },
  deleteKnowledgeBase: {
    waits: ['deletion of a knowledge base', 'knowledge base'],
    run: ({ send, knowledgeBaseId }) => send('deleteKnowledgeBase', { knowledgeBaseId }),
  },
  presignUploadUrl: {
    waits: ['idempotency key', 'knowledge base', 'account'],
    run: ({ send, knowledgeBaseId }) =>
      send('presignUploadUrl', { knowledgeBaseId, fileName: 'other.txt', size: 4 }),
  },
  'upload to the address': {
    waits: ['knowledge base', 'uploaded file'],
    run: ({ uploadUrl }) => fetch(uploadUrl, { method: 'PUT', body: CONTENT }),
  },
  importFile: {
    waits: ['knowledge base', 'uploaded file', 'external id', 'counters', 'account'],
    run: ({ send, knowledgeBaseId, fileId }) =>
      send('importFile', { fileId: `${knowledgeBaseId}_${fileId}`, ...version }),
  },
  'importFile, unchanged': {
    waits: ['knowledge base', 'uploaded file', 'content', ...CHANGED],
    run: ({ send, knowledgeBaseId, fileId }) =>
      send('importFile', { fileId: `${knowledgeBaseId}_${fileId}`, ...skipping }),
  },
  uploadFile: {
    waits: ['knowledge base', 'external id', 'counters', 'account'],
    run: ({ send, knowledgeBaseId }) =>
      send(`uploadFile?${parametersOf({ knowledgeBaseId, fileName: NAME, ...version })}`, Buffer.from('new')),
  },
  'uploadFile, unchanged': {
    waits: ['knowledge base', 'content', ...CHANGED],
    run({ send, knowledgeBaseId }) {
      const attributes = JSON.stringify(skipping.attributes);
      const parameters = parametersOf({ knowledgeBaseId, fileName: NAME, ...skipping, attributes });
      return send(`uploadFile?${parameters}`, Buffer.from(CONTENT));
    },
  },
  importUrl: {
    waits: ['idempotency key', 'knowledge base', 'external id', 'counters', 'account'],
    run: ({ send, knowledgeBaseId }) =>
      send('importUrl', { knowledgeBaseId, url: 'https://knowledge-retrieval.invalid/', ...version }),
  },
  importTextContent: {
    waits: ['idempotency key', 'knowledge base', ...REPLACED, 'account'],
    run: (things) => things.send('importTextContent', text(things, 'The second quokka.')),
  },
  'importTextContent, in batches': {
    waits: ['idempotency key', 'knowledge base', ...REPLACED, 'account'],
    run: (things) => things.send('importTextContent', text(things, 'The second quokka. '.repeat(200))),
  },
  'importTextContent, unchanged': {
    waits: ['idempotency key', 'knowledge base', 'content', ...CHANGED],
    things: { isText: true },
    run: (things) => things.send('importTextContent', { ...text(things, CONTENT), ...skipping }),
  },
  updateDocument: {
    waits: ['knowledge base', ...CHANGED],
    run: (things) =>
      things.send('updateDocument', { documentId: documentId(things), attributes: skipping.attributes }),
  },
  'updateDocument, its title': {
    waits: ['knowledge base', ...CHANGED],
    run: (things) =>
      things.send('updateDocument', {
        documentId: documentId(things),
        title: 'Renamed quokka',
        attributes: skipping.attributes,
      }),
  },
  retryDocument: {
    waits: ['knowledge base', 'document', 'job'],
    async run(things) {
      return await things.send('retryDocument', { documentId: documentId(things) });
    },
  },
  deleteDocument: {
    waits: ['knowledge base', ...REPLACED.slice(1)],
    run: (things) => things.send('deleteDocument', { documentId: documentId(things) }),
  },
  createWebhook: {
    waits: ['idempotency key', 'account'],
    run: ({ send, receiver: url }) => send('createWebhook', { url }),
  },
  deleteWebhook: { waits: ['webhook'], run: ({ send, webhookId }) => send('deleteWebhook', { webhookId }) },
  testWebhook: { waits: ['webhook'], run: ({ send, webhookId }) => send('testWebhook', { webhookId }) },
};
