/** For each operation an input that its schema accepts, with unknown ids. */
import type { OperationId } from '../spec/routes.ts';

/** Well-formed, but unknown to every account. They are not the spec's examples, since the mock has those. */
export const UNKNOWN_KNOWLEDGE_BASE_ID = '0199f3a2-6b1c-7d4e-8f50-000000000000';
export const UNKNOWN_WEBHOOK_ID = '0199f3d2-4b5c-7d6e-9f70-000000000000';
export const UNKNOWN_KEY_ID = '0199f3d24b5c7d6e9f700000';
export const UNKNOWN_DOCUMENT_ID = `${UNKNOWN_KNOWLEDGE_BASE_ID}_0199f3b0-1c2d-7e3f-9a4b-5c6d7e8f9a0b`;

const knowledgeBaseId = UNKNOWN_KNOWLEDGE_BASE_ID;

export const VALID_INPUTS: Record<OperationId, Record<string, unknown>> = {
  query: { query: 'restart policy', knowledgeBaseIds: [knowledgeBaseId], limit: 5 },
  importFile: { fileId: UNKNOWN_DOCUMENT_ID },
  importUrl: { knowledgeBaseId, url: 'https://knowledge-retrieval.invalid/manual.md' },
  presignUploadUrl: { knowledgeBaseId, fileName: 'manual.md', size: 10 },
  deleteKnowledgeBase: { knowledgeBaseId },
  deleteDocument: { documentId: UNKNOWN_DOCUMENT_ID },
  importTextContent: { knowledgeBaseId, title: 'Release notes', content: 'Version 2.4 restarts by itself.' },
  createKnowledgeBase: { name: 'Handbook', description: 'Manuals' },
  listDocuments: { knowledgeBaseId, limit: '10', filter: '{"type":"ne","key":"year","value":2026}' },
  listKnowledgeBases: { limit: '10' },
  getDocumentStatus: { documentId: UNKNOWN_DOCUMENT_ID },
  getUsage: {},
  getBalance: {},
  getDocument: { documentId: UNKNOWN_DOCUMENT_ID },
  getDocumentContent: { documentId: UNKNOWN_DOCUMENT_ID, offset: '0', limit: '10' },
  uploadFile: { knowledgeBaseId, fileName: 'manual.txt' },
  updateDocument: { documentId: UNKNOWN_DOCUMENT_ID, title: 'Notes', attributes: { year: 2026 } },
  retryDocument: { documentId: UNKNOWN_DOCUMENT_ID },
  listPassages: { documentId: UNKNOWN_DOCUMENT_ID, limit: '10' },
  getKnowledgeBase: { knowledgeBaseId },
  updateKnowledgeBase: { knowledgeBaseId, name: 'Handbook', description: 'Manuals' },
  createWebhook: {
    url: 'https://hooks.example.com/knowledge',
    events: ['document.processed'],
    knowledgeBaseIds: [knowledgeBaseId],
  },
  listWebhooks: { limit: '10' },
  deleteWebhook: { webhookId: UNKNOWN_WEBHOOK_ID },
  testWebhook: { webhookId: UNKNOWN_WEBHOOK_ID },
  getSynonyms: { knowledgeBaseId },
  setSynonyms: { knowledgeBaseId, groups: [{ terms: ['PTO', 'paid time off'] }] },
  listAttributes: { knowledgeBaseId },
  presignDownloadUrl: { documentId: UNKNOWN_DOCUMENT_ID },
  listQueries: { limit: '10' },
  setQueryHistory: { enabled: true },
  createKey: { name: 'website', scope: 'search', knowledgeBaseIds: [knowledgeBaseId] },
  listKeys: { limit: '10' },
  revokeKey: { keyId: UNKNOWN_KEY_ID },
  createToken: { filter: { type: 'eq', key: 'team', value: 'sales' }, expiresIn: 60 },
};
