/**
 * The service with its embedded PostgreSQL runs in a container of 1 GiB, whatever is imported, and in one of 512 MiB
 * with ordinary files.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DocumentStatusReport } from '../../generated/types.gen.ts';
import type { Api } from '../../src/contract-check/requests/api.ts';
import { createCaller } from '../../src/contract-check/requests/calling.ts';
import { bytesOf, importBytes, isFinal, type SentFile } from '../harness/calls/uploading.ts';
import {
  documentsMissing,
  mayEnd,
  readSharedDocument,
  sharedDocuments,
} from '../harness/documents/shared-documents.ts';
import { createRandom, makeText } from '../harness/documents/texts.ts';
import { startService, withEmbeddedDirectory } from '../harness/service/service-process.ts';
import { mayLimitMemory, withMemoryGroup } from './memory-group.ts';

const LIMIT_BYTES = 2 ** 30;
/** Clients that import at the same time. */
const CLIENTS = 16;
/** Long texts that are imported at the same time. */
const TEXTS = 8;
/** The contract's longest text, and the longest of a file, in UTF-16 code units. */
const TEXT_LENGTH = 1_000_000;
const FILE_TEXT_LENGTH = 10_000_000;

const isAllowed = mayLimitMemory();
if (!isAllowed)
  process.stderr.write('small-container.test.ts is skipped: only root on Linux may limit memory\n');

/** Runs `use` with a service in a container. Asserts that no process was killed, and that the service still answers. */
async function inSmallContainer(
  name: string,
  use: (api: Api) => Promise<void>,
  limitBytes = LIMIT_BYTES,
): Promise<void> {
  await withMemoryGroup(limitBytes, ({ launcher, readKills }) =>
    withEmbeddedDirectory(async (dataDirectory) => {
      const service = await startService(dataDirectory, { launcher });
      const { api } = createCaller(service);
      const startedAtMs = performance.now();
      await use(api).finally(() => {
        const seconds = Math.round((performance.now() - startedAtMs) / 1000);
        process.stderr.write(`${name}: ${seconds} s, ${readKills()} processes killed\n`);
      });
      expect(readKills()).toBe(0);
      expect(await api.getBalance()).toBeGreaterThan(0);
      await service.stop();
    }),
  );
}

/** Calls `act` for each value, CLIENTS values at a time. */
async function forEach<T>(values: readonly T[], act: (value: T) => Promise<void>): Promise<void> {
  const left = values.values();
  const client = async () => {
    for (const value of left) await act(value);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** The pause before a refused request is sent again. */
const RETRY_MS = 1_000;

/** Retries a request until the service is no longer overloaded. */
async function retryWhileOverloaded<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if ((error as { errorCode?: string }).errorCode !== 'SERVICE_UNAVAILABLE') throw error; // an envelope, or none
    }
    await delay(RETRY_MS);
  }
}

/** The report of a document once its status is final, however long that takes. */
async function untilEnd(api: Api, documentId: string) {
  for (;;) {
    const report = await api.getDocumentStatus(documentId, 30);
    if (isFinal(report.status)) return report;
  }
}

const importUntilEnd = async (api: Api, file: SentFile) => untilEnd(api, (await importBytes(api, file)).id);

test.skipIf(!isAllowed || documentsMissing !== undefined)(
  'real and hostile files end with an expected status, and no process is killed',
  async () => {
    await inSmallContainer('files', async (api) => {
      const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'files' });
      const wrong: string[] = [];
      await forEach(sharedDocuments, async (document) => {
        const { file: fileName } = document;
        const bytes = await readSharedDocument(fileName);
        if (bytes.length === 0) return; // the contract's smallest upload is one byte
        const report = await importUntilEnd(api, { knowledgeBaseId, fileName, bytes });
        if (!mayEnd(document, report)) wrong.push(`${fileName}: ${JSON.stringify(report)}`);
      });
      expect(wrong).toEqual([]);
    });
  },
);

/** Words of eight letters, hardly two of them equal. */
function makeRandomWords(characters: number, seed: number): string {
  const random = createRandom(seed);
  const drawWord = () =>
    Array.from({ length: 8 }, () => Math.floor(random() * 26 + 10).toString(36)).join('');
  return Array.from({ length: Math.ceil(characters / 9) }, drawWord)
    .join(' ')
    .slice(0, characters);
}

const HOSTILE_TEXTS: Record<string, (characters: number, seed: number) => string> = {
  Chinese: (characters, seed) => makeText('chinese', characters, seed),
  'random words': makeRandomWords,
  headings: (characters) => '# a\n'.repeat(characters / 4),
};

/** On a small machine a file gets less memory, so a hostile one may be refused. */
const isProcessedOrTooComplex = ({ status, error }: DocumentStatusReport) =>
  status === 'processed' || error?.code === 'FILE_TOO_COMPLEX';

test.skipIf(!isAllowed).each(Object.entries(HOSTILE_TEXTS))(
  'eight of the longest texts and the longest file at once end with an expected status, and no process is killed: %s',
  async (name, make) => {
    await inSmallContainer(name, async (api) => {
      const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name });
      const bytes = bytesOf(make(FILE_TEXT_LENGTH, 0));
      const importText = async (seed: number) => {
        const text = { knowledgeBaseId, title: `${seed}`, content: make(TEXT_LENGTH, seed) };
        return (await retryWhileOverloaded(() => api.importTextContent(text))).status;
      };
      const [report, ...statuses] = await Promise.all([
        importUntilEnd(api, { knowledgeBaseId, fileName: 'longest.md', bytes }),
        ...Array.from({ length: TEXTS }, (_, i) => importText(i + 1)),
      ]);
      expect(new Set(statuses)).toEqual(new Set(['processed']));
      expect(report).toSatisfy(isProcessedOrTooComplex);
    });
  },
);

/** Files of a small archive, each with this many characters. */
const ORDINARY_FILES = 30;
const ORDINARY_LENGTH = 300_000;

test.skipIf(!isAllowed)('in half of that, thirty ordinary files are imported and found', async () => {
  const use = async (api: Api) => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'ordinary' });
    const statuses = new Set<string>();
    await forEach([...Array(ORDINARY_FILES).keys()], async (seed) => {
      const bytes = bytesOf(makeRandomWords(ORDINARY_LENGTH, seed));
      statuses.add((await importUntilEnd(api, { knowledgeBaseId, fileName: `${seed}.txt`, bytes })).status);
    });
    expect([...statuses]).toEqual(['processed']);
    const [word = ''] = makeRandomWords(20, 7).split(' ');
    expect(await api.query({ query: word })).not.toEqual([]);
  };
  await inSmallContainer('ordinary files', use, LIMIT_BYTES / 2);
});
