/** The contract as handlers see it: the generated types without the envelope. */
import type {
  AccountControllerMethods,
  DocumentsControllerMethods,
  KnowledgeBasesControllerMethods,
  SearchControllerMethods,
  UploadsControllerMethods,
  WebhooksControllerMethods,
} from '../../generated/nestjs.gen.ts';
import type { Filter } from '../../generated/types.gen.ts';
import type { RemainingWait } from '../concurrency/wait-queue.ts';
import type { DocumentFilter } from '../database/rows/documents/document-filter.ts';
import type { KeyedRequest, Transact } from '../database/rows/kept-answers.ts';
import type { AccessToken } from '../terms/access-token.ts';
import type { AllowedKnowledgeBases } from '../terms/ids.ts';
import type { Service } from './service.ts';

type Operations = SearchControllerMethods &
  UploadsControllerMethods &
  KnowledgeBasesControllerMethods &
  DocumentsControllerMethods &
  AccountControllerMethods &
  WebhooksControllerMethods;

/**
 * The service, and the request that a handler answers.
 *
 * - `allowedKnowledgeBases`: those that exist for the request's key; undefined: all of the account's.
 * - `restriction`: which documents exist for the request's key; undefined: all. Each operation that such keys may call
 *   heeds it (`x-keys-with-filter` in the spec).
 * - `token`: what stands for the key in the request; undefined: the key itself, or a session.
 * - `origin` returns the address that the request was sent to, `http://host`.
 * - `signal` returns a signal that aborts when the client hangs up.
 * - `transact` runs the transaction of an operation that takes an Idempotency-Key.
 * - `keyed`: the identity of the request, if it has such a key.
 * - `withoutPermit` releases the request's permit during a wait.
 * - `requestedWait` runs what the client waits for by its own wish (`waitSeconds`). Metrics leave that time out.
 * - `remainingWait`: the time left for all waits of the request.
 * - `byteBody` opens the body of an operation that takes the bytes of a file. They can be read once.
 */
export type HandlerContext = Service & {
  accountId: string;
  keyId: string;
  allowedKnowledgeBases: AllowedKnowledgeBases;
  restriction: DocumentFilter | undefined;
  token: AccessToken | undefined;
  origin(): string;
  signal(): AbortSignal;
  transact: Transact;
  keyed: KeyedRequest | undefined;
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  requestedWait<T>(wait: () => Promise<T>): Promise<T>;
  remainingWait: RemainingWait | undefined;
  byteBody(): { sizeBytes: number; bytes: AsyncIterable<Buffer> };
};

/**
 * The input of an operation, in which a filter as text has become a filter in JSON (http/contract/filter-values.ts).
 */
type Read<Input> = 'filter' extends keyof Input ? Omit<Input, 'filter'> & { filter?: Filter } : Input;

/**
 * One function for each operation. It turns the validated body or query into the success body without `success`.
 * Failures are thrown.
 */
export type Handlers = {
  [Operation in keyof Operations]: (
    input: Read<NonNullable<Parameters<Operations[Operation]>[0]>>,
    context: HandlerContext,
  ) => Promise<Omit<Awaited<ReturnType<Operations[Operation]>>, 'success'>>;
};
