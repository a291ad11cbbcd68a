/**
 * Part `faults`: how long queries take while a model fails in each of the ways that
 * contract-tests/harness/service/embeddings-model.ts has, and right after a start while it hangs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { FAULTS, startEmbeddingsModel } from '../../../contract-tests/harness/service/embeddings-model.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withEmbeddedDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import { ask, askAll } from '../measuring/ask.ts';
import type { Report } from '../measuring/figures.ts';
import { untilEmbedded } from './measures.ts';

const CHARACTERS = 100_000;
const CLIENTS = 4;
/** EMBEDDINGS_TIMEOUT_MS, and what the words may take beside it. */
const [DEADLINE_MS, MORE_MS] = [300, 50];
const POLL_MS = 100;

type Trial = { report: Report; service: RunningService; knowledgeBaseId: string; queries: number };

let asked = 0;
/** A query that no other one equals. */
const nextSearch = ({ knowledgeBaseId }: Pick<Trial, 'knowledgeBaseId'>) => ({
  query: `people with time for number ${++asked}`,
  knowledgeBaseIds: [knowledgeBaseId],
});

/** Waits until queries are compared by their meaning. */
async function untilCompared(trial: Trial): Promise<void> {
  while ((await ask(trial.service, nextSearch(trial))).isWarned) await delay(POLL_MS);
}

/**
 * Asks queries, of which each one must be answered, and others by words between them, which ask no model: their times
 * show what a busy machine adds. `mayBeCompared`: the model answers.
 */
async function measure(trial: Trial, name: string, mayBeCompared = false): Promise<void> {
  const { report, service, queries } = trial;
  const searches = Array.from({ length: 2 * queries }, (_, i) => ({
    ...nextSearch(trial),
    ...(i % 2 === 1 && { mode: 'words' as const }),
  }));
  const { answers: all } = await askAll(service, searches, { clients: CLIENTS, label: name });
  const answers = all.filter((_, i) => i % 2 === 0);
  const times = answers.map(({ milliseconds }) => milliseconds);
  const byWords = all.filter((_, i) => i % 2 === 1).map(({ milliseconds }) => milliseconds);
  const figure = (of: string, value: number, atMost?: number) =>
    report.figure({
      name: `${name}: ${of}`,
      value,
      unit: 'ms',
      ...(atMost !== undefined && { target: { atMost } }),
    });
  figure('p50', percentile(times, 0.5));
  figure('p99', percentile(times, 0.99), DEADLINE_MS + MORE_MS);
  figure('longest', percentile(times, 1));
  figure('p99 by words meanwhile', percentile(byWords, 0.99));
  const warned = answers.filter(({ isWarned }) => isWarned).length;
  if (!mayBeCompared && warned < queries)
    report.note(`${name}: ${queries - warned} of ${queries} answers had no warning.`);
}

/** Measures all faults, one after another, and then a start while the model hangs. */
export async function measureFaults(report: Report, { queries }: { queries: number }): Promise<void> {
  await using model = await startEmbeddingsModel();
  await withEmbeddedDirectory(async (dataDirectory) => {
    const start = () => startService(dataDirectory, { settings: model.settings, onLog: () => {} });
    const service = await start();
    const knowledgeBaseId = await createKnowledgeBase(service, 'Rules');
    const content = makeText('english', CHARACTERS, 1);
    await call(service, 'importTextContent', { knowledgeBaseId, title: 'Text', content });
    await withServiceDatabase(service, untilEmbedded);
    const trial = { report, service, knowledgeBaseId, queries };
    await untilCompared(trial);
    await measure(trial, 'the model answers', true);
    for (const fault of FAULTS) {
      report.progress(`the model ${fault}`);
      if (fault === 'is dead') await model.end();
      else model.behaviour = fault;
      await measure(trial, `the model ${fault}`);
      if (fault === 'is dead') await model.start();
      model.behaviour = 'answers';
      if (fault !== FAULTS.at(-1)) await untilCompared(trial);
    }
    await service.stop();
    model.behaviour = 'hangs';
    report.progress('right after the start, the model hangs');
    const again = { ...trial, service: await start() };
    await measure(again, 'right after the start, the model hangs');
    await again.service.stop();
  });
}
