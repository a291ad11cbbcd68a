/** Judges all stored data by the model while nothing changes it, and settles unknown states. */
import { vi } from 'vitest';
import type { Document, KnowledgeBase, Usage } from '../../../generated/types.gen.ts';
import { isFinal } from '../../harness/calls/uploading.ts';
import { createInParallel } from '../../harness/create-in-parallel.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { judgeCharges, judgeDocuments, judgeKnowledgeBases, judgeUsage } from './judge.ts';
import type { Deployment } from './killer.ts';
import { settle } from './lifetime.ts';
import { SECTIONS } from './planned-documents.ts';
import { queryPassages, queryVersions, RESULTS_MAX } from './readings.ts';
import { complain, dataOf, planRequest, sendUntilAnswered, type Target } from './sending.ts';
import type { DocumentRecord, KnowledgeBaseRecord, Versions } from './world.ts';

/**
 * The longest wait for the next import to end, since the service promises to take over a dead worker's import within a
 * minute. A busy machine takes longer for all imports.
 */
const END_TIMEOUT_MS = 60_000;

/** One answer holds the passages of this many documents. A query ignores words after the 64th. */
const DOCUMENTS_PER_QUERY = Math.floor(RESULTS_MAX / SECTIONS);

/**
 * The payload of a read operation.
 * @throws when it is refused
 */
async function read<Data>(target: Target, ...request: Parameters<typeof planRequest>) {
  const { answer, ...span } = await sendUntilAnswered(target, planRequest(...request));
  if (answer?.status !== 200) throw new Error(`${request[0]} answered ${answer?.status} ${answer?.text}`);
  return { data: dataOf<Data>(answer), span };
}

const listDocuments = (target: Target, { id: knowledgeBaseId }: KnowledgeBaseRecord) =>
  read<Document[]>(target, 'listDocuments', { knowledgeBaseId });

/** Settles which knowledge bases exist, and returns them. */
async function checkKnowledgeBases(target: Target): Promise<KnowledgeBaseRecord[]> {
  const { world } = target;
  const { data, span } = await read<KnowledgeBase[]>(target, 'listKnowledgeBases', {});
  world.violations.push(
    ...judgeKnowledgeBases(
      world,
      data.map(({ name }) => name),
      span,
    ),
  );
  const byName = new Map(data.map((shown) => [shown.name, shown]));
  for (const record of world.knowledgeBases) {
    const shown = byName.get(record.name);
    settle(record.life, { isThere: shown !== undefined, now: world.clock() });
    if (shown !== undefined) record.id ??= shown.id;
  }
  return world.knowledgeBases.filter(({ life }) => life.endedAt === undefined);
}

/**
 * Resolves when all imports have ended.
 * @throws after a minute in which no import ends
 */
async function untilEnded(target: Target, knowledgeBases: KnowledgeBaseRecord[]): Promise<void> {
  const countUnfinished = async () => {
    const lists = await createInParallel(knowledgeBases.length, async (index) => {
      const { data } = await listDocuments(target, knowledgeBases[index] as KnowledgeBaseRecord); // within the list
      return data.filter(({ status }) => !isFinal(status)).length;
    });
    return lists.reduce((sum, count) => sum + count, 0);
  };
  for (let left = await countUnfinished(); left > 0; ) {
    const before = left;
    const hasEnded = async () => {
      left = await countUnfinished();
      return left < before;
    };
    await vi.waitUntil(hasEnded, { timeout: END_TIMEOUT_MS, interval: 500 });
  }
}

/** Settles which documents a knowledge base has. */
async function checkDocuments(target: Target, knowledgeBase: KnowledgeBaseRecord): Promise<void> {
  const { world } = target;
  const { data, span } = await listDocuments(target, knowledgeBase);
  world.violations.push(...judgeDocuments(knowledgeBase, data, span));
  const byTitle = new Map(data.map((shown) => [shown.title, shown]));
  for (const record of knowledgeBase.documents) {
    const shown = byTitle.get(record.title);
    const now = world.clock();
    settle(record.life, { isThere: shown !== undefined, now });
    if (shown === undefined) continue;
    record.id ??= shown.id;
    if (record.kind !== 'blank') record.searchableAt ??= now;
  }
}

