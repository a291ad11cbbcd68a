/** What a model can do after a refusal: the call that returns what the arguments lack. */
import { KnowledgeRetrievalError } from '../../client/errors.ts';

const OF_KNOWLEDGE_BASES = 'list_knowledge_bases returns their names and ids.';
const OF_DOCUMENTS = 'search and list_documents return the ids and addresses of documents.';

/** The next call by the argument that is wrong. */
const BY_ARGUMENT: Record<string, string> = {
  knowledgeBaseId: OF_KNOWLEDGE_BASES,
  knowledgeBaseIds: OF_KNOWLEDGE_BASES,
  documentId: OF_DOCUMENTS,
  documentIds: OF_DOCUMENTS,
  cursor: 'Begin again without cursor.',
  filter:
    'For example: year >= 2025 and team = "sales", or {"type": "eq", "key": "year", "value": 2026}. ' +
    'list_attributes returns the keys.',
};

/** The next calls where these fields are wrong, each once. `documentIds.3` → that for `documentIds` */
export const adviceFor = (fields: string[]): string[] => [
  ...new Set(fields.flatMap((field) => BY_ARGUMENT[field.split('.')[0] ?? ''] ?? [])),
];

/** The next call by the error of the service. */
const BY_CODE: Partial<Record<KnowledgeRetrievalError['errorCode'], string>> = {
  KNOWLEDGE_BASE_NOT_FOUND: OF_KNOWLEDGE_BASES,
  DOCUMENT_NOT_FOUND: OF_DOCUMENTS,
  RATE_LIMITED: 'Wait a minute, then call again.',
  SERVICE_UNAVAILABLE: 'Call again in a few seconds.',
  KEY_NOT_PERMITTED: 'Nothing else can be called instead: tell the user.',
  INSUFFICIENT_CREDITS: 'Nothing else can be called instead: tell the user.',
};

/** An error as the model reads it: what is wrong, and the next call. */
export function describeForModel(error: unknown): string {
  if (!(error instanceof KnowledgeRetrievalError))
    return error instanceof Error ? error.message : String(error);
  const fields = error.errorCode === 'INPUT_VALIDATION_FAILED' ? Object.keys(error.data.fieldErrors) : [];
  return [error.message, ...adviceFor(fields), BY_CODE[error.errorCode] ?? ''].filter(Boolean).join(' ');
}
