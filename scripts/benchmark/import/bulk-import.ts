/**
 * Part `bulk`: small files a second by the command and by three requests, and the queries of another account meanwhile.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { observe, openAccounts } from '../../../contract-tests/harness/neighbours/neighbour.ts';
import { startCommand } from '../../../contract-tests/harness/service/command-line.ts';
import {
  call,
  environmentOf,
  type RunningProgram,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Document, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import type { Report, Target } from '../measuring/figures.ts';
import { readEndedCpuSeconds, readProcessorUse } from '../measuring/processor-use.ts';
import { makePdf, makeSmallFile, SMALL_FORMATS, type TypicalFile } from './typical-files.ts';

/** Files of each further kind: those in processes of their own take a tenth of a second each. */
const OTHER_FILES = 100;
const MARKDOWN_CHARACTERS = 1_980;
const THREE_REQUESTS_FILES = 500;
const CLIENTS = 8;
const WAIT_SECONDS = 30;
const SEED = 900;
/** The files beside which another account searches, and how long it does before the import is looked at again. */
const BESIDE_FILES = 1_000;
const ROUND_SECONDS = 2;
/** The last characters of what a command says that has failed. */
const SAID_MAX_LENGTH = 2_000;
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

/** Imports a folder by the command. @throws unless all its files were imported, with what the command has said */
async function runImport({ address, apiKey, dataDirectory }: Account, folder: string, name: string) {
  const environment = {
    ...environmentOf(dataDirectory),
    KNOWLEDGE_URL: address,
    KNOWLEDGE_API_KEY: apiKey,
  };
  const child = startCommand(environment, 'import', folder, '--kb', name);
  child.stdout.resume();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0)
    throw new Error(`the import of ${name} ended with ${code}: ${said.slice(-SAID_MAX_LENGTH)}`);
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

type Service = Pick<RunningProgram, 'pid'>;

/**
 * Seconds that `act` takes, and milliseconds of a processor for each of `count` files: of the servers, of PostgreSQL.
 */
async function measured({ pid }: Service, count: number, act: () => Promise<void>) {
  const before = readProcessorUse([pid]);
  const endedBefore = readEndedCpuSeconds(pid);
  const seconds = await secondsOf(act);
  const after = readProcessorUse([pid]);
  const perFile = (cpuSeconds: number) => (1000 * cpuSeconds) / count;
  return {
    seconds,
    // The processes that read files end, and are children of the server.
    serverMs: perFile(after.servers - before.servers + readEndedCpuSeconds(pid) - endedBefore),
    databaseMs: perFile(after.database - before.database),
  };
}

/** Imports the files of one kind by the command. */
async function measureKind(report: Report, { service, account }: Measured, kind: Kind): Promise<void> {
  const { count, target } = kind;
  const name = `${count} ${kind.kind} by the command`;
  report.progress(name);
  const { seconds, serverMs, databaseMs } = await withFolder(kind, (folder) =>
    measured(service, count, () => runImport(account, folder, kind.kind)),
  );
  report.figure({ name, value: count / seconds, unit: '/s', ...(target && { target }) });
  report.figure({ name: '  processor time of a file, servers', value: serverMs, unit: 'ms' });
  report.figure({ name: '  the same, PostgreSQL', value: databaseMs, unit: 'ms' });
}

type Measured = { service: Service; account: Account; files: number };

/** Imports files in three requests, by several clients at once. */
async function measureThreeRequests(
  report: Report,
  { service, account, files }: Measured,
  knowledgeBaseId: string,
): Promise<void> {
  const count = Math.min(THREE_REQUESTS_FILES, files);
  const name = `${count} md in three requests, ${CLIENTS} clients`;
  report.progress(name);
  const ids: string[] = [];
  const { seconds, serverMs, databaseMs } = await measured(service, count, async () => {
    const seeds = Array.from({ length: count }, (_, i) => SEED + files + i);
    await inParallel(seeds, CLIENTS, async (seed) => {
      ids.push(await importOne(account, knowledgeBaseId, markdown(seed)));
    });
    await inParallel(ids, CLIENTS, (id) => untilProcessed(account, id));
  });
  report.figure({ name, value: count / seconds, unit: '/s', target: TARGET_THREE_REQUESTS });
  report.figure({ name: '  processor time of a file, servers', value: serverMs, unit: 'ms' });
  report.figure({ name: '  the same, PostgreSQL', value: databaseMs, unit: 'ms' });
}

/** The queries of another account for as long as the command imports. */
async function measureNeighbour(
  report: Report,
  { account, files }: Measured,
  neighbour: Parameters<typeof observe>[0],
): Promise<void> {
  const beside = {
    kind: 'md',
    make: (seed: number) => markdown(seed + 2 * files),
    count: Math.min(BESIDE_FILES, files),
  };
  report.progress(`queries of another account beside an import of ${beside.count} md`);
  const queries = await withFolder(beside, async (folder) => {
    const importing = runImport(account, folder, 'beside').then(() => 'ended' as const);
    const times: number[] = [];
    // The import outlasts all rounds but the last.
    for (let ended: 'ended' | undefined; ended === undefined; ) {
      times.push(...(await observe(neighbour, ROUND_SECONDS)).queries);
      ended = await Promise.race([importing, Promise.resolve(undefined)]);
    }
    return times;
  });
  for (const [share, target] of [
    [0.5, undefined],
    [0.95, { atMost: TARGET_QUERY_MS }],
  ] as const)
    report.figure({
      name: `queries of another account beside ${beside.count} md, ${100 * share} %`,
      value: percentile(queries, share),
      unit: 'ms',
      ...(target && { target }),
    });
}

/** Imports `files` Markdown files of 2 kB by the command, fewer of the other kinds, and some in three requests. */
export async function measureBulkImport(report: Report, { files }: { files: number }): Promise<void> {
  const others = Math.min(OTHER_FILES, files);
  const kinds: Kind[] = [
    ...['txt', 'html', 'docx'].map((kind) => ({ kind, make: small(kind), count: others })),
    { kind: 'pdf', make: pdf, count: others },
    { kind: 'md', make: markdown, count: files, target: TARGET_COMMAND },
  ];
  await withService(async (service) => {
    const { attacker, neighbour } = await openAccounts(service);
    const account = { ...attacker, dataDirectory: service.dataDirectory };
    const context = { service, account, files };
    for (const kind of kinds) await measureKind(report, context, kind);
    await measureThreeRequests(report, context, attacker.knowledgeBaseId);
    await measureNeighbour(report, context, neighbour);
  });
}
