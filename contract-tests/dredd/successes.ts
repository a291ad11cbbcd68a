/** The good request of every operation, with what its success promises. */
import type { OperationId } from '../harness/contract-check.ts';
import { getBalance, getUsage } from '../promises/account.ts';
import {
  deleteDocument,
  getDocument,
  getDocumentStatus,
  importTextContent,
  listDocuments,
  listPassages,
} from '../promises/documents.ts';
import { createKnowledgeBase, deleteKnowledgeBase, listKnowledgeBases } from '../promises/knowledge-bases.ts';
import { query } from '../promises/search.ts';
import { importFile, presignUploadUrl } from '../promises/uploads.ts';
import type { Provocation, Work } from './provocation.ts';

export const SUCCESSES: Record<OperationId, (work: Work) => Promise<Provocation> | Provocation> = {
  query,
  importFile,
  presignUploadUrl,
  deleteKnowledgeBase,
  deleteDocument,
  importTextContent,
  createKnowledgeBase,
  listDocuments,
  listKnowledgeBases,
  getDocumentStatus,
  getUsage,
  getBalance,
  getDocument,
  listPassages,
};
