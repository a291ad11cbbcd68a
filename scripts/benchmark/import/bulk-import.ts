/** Part `bulk`: small files a second by the command and by three requests, and the queries of another account meanwhile. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { openAccounts, observe as useService } from '../../../contract-tests/harness/neighbours/neighbour.ts';
import { startCommand } from '../../../contract-tests/harness/service/command-line.ts';
import { call, environmentOf, withService } from '../../../contract-tests/harness/service/service-process.ts';
import type { Document, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import type { Report, Target } from '../measuring/figures.ts';
import { makePdf, makeSmallFile, SMALL_FORMATS, type TypicalFile } from './typical-files.ts';

/** Files of each further kind: those in processes of their own take a tenth of a second each. */
const OTHER_FILES = 100;
const MARKDOWN_CHARACTERS = 1_980;
const THREE_REQUESTS_FILES = 500;
const CLIENTS = 8;
const WAIT_SECONDS = 30;
const SEED = 900;
const TARGET_COMMAND = { atLeast: 100 };
const TARGET_THREE_REQUESTS = { atLeast: 50 };
const TARGET_QUERY_MS = 500;

const markdown = (seed: number): TypicalFile => ({
  fileName: `note ${seed}.md`,
  bytes: Uint8Array.from(Buffer.from(`# Note ${seed}\n\n${makeText('english', MARKDOWN_CHARACTERS, seed)}`)),
});

/** A file of a page or two; `SMALL_FORMATS` follow each other by the seed. */
const small = (format: string) => (seed: number) =>
  makeSmallFile(seed * SMALL_FORMATS.length + SMALL_FORMATS.indexOf(format));
const pdf = (seed: number): TypicalFile => ({ ...makePdf(1, seed), fileName: `report ${seed}.pdf` });

type Account = { address: string; apiKey: string; dataDirectory: string };
type Kind = { kind: string; make(seed: number): TypicalFile; count: number; target?: Target };

/** Writes the files into a new folder, and runs `act` with it. */
async function withFolder<T>({ make, count }: Kind, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-bulk-'));
  try {
    for (let i = 0; i < count; i++) {
      const { fileName, bytes } = make(SEED + i);
      await writeFile(join(folder, `${i} ${fileName}`), bytes);
    }
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Imports a folder by the command. @throws unless all its files were imported */
async function runImport({ address, apiKey, dataDirectory }: Account, folder: string, name: string) {
  const environment = {
    ...environmentOf(dataDirectory),
    KNOWLEDGE_URL: address,
    KNOWLEDGE_API_KEY: apiKey,
  };
  const child = startCommand(environment, 'import', folder, '--kb', name);
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the import of ${name} ended with ${code}`);
}

/** Imports a file in three requests, and waits until it is processed. */
async function importOne(account: Account, knowledgeBaseId: string, { fileName, bytes }: TypicalFile) {
  const ticket = { knowledgeBaseId, fileName, size: bytes.length };
  const { uploadUrl, fileId } = await call<UploadTicket>(account, 'presignUploadUrl', ticket);
  const sent = await fetch(uploadUrl, { method: 'PUT', body: bytes });
  if (!sent.ok) throw new Error(`the upload was answered ${sent.status}`);
  await sent.arrayBuffer();
  return (await call<Document>(account, 'importFile', { fileId })).id;
}

async function untilProcessed(account: Account, documentId: string): Promise<void> {
  for (;;) {
    const wait = `getDocumentStatus?documentId=${documentId}&waitSeconds=${WAIT_SECONDS}`;
    const { status } = await call<DocumentStatusReport>(account, wait);
    if (status === 'processed') return;
    if (status === 'failed' || status === 'timeout') throw new Error(`an import has ${status}`);
  }
}

const secondsOf = async (act: () => Promise<void>): Promise<number> => {
  const startMs = performance.now();
  await act();
  return (performance.now() - startMs) / 1000;
};

/** Imports `files` Markdown files of 2 kB by the command, fewer of the other kinds, and some in three requests. */
export async function measureBulkImport(report: Report, { files }: { files: number }): Promise<void> {
  const kinds: Kind[] = [
    ...['txt', 'html', 'docx'].map((kind) => ({ kind, make: small(kind), count: OTHER_FILES })),
    { kind: 'pdf', make: pdf, count: OTHER_FILES },
    { kind: 'md', make: markdown, count: files, target: TARGET_COMMAND },
  ];
  await withService(async (service) => {
    const { attacker, neighbour } = await openAccounts(service);
    const account = { ...attacker, dataDirectory: service.dataDirectory };
    for (const kind of kinds) {
      const name = `${kind.count} ${kind.kind} by the command`;
      report.progress(name);
      const seconds = await withFolder(kind, (folder) =>
        secondsOf(() => runImport(account, folder, kind.kind)),
      );
      const target = kind.target && { target: kind.target };
      report.figure({ name, value: kind.count / seconds, unit: '/s', ...target });
    }
    report.progress(`${THREE_REQUESTS_FILES} md in three requests`);
    const seeds = Array.from({ length: THREE_REQUESTS_FILES }, (_, i) => SEED + files + i);
    const ids: string[] = [];
    const seconds = await secondsOf(async () => {
      await inParallel(seeds, CLIENTS, async (seed) => {
        ids.push(await importOne(account, attacker.knowledgeBaseId, markdown(seed)));
      });
      await inParallel(ids, CLIENTS, (id) => untilProcessed(account, id));
    });
    report.figure({
      name: `${THREE_REQUESTS_FILES} md in three requests`,
      value: THREE_REQUESTS_FILES / seconds,
      unit: '/s',
      target: TARGET_THREE_REQUESTS,
    });
    report.progress('queries of another account beside an import by the command');
    const beside = { kind: 'md', make: (seed: number) => markdown(seed + 2 * files), count: 500 };
    const queries = await withFolder(beside, async (folder) => {
      const importing = runImport(account, folder, 'beside');
      const observed = await useService(neighbour, 5);
      await importing;
      return observed.queries;
    });
    const value = percentile(queries, 0.95);
    report.figure({
      name: 'queries beside it, 95 %',
      value,
      unit: 'ms',
      target: { atMost: TARGET_QUERY_MS },
    });
  });
}
