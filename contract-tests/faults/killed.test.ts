/** Acknowledged writes stay true while server, worker, PostgreSQL and extraction processes are killed repeatedly. */
import { expect, test } from 'vitest';
import type { Document } from '../../generated/types.gen.ts';
import {
  call,
  createKnowledgeBase,
  startService,
  startWorker,
  withDataDirectory,
} from '../harness/service-process.ts';
import { crashRun } from './crash-model/crash-run.ts';

/** Another seed kills in another order: KILL_SEED=2 npx vitest … */
const SEED = Number(process.env.KILL_SEED ?? 1);
/** The intended database failures would fill the log. */
const QUIET = { settings: { LOG_LEVEL: 'fatal' } };

test('six SIGKILLs under 32 clients lose, double, half-index and stall nothing, and leave nothing that does not fit', async () => {
  const run = await crashRun({ servers: 1, clients: 32, kills: 6, checkEvery: 6, seed: SEED });
  expect(run.violations).toEqual([]);
  // Without a death of each victim the test would prove nothing.
  expect(Math.min(...Object.values(run.deaths))).toBeGreaterThan(0);
  expect(
    Math.min(...run.checks.map(({ processed, failed, gone }) => Math.min(processed, failed, gone))),
  ).toBeGreaterThan(0);
}, 420_000);

async function importOkapis(service: Parameters<typeof call>[0]): Promise<Document> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'okapis');
  const body = 'A file that tells of okapis.';
  const input = { knowledgeBaseId, fileName: 'okapis.txt', size: body.length };
  const ticket = await call<{ fileId: string; uploadUrl: string }>(service, 'presignUploadUrl', input);
  await fetch(ticket.uploadUrl, { method: 'PUT', body });
  return await call<Document>(service, 'importFile', { fileId: ticket.fileId });
}

test('a worker alone imports what a server without workers takes, and refuses to start without a database', async () => {
  await withDataDirectory(async (dataDirectory) => {
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
