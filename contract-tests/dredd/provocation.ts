/** What is sent to get an answer, and what the answer has to be beyond its status, schema and headers. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { KnowledgeBase } from '../../generated/types.gen.ts';
import { type Caller, createCaller, toSent } from '../harness/calling.ts';
import type { OperationId } from '../harness/contract-check.ts';
import type { Answer, Sent } from '../harness/exchange.ts';
import { examplesOf, operationOf } from '../harness/read-spec.ts';
import type { Stock } from './stock.ts';
import type { Target } from './target.ts';

/** What a run has: where it runs, a caller there, what lies there, and what is to go at the run's end. */
export type Work = {
  target: Target;
  caller: Caller;
  stock: Stock;
  /** Knowledge bases that a provocation has made, by their ids. */
  made: Set<string>;
};

export const startWork = (target: Target, stock: Stock): Work => ({
  target,
  caller: createCaller(target),
  stock,
  made: new Set(),
});

/** A knowledge base of a provocation's own: whatever becomes of the provocation, nothing of it stays. */
export async function makeKnowledgeBase({ caller, made }: Work): Promise<KnowledgeBase> {
  const knowledgeBase = await caller.api.createKnowledgeBase({ name: 'Contract run, for one transaction' });
  made.add(knowledgeBase.id);
  return knowledgeBase;
}

/** Deletes what the provocations have made and left. */
export async function clearWork({ caller, made }: Work): Promise<void> {
  for (const knowledgeBaseId of made) await caller.request('deleteKnowledgeBase', { knowledgeBaseId });
  made.clear();
}

/** One request, sent to `address` (the target's own where there is none). */
export type Provocation = {
  address?: string;
  sent: Sent;
  /** Throws what is wrong with the answer; may send further requests. */
  check?(answer: Answer): Promise<void> | void;
  /** Undoes what the provocation took, whatever the answer was. */
  end?(): void;
};

/** The input that the spec shows for an operation: its first example of a body, or those of its parameters. */
export function exampleInput(operationId: OperationId): Record<string, unknown> {
  const { requestBody, parameters = [] } = operationOf(operationId);
  if (requestBody === undefined) {
    const given = parameters.filter(({ example }) => example !== undefined);
    return Object.fromEntries(given.map(({ name, example }) => [name, example]));
  }
  const [, example] = examplesOf(requestBody.content)[0] ?? [];
  return example?.value as Record<string, unknown>; // the example of an object's schema, held by spec-examples.test.ts
}

/** The spec's example with `input` in place of what means nothing here: above all its ids. */
export function requestWith(
  { caller }: Work,
  operationId: OperationId,
  input: Record<string, unknown> = {},
): Sent & { headers: OutgoingHttpHeaders } {
  const sent = toSent(operationId, { ...exampleInput(operationId), ...input });
  return { ...sent, headers: { 'x-api-key': caller.apiKey, ...sent.headers } };
}

/** The data of a success, as its operation has it; the answer has been held against the spec. */
export const dataOf = <Data>({ body }: Answer): Data => (body as { data: Data }).data;
