/** What the package `knowledge-retrieval-client` exports: its package.json names this file. */
export type * from '../../generated/types.gen.ts';
export { createKnowledgeRetrieval, type KnowledgeRetrieval } from './client.ts';
export { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from './errors.ts';
export { type FoundPlace, foundPlace } from './found-place.ts';
export type { Page, PagePromise } from './operations/page.ts';
export type { Found, Selected } from './operations/query.ts';
export type { PollOptions } from './poll.ts';
export type { CallOptions, CreateOptions, KnowledgeRetrievalSettings } from './settings.ts';
export type { UploadFileRequest, UploadOptions } from './upload/upload.ts';
export type { UploadFilesOptions, UploadResult, UploadSource, UploadSources } from './upload/upload-files.ts';
export type {
  FileProgress,
  UploadFilesProgress,
  UploadPhase,
  UploadTotals,
} from './upload/upload-progress.ts';
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.ts';
