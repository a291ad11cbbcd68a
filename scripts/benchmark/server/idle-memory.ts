/** Part `idle`: memory of a server that has nothing to do, and what it answers first afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { findDescendants, readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import { findPostgresPid } from '../../../contract-tests/harness/service/service-database.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withEmbeddedDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report } from '../measuring/figures.ts';

const TARGET_IDLE_MEBIBYTES = 150;
/** By then V8 has collected the garbage of the start, or of the work, and idle threads have ended. */
const IDLE_SECONDS = 70;
/** Longer than a text that is analysed without a thread. */
const TEXT_CHARACTERS = 20_000;
const QUERY = { query: 'When does the cafe open?' };

/** Resident memory of the server and its children in MiB, without its PostgreSQL. */
function readMemory({ pid, dataDirectory }: RunningService): number {
  const postgres = findPostgresPid(dataDirectory);
  const ofPostgres = new Set(postgres === undefined ? [] : [postgres, ...findDescendants(postgres)]);
  const own = [pid, ...findDescendants(pid)].filter((each) => !ofPostgres.has(each));
  return own.reduce((sum, each) => sum + readResidentBytes(each), 0) / 2 ** 20;
}

async function millisecondsOf(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}

/** Measures after a start and again after work; in both cases after a minute without requests. */
export async function measureIdleMemory(report: Report): Promise<void> {
  await withEmbeddedDirectory(async (dataDirectory) => {
    // A checkout compiles at its first start, which takes 25 MB more.
    await (await startService(dataDirectory)).stop();
    const service = await startService(dataDirectory);
    const waitIdle = async () => {
      report.progress(`${IDLE_SECONDS} s without requests`);
      await delay(IDLE_SECONDS * 1000);
      return readMemory(service);
    };
    const target = { atMost: TARGET_IDLE_MEBIBYTES };
    report.figure({ name: 'idle after the start', value: await waitIdle(), unit: 'MiB', target });
    const add = (name: string, value: number) => report.figure({ name, value, unit: 'ms' });
    add('first query', await millisecondsOf(() => call(service, 'query', QUERY)));
    add('second query', await millisecondsOf(() => call(service, 'query', QUERY)));
    const knowledgeBaseId = await createKnowledgeBase(service, 'idle');
    const importText = (seed: number) => {
      const content = makeText('english', TEXT_CHARACTERS, seed);
      return call(service, 'importTextContent', { knowledgeBaseId, title: 'Text', content });
    };
    add(`first text of ${TEXT_CHARACTERS} characters`, await millisecondsOf(() => importText(1)));
    add('second text', await millisecondsOf(() => importText(2)));
    report.figure({ name: 'idle after two texts', value: await waitIdle(), unit: 'MiB' });
    add('query after the pause', await millisecondsOf(() => call(service, 'query', QUERY)));
    await service.stop();
  });
}
