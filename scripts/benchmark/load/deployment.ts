/** The deployment under load: one that runs somewhere, or a new service of this machine. */
import { withServiceDatabase } from '../../../contract-tests/harness/embedded-database.ts';
import { call, withService } from '../../../contract-tests/harness/service-process.ts';
import type { Balance } from '../../../generated/types.gen.ts';
import { type Account, createParts, settle } from '../corpus-import.ts';
import { post } from '../post.ts';
import { readProcessorUse } from '../processor-use.ts';
import { ANSWERED } from './loops.ts';

/**
 * - `pids`: the programs of its servers and its database on this machine; empty where they are unknown.
 * - `isOwn`: nothing else uses it.
 * - `settle`: waits for the work that follows imports.
 */
export type Deployment = Account & { pids: number[]; isOwn: boolean; settle(): Promise<void> };

/** Where a deployment runs; undefined: this process starts one. */
export type Place = (Account & { pids: number[] }) | undefined;

/** Runs `use` with the deployment. One of this process's own is removed afterwards with everything in it. */
export async function withDeployment(
  place: Place,
  use: (deployment: Deployment) => Promise<void>,
): Promise<void> {
  if (place !== undefined) return await use({ ...place, isOwn: false, settle: async () => {} });
  await withService(async (service) => {
    const settleOwn = async () => void (await withServiceDatabase(service, settle));
    await use({ ...service, pids: [service.pid], isOwn: true, settle: settleOwn });
  });
}

/** Runs `use` with this many new knowledge bases, and deletes them afterwards if others use the deployment as well. */
export async function withKnowledgeBases(
  deployment: Deployment,
  count: number,
  use: (ids: string[]) => Promise<void>,
): Promise<void> {
  const ids = await createParts(deployment, count);
  try {
    await use(ids);
  } finally {
    const deleted = deployment.isOwn ? [] : ids;
    for (const knowledgeBaseId of deleted) await call(deployment, 'deleteKnowledgeBase', { knowledgeBaseId });
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
export async function readUse(deployment: Deployment): Promise<Use> {
  const { servers, database } = readProcessorUse(deployment.pids);
  const { balance } = await call<Balance>(deployment, 'getBalance');
  return { serverSeconds: servers, databaseSeconds: database, credits: -balance };
}
