/** How a crash run's client creates knowledge bases, and deletes them and documents. */
import { randomUUID } from 'node:crypto';
import type { KnowledgeBase } from '../../../generated/types.gen.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { type Life, mustBeSeen } from './lifetime.ts';
import { complain, dataOf, planRequest, sendUntilAnswered, type Target } from './sending.ts';
import { addKnowledgeBase, type DocumentRecord, type KnowledgeBaseRecord } from './world.ts';

/** Returns undefined if the answer was lost without a key: then the id of the knowledge base is unknown. */
export async function createKnowledgeBase(
  target: Target,
  name: string,
  { withKey }: { withKey: boolean },
): Promise<KnowledgeBaseRecord | undefined> {
  const { world } = target;
  const record = addKnowledgeBase(world, name);
  const key: Record<string, string> = withKey ? { 'idempotency-key': randomUUID() } : {};
  const request = planRequest('createKnowledgeBase', { name }, key);
  const { answer } = await sendUntilAnswered(target, request, { givesUp: !withKey });
  if (answer === undefined) return undefined;
  if (answer.status !== 200) {
    complain(world, 'refused without reason', `${name}: ${answer.status} ${answer.text}`);
    return undefined;
  }
  record.id = dataOf<KnowledgeBase>(answer).id;
  record.life.madeAt = world.clock();
  return record;
}

/** Deletes a document or a knowledge base. "Not found" is a success if an earlier attempt may have deleted it. */
async function remove(
  target: Target,
  {
    operationId,
    input,
    life,
    isExpected,
  }: {
    operationId: OperationId;
    input: object;
    life: Life;
    /** Whether another client may have deleted it by then. */
    isExpected(span: { sentAt: number; answeredAt: number }): boolean;
  },
  givesUp: boolean,
): Promise<void> {
  const { world } = target;
  life.endBegunAt = world.clock();
  const { answer, doubted, ...span } = await sendUntilAnswered(target, planRequest(operationId, input), {
    givesUp,
  });
  if (answer === undefined) return;
  life.endedAt = world.clock();
  const isRight = answer.status === 200 || (answer.status === 404 && (doubted || isExpected(span)));
  if (!isRight) {
    const wrong = answer.status === 404 ? 'lost' : 'refused without reason';
    complain(world, wrong, `${operationId} ${JSON.stringify(input)}: ${answer.status} ${answer.text}`);
  }
}

/** With `givesUp`, whether it is deleted may stay unknown for ever. */
export async function deleteDocument(
  target: Target,
  { id: documentId, life, knowledgeBase }: DocumentRecord,
  { givesUp }: { givesUp: boolean },
): Promise<void> {
  const isExpected = (span: Parameters<typeof mustBeSeen>[1]) => !mustBeSeen(knowledgeBase.life, span);
  await remove(target, { operationId: 'deleteDocument', input: { documentId }, life, isExpected }, givesUp);
}

/** Only the leader of its clients deletes it. */
export async function deleteKnowledgeBase(
  target: Target,
  { id: knowledgeBaseId, life }: KnowledgeBaseRecord,
  { givesUp }: { givesUp: boolean },
): Promise<void> {
  const removal = { operationId: 'deleteKnowledgeBase' as const, input: { knowledgeBaseId }, life };
  await remove(target, { ...removal, isExpected: () => false }, givesUp);
}