/** Asserts that every existing passage is found once, and no deleted one. */
async function checkSearch(target: Target, records: DocumentRecord[]): Promise<void> {
  const queried = records.filter(({ words }) => words.length > 0);
  const groups = Math.ceil(queried.length / DOCUMENTS_PER_QUERY);
  await createInParallel(groups, async (group) => {
    const together = queried.slice(group * DOCUMENTS_PER_QUERY, (group + 1) * DOCUMENTS_PER_QUERY);
    await vi.waitUntil(() => queryPassages(target, together), { timeout: END_TIMEOUT_MS, interval: 200 });
  });
}

/** Asserts that exactly one version is found of each document that was replaced. */
async function checkVersions(target: Target, versions: Versions[]): Promise<void> {
  await createInParallel(versions.length, async (index) => {
    const each = versions[index] as Versions; // within the list
    await vi.waitUntil(() => queryVersions(target, each), { timeout: END_TIMEOUT_MS, interval: 200 });
  });
}

/** Asserts that the id of a deleted document reveals nothing. */
async function checkGone(target: Target, gone: DocumentRecord[]): Promise<void> {
  const known = gone.filter(({ id }) => id !== undefined);
  await createInParallel(known.length, async (index) => {
    const { id: documentId, title } = known[index] as DocumentRecord; // within the list
    const { answer } = await sendUntilAnswered(target, planRequest('getDocument', { documentId }));
    if (answer?.status !== 404)
      complain(target.world, 'shown after its deletion', `getDocument of ${title}: ${answer?.status}`);
  });
}

/** Forgets documents that are checked to be gone, so that the next check covers only the rest. */
function forgetGone(target: Target, gone: DocumentRecord[]): void {
  const { world } = target;
  for (const record of gone) for (const word of record.words) world.byWord.delete(word);
  const forgotten = new Set(gone);
  for (const knowledgeBase of world.knowledgeBases)
    knowledgeBase.documents = knowledgeBase.documents.filter((record) => !forgotten.has(record));
}

/** The results of a check: documents by the end of their import, deleted ones, and the time until the imports ended. */
export type Settled = { processed: number; failed: number; gone: number; endedAfterMs: number };

/** Checks the account's counters. PostgreSQL's deaths may have lost some charges. */
async function checkCounters(target: Target, { deaths }: Deployment, initialCredits: number): Promise<void> {
  const { world } = target;
  const usage = await read<Usage>(target, 'getUsage', {});
  world.violations.push(...judgeUsage(world, usage.data, usage.span));
  const { data } = await read<{ balance: number }>(target, 'getBalance', {});
  const crashes = deaths.filter(({ victim }) => victim === 'postgres' || victim === 'backend');
  const crashedAtMs = crashes.map(({ atMs }) => atMs);
  world.violations.push(...judgeCharges(world, { charged: initialCredits - data.balance, crashedAtMs }));
}

const isGone = ({ life, knowledgeBase }: DocumentRecord): boolean =>
  life.endedAt !== undefined || knowledgeBase.life.endedAt !== undefined;

/** Checks everything after one or more deaths. `initialCredits`: before the first query. */
export async function checkSettled(
  target: Target,
  deployment: Deployment,
  initialCredits: number,
): Promise<Settled> {
  const { world } = target;
  const restartedAt = performance.now();
  const knowledgeBases = await checkKnowledgeBases(target);
  await untilEnded(target, knowledgeBases);
  const endedAfterMs = performance.now() - restartedAt;
  const check = (i: number) => checkDocuments(target, knowledgeBases[i] as KnowledgeBaseRecord); // within the list
  await createInParallel(knowledgeBases.length, check);
  const records = world.knowledgeBases.flatMap(({ documents }) => documents);
  await checkSearch(target, records);
  await checkVersions(
    target,
    knowledgeBases.flatMap(({ versions }) => versions),
  );
  const gone = records.filter(isGone);
  await checkGone(target, gone);
  forgetGone(target, gone);
  await checkCounters(target, deployment, initialCredits);
  const problems = await runCommand(deployment.dataDirectory, 'fsck').catch(String); // it rejects if there are any
  if (problems !== '0 problems') complain(world, 'fault', `fsck: ${problems}`);
  const failed = records.filter((record) => !isGone(record) && record.kind === 'blank').length;
  return { processed: records.length - gone.length - failed, failed, gone: gone.length, endedAfterMs };
}
