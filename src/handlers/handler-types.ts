/** The contract as handlers see it: the generated types without the envelope. */
import type {
  AccountControllerMethods,
  DocumentsControllerMethods,
  KnowledgeBasesControllerMethods,
  SearchControllerMethods,
  UploadsControllerMethods,
} from '../../generated/nestjs.gen.ts';
import type { WaitBudget } from '../concurrency/wait-queue.ts';
import type { Transact } from '../database/idempotency-keys.ts';
import type { Service } from './service.ts';

type Operations = SearchControllerMethods &
  UploadsControllerMethods &
  KnowledgeBasesControllerMethods &
  DocumentsControllerMethods &
  AccountControllerMethods;

/**
 * The service and the request that a handler works with. `origin`: the address that the request was sent to,
 * `http://host`. `signal` aborts when the client waits for the answer no more. `transact`: the transaction of an
 * operation that takes an Idempotency-Key. `withoutPermit` runs what takes time while another request works. `budget`:
 * the time that the waits of the request together may still take.
 */
export type HandlerContext = Service & {
  accountId: string;
  keyId: string;
  origin: string;
  signal: AbortSignal;
  transact: Transact;
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  budget: WaitBudget | undefined;
};

/**
 * One function for each operation. It turns the validated body or query into the success body without `success`.
 * Failures are thrown.
 */
export type Handlers = {
  [Operation in keyof Operations]: (
    input: NonNullable<Parameters<Operations[Operation]>[0]>,
    context: HandlerContext,
  ) => Promise<Omit<Awaited<ReturnType<Operations[Operation]>>, 'success'>>;
};
