/**
 * Damaged files of every format through a running service: in archives, and some alone. Every document ends, the
 * service answers without a fault, and no damaged file takes the others of its archive with it. `MUTATIONS=100000`
 * sends that many; `MUTATION_FIRST=5000` begins at another one.
 */
import { expect, test } from 'vitest';
import type { DocumentStatusReport } from '../../generated/types.gen.ts';
import type { Api } from '../../src/contract-check/requests/api.ts';
import { importBytes, isFinal } from '../harness/calls/uploading.ts';
import { archiveOf, createMutator, type NamedFile } from '../harness/documents/mutated-files.ts';
import { findDescendants, readResidentBytes } from '../harness/machine/processes.ts';
import { keepService } from '../harness/service/kept-service.ts';
import { openAccount } from '../harness/service/opened-account.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 10_000);
const FIRST = Number(process.env.MUTATION_FIRST ?? 0);
const FILES_PER_ARCHIVE = 500;
/** One of this many files is sent alone too: that takes a process for each. */
const ALONE_EVERY = 200;
/** Archives that are sent at the same time. */
const CLIENTS = 3;
/** A document that is unfinished after this many waits of 30 s hangs. */
const WAITS_MAX = 20;
/** The first archives fill caches; after them the service's memory may grow by this many bytes. */
const WARM_UP_ARCHIVES = 3;
const MEMORY_GROWTH = 256 * 1024 ** 2;
/** The progress is printed after this many archives. */
const PROGRESS_EVERY = 5;
/** A run with more faults than this ends. */
const FAULTS_MAX = 20;

const service = await keepService();
const { api } = await openAccount({}, service);
const mutate = await createMutator();

/** The last report of a document, which is final unless it hangs. */
async function untilEnded(api: Api, documentId: string): Promise<DocumentStatusReport> {
  let report = await api.getDocumentStatus(documentId);
  for (let waits = 0; waits < WAITS_MAX && !isFinal(report.status); waits++)
    report = await api.getDocumentStatus(documentId, 30);
  return report;
}

const outcomeOf = ({ status, error }: DocumentStatusReport): string =>
  status === 'failed' ? (error?.code ?? 'failed without a reason') : status;

/** What a damaged file may end with. */
const REASONS = [
  'processed',
  'UNSUPPORTED_FILE_TYPE',
  'FILE_CORRUPT',
  'FILE_ENCRYPTED',
  'FILE_TOO_COMPLEX',
  'NO_TEXT_EXTRACTED',
];

/** Imports a file, lets `check` look at its report, and deletes it. */
async function withImported(
  { fileName, bytes }: NamedFile,
  check: (report: DocumentStatusReport, knowledgeBaseId: string) => Promise<void>,
): Promise<void> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: fileName });
  const { id } = await importBytes(api, { knowledgeBaseId, fileName, bytes });
  await check(await untilEnded(api, id), knowledgeBaseId);
  await api.deleteKnowledgeBase(knowledgeBaseId);
}

/** Counts of the outcomes of files that were sent alone, and what went wrong. */
const outcomes: Record<string, number> = {};
const faults: string[] = [];
let sent = 0;

async function noteFaults(name: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    faults.push(`${name}: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
    process.stderr.write(`${faults.at(-1)}\n`);
  }
}

async function sendAlone(file: NamedFile): Promise<void> {
  await withImported(file, async (report) => {
    const outcome = outcomeOf(report);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    expect(REASONS).toContain(outcome);
  });
}

async function sendArchive(files: NamedFile[], name: string): Promise<void> {
  const sentence = `The quokka of archive ${name} stands at its end.`;
  const bytes = archiveOf(files, sentence);
  await withImported({ fileName: `${name}.zip`, bytes }, async (report, knowledgeBaseId) => {
    expect(outcomeOf(report)).toBe('processed');
    const [best] = await api.query({ query: 'quokka', knowledgeBaseIds: [knowledgeBaseId] });
    expect(best?.content).toContain(sentence);
  });
}

/** Sends the archive of the files from `first` on, and the files among them that are sent alone. */
async function send(first: number): Promise<void> {
  const count = Math.min(FILES_PER_ARCHIVE, FIRST + MUTATIONS - first);
  const files = Array.from({ length: count }, (_, i) => mutate(first + i));
  await noteFaults(`archive ${first}`, () => sendArchive(files, `${first}`));
  // The contract's smallest upload is one byte.
  for (const [i, file] of files.entries())
    if ((first + i) % ALONE_EVERY === 0 && file.bytes.length > 0)
      await noteFaults(file.fileName, () => sendAlone(file));
  sent += count;
}

const residentBytes = (): number =>
  [service.pid, ...findDescendants(service.pid)].reduce((sum, pid) => sum + readResidentBytes(pid), 0);
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Prints how far the run is. */
function printProgress(startedAtMs: number): void {
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  const memory = `${mebibytes(readResidentBytes(service.pid))} MiB, all ${mebibytes(residentBytes())}`;
  process.stderr.write(`${sent} in ${seconds} s; ${memory}; alone ${JSON.stringify(outcomes)}\n`);
}

test(`${MUTATIONS} damaged files end, and take nothing with them`, { timeout: 12 * 3_600_000 }, async () => {
  const starts = Array.from(
    { length: Math.ceil(MUTATIONS / FILES_PER_ARCHIVE) },
    (_, i) => FIRST + i * FILES_PER_ARCHIVE,
  );
  const startedAtMs = performance.now();
  const left = starts.entries();
  let warm = 0;
  const client = async () => {
    for (const [i, first] of left) {
      if (faults.length > FAULTS_MAX) return;
      await send(first);
      if (i === WARM_UP_ARCHIVES) warm = readResidentBytes(service.pid);
      if (i % PROGRESS_EVERY === PROGRESS_EVERY - 1) printProgress(startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(faults).toEqual([]);
  expect(await api.getBalance()).toBeGreaterThan(0);
  if (warm > 0) expect(readResidentBytes(service.pid) - warm).toBeLessThan(MEMORY_GROWTH);
});
