/** Errors as sentences: what failed, and what helps. */
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../client/index.ts';

/** What helps against an error, where its own message does not say so. */
const REMEDIES: Partial<Record<KnowledgeRetrievalErrorCode, string>> = {
  UNAUTHORIZED: 'The key is wrong, revoked or expired. Sign in with another one.',
  KEY_NOT_PERMITTED: 'Sign in with a key that may do this: `knowledge-retrieval keys create` makes one.',
  INSUFFICIENT_CREDITS: 'An operator can add credits: `knowledge-retrieval accounts set`.',
  STORAGE_LIMIT_EXCEEDED: 'Delete documents, or ask an operator for a higher limit.',
  KNOWLEDGE_BASE_LIMIT_EXCEEDED: 'Delete a knowledge base, or ask an operator for a higher limit.',
  WEBHOOK_LIMIT_EXCEEDED: 'Delete a webhook that you do not need.',
  KNOWLEDGE_BASE_NOT_FOUND: 'It may have been deleted meanwhile.',
  DOCUMENT_NOT_FOUND: 'It may have been deleted, or replaced by a newer version.',
  PAYLOAD_TOO_LARGE: 'Split it into smaller parts.',
  RATE_LIMITED: 'The key sends more requests than its limit allows. Wait a minute.',
  NETWORK_ERROR: 'Is the service running, and this computer connected?',
  REQUEST_TIMED_OUT: 'The service is busy, or the connection slow.',
  SERVICE_UNAVAILABLE: 'It is busy or restarting.',
  UNEXPECTED_ANSWER: 'A proxy in between may have answered instead of the service.',
  INTERNAL_ERROR: 'This is a fault of the service. Its log says more.',
  UPLOAD_EXPIRED: 'Upload the file again.',
  FILE_UNREADABLE: 'It may have been moved, changed or deleted since you chose it.',
};

export type ErrorDescription = {
  message: string;
  remedy: string | undefined;
  /** Names the request in the log of the service. */
  requestId: string | undefined;
  isSignedOut: boolean;
};

export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof KnowledgeRetrievalError))
    return {
      message: error instanceof Error ? error.message : String(error),
      remedy: undefined,
      requestId: undefined,
      isSignedOut: false,
    };
  const { errorCode, message, requestId } = error;
  return {
    message,
    remedy: REMEDIES[errorCode],
    requestId: errorCode === 'INTERNAL_ERROR' ? requestId : undefined,
    isSignedOut: errorCode === 'UNAUTHORIZED',
  };
}
