/** The form of the functions that answer from memory. */
import type { HandlerContext, Handlers } from '../../../../src/handlers/handler-types.ts';
import type { Caller } from '../../../../src/http/access/authenticate.ts';
import type { State } from '../state.ts';

/** What an answer depends on besides its input, in the words of the service's own handlers. */
export type MemoryContext = { state: State; caller: Caller } & Pick<
  HandlerContext,
  'origin' | 'byteBody' | 'signal'
>;

type Output<Operation extends keyof Handlers> = Awaited<ReturnType<Handlers[Operation]>>;

/** One function for each operation, with the input and output of the service's handler. Refusals are thrown. */
export type MemoryAnswers = {
  [Operation in keyof Handlers]: (
    input: Parameters<Handlers[Operation]>[0],
    context: MemoryContext,
  ) => Output<Operation> | Promise<Output<Operation>>;
};
