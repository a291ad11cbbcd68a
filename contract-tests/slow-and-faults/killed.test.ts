/** Acknowledged writes stay true while server, worker, PostgreSQL and extraction processes are killed repeatedly. */
import { expect, inject, test } from 'vitest';
import type { Document } from '../../generated/types.gen.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  startWorker,
  withEmbeddedDirectory,
} from '../harness/service/service-process.ts';
import { crashRun } from './crash-model/crash-run.ts';

/**
 * The long form: two servers of one database, with a full check after every ten kills.
 * More kills, or another order: KILLS=1000 KILL_SEED=2 npm run test:faults
 */
const { servers, kills, checkEvery } = inject('isLong')
  ? { servers: 2 as const, kills: Number(process.env.KILLS ?? 100), checkEvery: 10 }
  : { servers: 1 as const, kills: 6, checkEvery: 6 };
const seed = Number(process.env.KILL_SEED ?? 1);
const TIMEOUT_MS = inject('isLong') ? 3_600_000 : 420_000;
/** The intended database failures would fill the log. */
const QUIET = { settings: { LOG_LEVEL: 'fatal' } };

test(
  `${kills} SIGKILLs under 32 clients: nothing is lost, doubled, half-indexed or stalled`,
  async () => {
    const run = await crashRun({ servers, clients: 32, kills, checkEvery, seed });
    process.stdout.write(`${JSON.stringify(run)}\n`);
    expect(run.violations).toEqual([]);
    // Each victim must have died. Otherwise the test would prove nothing.
    expect(Math.min(...Object.values(run.deaths))).toBeGreaterThan(0);
    expect(
      Math.min(...run.checks.map(({ processed, failed, gone }) => Math.min(processed, failed, gone))),
    ).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

async function importOkapis(service: RunningService): Promise<Document> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'okapis');
  const body = 'A file that tells of okapis.';
  const input = { knowledgeBaseId, fileName: 'okapis.txt', size: body.length };
  const ticket = await call<{ fileId: string; uploadUrl: string }>(service, 'presignUploadUrl', input);
  await fetch(ticket.uploadUrl, { method: 'PUT', body });
  return await call<Document>(service, 'importFile', { fileId: ticket.fileId });
}

test('a worker imports the files of a server without workers, and does not start without a database', async () => {
  await withEmbeddedDirectory(async (dataDirectory) => {
    await expect(startWorker(dataDirectory, QUIET)).rejects.toThrow('ended before it answered');
    const service = await startService(dataDirectory, { ...QUIET, options: ['--no-worker'] });
    const { id } = await importOkapis(service);
    const waited = await call<Document>(service, `getDocumentStatus?documentId=${id}&waitSeconds=2`);
    expect(waited.status).toBe('pending');
    const worker = await startWorker(dataDirectory, QUIET);
    const ended = await call<Document>(service, `getDocumentStatus?documentId=${id}&waitSeconds=30`);
    expect(ended.status).toBe('processed');
    await worker.stop();
    await service.stop();
  });
}, 120_000);
