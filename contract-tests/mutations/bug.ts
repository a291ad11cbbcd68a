/** Bugs of the contract as changes of good answers, and short ways to write them down. */

import type { Transaction } from '../dredd/transactions.ts';
import type { OperationId } from '../harness/contract-check.ts';
import type { Answer, Sent } from '../harness/exchange.ts';

/** A request with the answer that the service gave to it. */
export type Exchanged = {
  /** undefined: a route beside the operations, as an upload address. */
  operationId: OperationId | undefined;
  sent: Sent;
  answer: Answer;
  /** A key that works. */
  apiKey: string;
  /** Asks the same server for something else. */
  ask(other: Partial<Sent>): Promise<Answer>;
};

/** The answer that the client gets. */
export type Change = (exchanged: Exchanged) => Answer | Promise<Answer>;

export type Bug = {
  name: string;
  /** The transactions that meet it. */
  at: Transaction[];
  /** Makes the change for one run: what a bug remembers, it remembers until the run's end. */
  begin(): Change;
};

const toTransaction = (name: string): Transaction => {
  const [operationId, status = ''] = name.split(' ');
  return { operationId: operationId as OperationId, status }; // hunt.test.ts holds them against the spec
};

/** A bug that shows in the answers to these transactions (`query 200`), and may change any answer. */
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

/** undefined takes a header away. */
export function withHeaders(answer: Answer, headers: Record<string, string | undefined>): Answer {
  const all = Object.entries({ ...answer.headers, ...headers });
  return { ...answer, headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)) };
}

export const withStatus = (answer: Answer, status: number): Answer => ({ ...answer, status });

/** An envelope in place of the answer's. */
export const refusal = (answer: Answer, status: number, errorCode: string): Answer =>
  withBody(withStatus(answer, status), { success: false, message: 'Refused.', errorCode, data: {} });

export const success = (answer: Answer, data: unknown): Answer =>
  withBody(withStatus(answer, 200), { success: true, data });

/** The status by number that a transaction's answer has; `default` is met by 405. */
const numberOf = ({ status }: Transaction) => Number(status === 'default' ? 405 : status);

/** A bug in the answers to one transaction. */
export function inAnswer(
  name: string,
  at: string,
  change: (answer: Answer, exchanged: Exchanged) => Answer | Promise<Answer>,
): Bug {
  const transaction = toTransaction(at);
  return bug(name, [at], () => (exchanged) => {
    const { operationId, answer } = exchanged;
    const isMeant = operationId === transaction.operationId && answer.status === numberOf(transaction);
    return isMeant ? change(answer, exchanged) : answer;
  });
}

type Body = Record<string, unknown>;

/** A bug in the envelope of one transaction. */
export const inBody = (name: string, at: string, change: (body: Body) => unknown): Bug =>
  inAnswer(name, at, (answer) => withBody(answer, change(answer.body as Body))); // an envelope is an object

/** A bug in the data of a success. */
export const inData = <Data>(name: string, operationId: OperationId, change: (data: Data) => unknown): Bug =>
  inBody(name, `${operationId} 200`, (body) => ({ ...body, data: change(body.data as Data) })); // as the caller says

/** A bug in each item of a success whose data is a list. */
export const inItems = <Item>(name: string, operationId: OperationId, change: (item: Item) => unknown): Bug =>
  inData<Item[]>(name, operationId, (items) => items.map(change));

/** A bug in the error data of a refusal. */
export const inErrorData = (name: string, at: string, change: (data: Body) => unknown): Bug =>
  inBody(name, at, (body) => ({ ...body, data: change(body.data as Body) })); // an object, by the contract

/** The object without one of its fields. */
export function without<Value extends object>(value: Value, field: keyof Value): Partial<Value> {
  const { [field]: _, ...rest } = value;
  return rest as Partial<Value>; // it lacks the one field only
}
