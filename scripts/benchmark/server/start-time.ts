/** Part `start`: the time from spawning the service to its first answer to an authenticated request. */

import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withEmbeddedDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report } from '../measuring/figures.ts';

const RUNS = 3;
const TARGET_FIRST_SECONDS = 10;
const TARGET_LATER_SECONDS = 3;
/** Written just before the crash, so that there is something to recover. */
const TEXT_CHARACTERS = 200_000;

/** Starts the service. Returns the seconds to its first answer. */
async function start(dataDirectory: string): Promise<{ service: RunningService; seconds: number }> {
  const before = performance.now();
  const service = await startService(dataDirectory);
  await call(service, 'getBalance');
  return { service, seconds: (performance.now() - before) / 1000 };
}

/** Seconds of a start on an empty directory, of one after SIGTERM, and of one after SIGKILL. */
type Starts = { first: number; later: number; crashed: number };

async function measureStarts(seed: number): Promise<Starts> {
  return await withEmbeddedDirectory(async (dataDirectory) => {
    const first = await start(dataDirectory);
    await first.service.stop();
    const later = await start(dataDirectory);
    const knowledgeBaseId = await createKnowledgeBase(later.service, 'before the crash');
    const content = makeText('english', TEXT_CHARACTERS, seed);
    await call(later.service, 'importTextContent', { knowledgeBaseId, title: 'Text', content });
    await later.service.kill();
    const crashed = await start(dataDirectory);
    await crashed.service.stop();
    return { first: first.seconds, later: later.seconds, crashed: crashed.seconds };
  });
}

/** Measures the three kinds of start several times; the slowest counts. */
export async function measureStartTime(report: Report): Promise<void> {
  const runs: Starts[] = [];
  for (let i = 0; i < RUNS; i++) {
    report.progress(`run ${i + 1} of ${RUNS}: first start, later start, start after SIGKILL`);
    runs.push(await measureStarts(i));
  }
  const add = (name: string, seconds: number[], atMost: number) => {
    report.figure({ name: `${name}: median`, value: percentile(seconds, 0.5), unit: 's' });
    report.figure({ name: `${name}: slowest`, value: percentile(seconds, 1), unit: 's', target: { atMost } });
  };
  add(
    'first start',
    runs.map(({ first }) => first),
    TARGET_FIRST_SECONDS,
  );
  add(
    'later start',
    runs.map(({ later }) => later),
    TARGET_LATER_SECONDS,
  );
  add(
    'start after SIGKILL',
    runs.map(({ crashed }) => crashed),
    TARGET_LATER_SECONDS,
  );
}
