/** The contract as handlers see it: the generated types with the envelope taken away. */
import type {
  AccountControllerMethods,
  DocumentsControllerMethods,
  KnowledgeBasesControllerMethods,
  SearchControllerMethods,
  UploadsControllerMethods,
} from '../../generated/nestjs.gen.ts';
import type { WaitBudget } from '../concurrency/waiting-line.ts';
import type { Transact } from '../database/idempotency-keys.ts';
import type { Service } from './service.ts';

type Operations = SearchControllerMethods &
  UploadsControllerMethods &
  KnowledgeBasesControllerMethods &
  DocumentsControllerMethods &
  AccountControllerMethods;

/**
 * What a handler works with: the service, whose request it is and by which key, the origin (`http://host`) it was sent
 * to, a signal that aborts when nobody waits for the answer any more, the transaction of an operation that takes an
 * Idempotency-Key, `withoutPermit`, which runs what takes time while another request works, and what its waits
 * together may still take.
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
 * One function per operation: from its validated body or query to its success body without `success`. Failures
 * are thrown.
 */
export type Handlers = {
  [Operation in keyof Operations]: (
    input: NonNullable<Parameters<Operations[Operation]>[0]>,
    call: HandlerContext,
  ) => Promise<Omit<Awaited<ReturnType<Operations[Operation]>>, 'success'>>;
};
