/** A request that gets a status, and the check of its answer beyond status, schema and headers. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { CreatedWebhook, KnowledgeBase } from '../../../generated/types.gen.ts';
import { type Caller, createCaller, toSent } from '../requests/calling.ts';
import type { Answer, Sent } from '../requests/exchange.ts';
import { bodyKindOf, examplesOf, operationOf } from '../spec/read-spec.ts';
import type { OperationId } from '../spec/routes.ts';
import { type Created, nothingCreated, RUN_NAME, RUN_WEBHOOK_URL } from './created.ts';
import type { Fixtures } from './fixtures.ts';
import type { Target } from './target.ts';

/** The context of a run. */
export type RunContext = Created & {
  target: Target;
  caller: Caller;
  fixtures: Fixtures;
};

export const createRunContext = (
  target: Target,
  fixtures: Fixtures,
  created: Created = nothingCreated(),
): RunContext => ({ target, caller: createCaller(target), fixtures, ...created });

/** Creates a knowledge base for one planned request. The run deletes it at its end. */
export async function makeKnowledgeBase({ caller, made }: RunContext): Promise<KnowledgeBase> {
  const knowledgeBase = await caller.api.createKnowledgeBase({ name: `${RUN_NAME}, for one transaction` });
  made.add(knowledgeBase.id);
  return knowledgeBase;
}

/** A webhook that gets no events of a run: no document of this knowledge base changes while it exists. */
export const webhookInput = ({ fixtures }: RunContext) => ({
  url: RUN_WEBHOOK_URL,
  knowledgeBaseIds: [fixtures.otherKnowledgeBaseId],
});

/** Creates a webhook for one planned request. The run deletes it at its end. */
export async function makeWebhook(context: RunContext): Promise<CreatedWebhook> {
  const { caller, madeWebhooks } = context;
  const webhook = await caller.api.createWebhook(webhookInput(context));
  madeWebhooks.add(webhook.id);
  return webhook;
}

/** One request, sent to `address` (default: the target's own). */
export type PlannedRequest = {
  address?: string;
  sent: Sent;
  /** May send further requests. @throws when the answer is wrong */
  check?(answer: Answer): Promise<void> | void;
  /** Undoes the preparation of the request, after any answer. */
  end?(): void;
};

/** Plans a request to the operation that gets one status. */
export type Plan = (
  context: RunContext,
  operationId: OperationId,
) => Promise<PlannedRequest> | PlannedRequest;

/**
 * The spec's example input of an operation: the first example of its body, or the examples of its required parameters.
 * Optional parameters are left out: their examples match the spec's examples, not the fixtures.
 */
export function exampleInput(operationId: OperationId): Record<string, unknown> {
  const { requestBody, parameters = [] } = operationOf(operationId);
  if (requestBody === undefined || bodyKindOf({ requestBody }) === 'bytes') {
    const asked = parameters.filter(({ example, required }) => required && example !== undefined);
    return Object.fromEntries(asked.map(({ name, example }) => [name, example]));
  }
  const [, example] = examplesOf(requestBody.content)[0] ?? [];
  return example?.value as Record<string, unknown>; // an object: spec-examples.test.ts checks it
}

/** A request with the spec's example input. The fields of `input`, above all ids, replace the example's. */
export function requestWith(
  { caller }: RunContext,
  operationId: OperationId,
  input: Record<string, unknown> = {},
): Sent & { headers: OutgoingHttpHeaders } {
  const sent = toSent(operationId, { ...exampleInput(operationId), ...input });
  return { ...sent, headers: { 'x-api-key': caller.apiKey, ...sent.headers } };
}

/** The data of an answer. The answer has been checked against the spec before. */
export const dataOf = <Data>({ body }: Answer): Data => (body as { data: Data }).data;
