/** Turns an error into sentences for the user of a command: what happened, and what helps. */
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../client/errors.ts';
import { reasonOf } from '../terms/problem.ts';
import { isAnsweredInHttp } from './service/service-address.ts';

/** What helps at this code. The operator's commands run on the server. */
const REMEDIES: Partial<Record<KnowledgeRetrievalErrorCode, string>> = {
  UNAUTHORIZED:
    'Give a key of this service, or a token that has not ended, by KNOWLEDGE_API_KEY or --key; on the server ' +
    '`keys create` makes a key.',
  KEY_NOT_PERMITTED: 'On the server, `keys create --scope write` makes a key that may write.',
  NETWORK_ERROR:
    'Is the service running, and its address right? `serve` starts one here; --url or KNOWLEDGE_URL name another.',
  UNEXPECTED_ANSWER: 'Does --url or KNOWLEDGE_URL name a knowledge retrieval service?',
  REQUEST_TIMED_OUT: 'Try again; on the server, `doctor` looks for the reason.',
  SERVICE_UNAVAILABLE: 'On the server, `doctor` looks for the reason.',
  STORAGE_LIMIT_EXCEEDED:
    'Delete documents that nobody needs, or have the operator raise the limit: `accounts set --storage-limit-bytes`.',
  KNOWLEDGE_BASE_LIMIT_EXCEEDED:
    'Delete a knowledge base, or have the operator raise the limit: `accounts set --knowledge-base-limit`.',
  INSUFFICIENT_CREDITS: 'The operator adds credits by `accounts set --credits`.',
};

/** The options that the client's settings come from. */
const OPTIONS = new Map([
  ['baseUrl', '--url or KNOWLEDGE_URL'],
  ['apiKey', '--key or KNOWLEDGE_API_KEY'],
]);

/** The client names its own settings; people know the options. */
function describeSetting({
  message,
  data,
}: KnowledgeRetrievalError & { errorCode: 'INVALID_ARGUMENT' }): string {
  const option = OPTIONS.get(data.argument);
  return option === undefined ? message : message.replace(data.argument, option);
}

/** The status of a proxy that reaches no server, or gets no answer from it. */
const isGatewayStatus = (status: number | undefined): boolean =>
  status !== undefined && status >= 502 && status <= 504;

/** What helps; '' where nothing is known to. */
export function remedyOf(error: KnowledgeRetrievalError): string {
  if (error.errorCode === 'UNEXPECTED_ANSWER' && isGatewayStatus(error.status))
    return 'A proxy at that address gets no answer from a server; on the server, `doctor` looks for the reason.';
  // The message says already what the operator has to set.
  return error.message.includes('BASE_URL') ? '' : (REMEDIES[error.errorCode] ?? '');
}

/** The sentences for people, in one line. */
export function explainError(error: Error): string {
  if (!(error instanceof KnowledgeRetrievalError)) {
    const reason = reasonOf(error);
    return error.message.includes(reason) ? error.message : `${error.message} (${reason})`;
  }
  if (isAnsweredInHttp(error))
    return `${error.message} It speaks http, not https: give an address with http://.`;
  const message = error.errorCode === 'INVALID_ARGUMENT' ? describeSetting(error) : error.message;
  const reason = error.errorCode === 'NETWORK_ERROR' ? `(${reasonOf(error)})` : '';
  return [message, reason, remedyOf(error)].filter(Boolean).join(' ');
}
