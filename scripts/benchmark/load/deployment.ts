/** The deployment under load: one that runs somewhere, or a new service of this machine. */
import { call, startService } from '../../../contract-tests/harness/service/service-process.ts';
import type { Balance } from '../../../generated/types.gen.ts';
import { type Account, createParts, importStretch } from '../corpus/corpus-import.ts';
import { withFilled } from '../corpus/filled-service.ts';
import type { Report } from '../measuring/figures.ts';
import { post } from '../measuring/post.ts';
import { readProcessorUse } from '../measuring/processor-use.ts';
import { ANSWERED } from './loops.ts';

/**
 * A deployment whose knowledge bases `ids` are searched.
 *
 * - `pids`: the programs of its servers and its database on this machine; empty where they are unknown.
 * - `isOwn`: nothing else uses it.
 */
export type Deployment = Account & { pids: number[]; isOwn: boolean; ids: string[] };

/** Where a deployment runs, or the folder that keeps the corpora of new services of this machine, if they are kept. */
export type Place = (Account & { pids: number[] }) | { data: string | undefined };

/** Passages of the corpus in this many knowledge bases. */
export type Size = { passages: number; knowledgeBases: number };

/** Runs `use` with a new service that has the corpus. */
async function withOwn(
  report: Report,
  { passages, knowledgeBases }: Size,
  { data, use }: { data: string | undefined; use: (deployment: Deployment) => Promise<void> },
): Promise<void> {
  await withFilled(report, { passages, count: knowledgeBases, data }, async ({ dataDirectory, ids }) => {
    const service = await startService(dataDirectory);
    await use({ ...service, pids: [service.pid], isOwn: true, ids }).finally(() => service.stop());
  });
}

/** Runs `use` with a deployment that has the corpus, in new knowledge bases, which are removed afterwards. */
export async function withCorpus(
  report: Report,
  place: Place,
  { size, use }: { size: Size; use: (deployment: Deployment) => Promise<void> },
): Promise<void> {
  if ('data' in place) return await withOwn(report, size, { ...place, use });
  await withKnowledgeBases(place, size.knowledgeBases, async (deployment) => {
    await importStretch(deployment, { first: 0, end: size.passages, knowledgeBaseIds: deployment.ids });
    await use(deployment);
  });
}

/** Runs `use` with this many new knowledge bases of a deployment, and deletes them afterwards, also after a failure. */
export async function withKnowledgeBases(
  account: Account & { pids: number[] },
  count: number,
  use: (deployment: Deployment) => Promise<void>,
): Promise<void> {
  const ids: string[] = [];
  try {
    await createParts(account, count, ids);
    await use({ ...account, isOwn: false, ids });
  } finally {
    for (const knowledgeBaseId of ids) await call(account, 'deleteKnowledgeBase', { knowledgeBaseId });
  }
}

/** Sends a request. Returns ANSWERED, the error's code, or else the status or the code of the broken connection. */
export async function send({ address, apiKey }: Account, operation: string, body: object): Promise<string> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  try {
    const { status, answer } = await post(`${address}/v1/${operation}`, headers, JSON.stringify(body));
    if (status === 200 && answer !== undefined) return ANSWERED;
    const { errorCode } = (answer ?? {}) as { errorCode?: string }; // the contract's envelope, or another text
    return errorCode ?? `status ${status}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'broken connection';
  }
}

/** Seconds of processor time and credits that a deployment has used. The times are 0 where its programs are unknown. */
export type Use = { serverSeconds: number; databaseSeconds: number; credits: number };

/** Reads what has been used so far; only differences mean something. */
export async function readUse(deployment: Pick<Deployment, keyof Account | 'pids'>): Promise<Use> {
  const { servers, database } = readProcessorUse(deployment.pids);
  const { balance } = await call<Balance>(deployment, 'getBalance');
  return { serverSeconds: servers, databaseSeconds: database, credits: -balance };
}
