/** What the package `knowledge-retrieval-client` exports: its package.json names this file. */
export type * from '../../generated/types.gen.ts';
export {
  type CallOptions,
  type CreateOptions,
  createKnowledgeRetrieval,
  type KnowledgeRetrieval,
  type KnowledgeRetrievalSettings,
  type Page,
  type UploadFileRequest,
} from './client.ts';
export { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from './errors.ts';
export type { PollOptions } from './poll.ts';
