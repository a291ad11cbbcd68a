/** A seeded bug changes the correct answers of a service. The functions below shorten the definitions of bugs. */
import type { Answer, Sent } from '../../../src/contract-check/requests/exchange.ts';
import { expectedStatus, type Transaction } from '../../../src/contract-check/runner/transactions.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';

/** A request and the service's answer to it. */
export type Exchanged = {
  /** undefined: not an operation's route, for example an upload address. */
  operationId: OperationId | undefined;
  sent: Sent;
  answer: Answer;
  /** A valid key. */
  apiKey: string;
  /** Sends the request to the same server again, with these differences. Returns that answer. */
  resend(other: Partial<Sent>): Promise<Answer>;
};

/** The answer that the client gets. */
export type Change = (exchanged: Exchanged) => Answer | Promise<Answer>;

export type Bug = {
  name: string;
  /** The transactions in which the bug shows. */
  at: Transaction[];
  /** Returns the change for one run. The change may keep state, which ends with the run. */
  begin(): Change;
};

const toTransaction = (name: string): Transaction => {
  const [operationId, status = ''] = name.split(' ');
  return { operationId: operationId as OperationId, status }; // hunt.test.ts compares them with the spec
};

/** A bug that shows in the transactions `at` (`query 200`). It may change any answer. */
export const bug = (name: string, at: string[], begin: () => Change): Bug => ({
  name,
  at: at.map(toTransaction),
  begin,
});

export const withBody = (answer: Answer, body: unknown): Answer => ({
  ...answer,
  body,
  text: JSON.stringify(body),
});

/** undefined removes a header. */
export function withHeaders(answer: Answer, headers: Record<string, string | undefined>): Answer {
  const all = Object.entries({ ...answer.headers, ...headers });
  return { ...answer, headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

export const withStatus = (answer: Answer, status: number): Answer => ({ ...answer, status });

/** The answer with a refusal's status and envelope. */
export const refusal = (answer: Answer, status: number, errorCode: string): Answer =>
  withBody(withStatus(answer, status), { success: false, message: 'Refused.', errorCode, data: {} });

export const success = (answer: Answer, data: unknown): Answer =>
  withBody(withStatus(answer, 200), { success: true, data });

/** A bug in the answers to one transaction. */
export function inAnswer(
  name: string,
  at: string,
  change: (answer: Answer, exchanged: Exchanged) => Answer | Promise<Answer>,
): Bug {
  const transaction = toTransaction(at);
  return bug(name, [at], () => (exchanged) => {
    const { operationId, answer } = exchanged;
    const isAt =
      operationId === transaction.operationId && answer.status === Number(expectedStatus(transaction));
    return isAt ? change(answer, exchanged) : answer;
  });
}

type Body = Record<string, unknown>;

/** A bug in the envelope of one transaction. */
export const inBody = (name: string, at: string, change: (body: Body) => unknown): Bug =>
  inAnswer(name, at, (answer) => withBody(answer, change(answer.body as Body))); // every envelope is an object

/** A bug in the data of a success. `Data` is the type of the operation's data. */
export const inData = <Data>(name: string, operationId: OperationId, change: (data: Data) => unknown): Bug =>
  inBody(name, `${operationId} 200`, (body) => ({ ...body, data: change(body.data as Data) }));

/** A bug in each item of a success whose data is a list. */
export const inItems = <Item>(name: string, operationId: OperationId, change: (item: Item) => unknown): Bug =>
  inData<Item[]>(name, operationId, (items) => items.map(change));

/** A bug in the error data of a refusal. */
export const inErrorData = (name: string, at: string, change: (data: Body) => unknown): Bug =>
  inBody(name, at, (body) => ({ ...body, data: change(body.data as Body) })); // the contract requires an object

/** The object without one of its fields. */
export function without<Value extends object>(value: Value, field: keyof Value): Partial<Value> {
  const { [field]: _, ...rest } = value;
  return rest as Partial<Value>; // only that field is missing
}
