/** A thousand good PDFs are all processed. Meanwhile another account's files are processed within seconds. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Api } from '../../src/contract-check/requests/api.ts';
import { bytesOf, importBytes, isFinal } from '../harness/calls/uploading.ts';
import {
  documentsMissing,
  readSharedDocument,
  sharedDocuments,
} from '../harness/documents/shared-documents.ts';
import { measureSlowdown } from '../harness/machine/machine-slowdown.ts';
import { keepService } from '../harness/service/kept-service.ts';
import { openAccount } from '../harness/service/opened-account.ts';

const FILES = 1_000;
/** Another account imports a small file at this interval. */
const OTHERS_EVERY_MS = 20_000;
/** Each of these files must be processed within this time. Other work on the machine prolongs it. */
const OTHERS_MAX_MS = 5_000;

const service = await keepService();

const PDFS = sharedDocuments.filter(
  ({ format, outcome, tier }) => format === 'pdf' && outcome === 'text' && tier === 'core',
);

/** Imports files into a new knowledge base of the account. */
async function createImporter(api: Api) {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'bulk' });
  return async (fileName: string, bytes: Uint8Array): Promise<string> =>
    (await importBytes(api, { knowledgeBaseId, fileName, bytes })).id;
}

/**
 * Adds the final statuses of further documents to `ended`. Stops at the first unfinished document, since files are
 * processed in order.
 */
async function addFinalStatuses(api: Api, ids: string[], ended: Map<string, string>): Promise<void> {
  for (const id of ids) {
    if (ended.has(id)) continue;
    const { status } = await api.getDocumentStatus(id);
    if (status === 'pending') return;
    if (isFinal(status)) ended.set(id, status);
  }
}

test.skipIf(documentsMissing)(
  'a thousand PDFs at once are all processed, and files of another account do not wait for them',
  async () => {
    const [{ api: many }, { api: other }] = [await openAccount({}, service), await openAccount({}, service)];
    const [importPdf, importText] = [await createImporter(many), await createImporter(other)];
    const bytes = await Promise.all(PDFS.map(({ file }) => readSharedDocument(file)));
    const startedAtMs = performance.now();
    const ids: string[] = [];
    for (let i = 0; i < FILES; i++) {
      ids.push(await importPdf(`${i}.pdf`, bytes[i % bytes.length] as Buffer)); // the list is not empty
    }
    const waits: { ms: number; slowdown: number }[] = [];
    const ended = new Map<string, string>();
    while (ended.size < FILES) {
      const slowdown = measureSlowdown();
      const sentAtMs = performance.now();
      const id = await importText('a.txt', bytesOf('A small text.'));
      expect((await other.getDocumentStatus(id, 30)).status).toBe('processed');
      waits.push({ ms: performance.now() - sentAtMs, slowdown: slowdown() });
      await addFinalStatuses(many, ids, ended);
      if (ended.size < FILES) await delay(OTHERS_EVERY_MS);
    }
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    const longest = Math.round(Math.max(...waits.map(({ ms }) => ms)));
    process.stderr.write(
      `${FILES} PDFs in ${seconds} s, ${waits.length} texts beside them in ${longest} ms at most\n`,
    );
    expect(new Set(ended.values())).toEqual(new Set(['processed']));
    for (const { ms, slowdown } of waits) expect(ms).toBeLessThan(OTHERS_MAX_MS * slowdown);
  },
);
