/** Part `import`: the time of the largest text's import, and its effect on other clients. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  createRandom,
  makeQuery,
  makeText,
  type ScriptName,
} from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report } from '../measuring/figures.ts';
import { observe } from '../measuring/open-loop.ts';

/** The contract's largest `content`. */
const TEXT_CHARACTERS = 1_000_000;
const IMPORTS = 5;
const TARGET_IMPORT_SECONDS = 2;

/** The other clients' requests arrive at this rate, whether or not earlier ones have been answered. */
const ARRIVALS_PER_SECOND = 50;
const TARGET_OTHERS_MS = 100;
/** The texts that the other clients search: a knowledge base of a few pages. */
const SMALL_TEXTS = 20;
const SMALL_TEXT_CHARACTERS = 3_000;
const QUERY_WORDS = 3;
/** Seconds with only the other clients, for comparison. */
const QUIET_SECONDS = 5;

/** The seed of the other clients' queries and texts. Imports use the following seeds. */
const SEED = 100;

/** Alternates between reading the balance and a small search. */
function createOthers(service: RunningService, knowledgeBaseId: string): () => Promise<unknown> {
  const random = createRandom(SEED);
  let turn = 0;
  return () => {
    if (turn++ % 2 === 0) return call(service, 'getBalance');
    return call(service, 'query', {
      query: makeQuery(QUERY_WORDS, random),
      knowledgeBaseIds: [knowledgeBaseId],
    });
  };
}

/** Imports texts in turn. Returns the seconds of each. */
async function importTexts(
  service: RunningService,
  script: ScriptName,
  knowledgeBaseId: string,
): Promise<number[]> {
  const bodies = Array.from({ length: IMPORTS }, (_, i) => {
    const content = makeText(script, TEXT_CHARACTERS, SEED + 1 + i);
    return JSON.stringify({ knowledgeBaseId, title: `Report ${i}`, content });
  });
  const seconds: number[] = [];
  for (const body of bodies) {
    const start = performance.now();
    await call(service, 'importTextContent', body);
    seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

function addOthers(report: Report, when: string, milliseconds: number[], target?: { atMost: number }): void {
  const add = (name: string, share: number) =>
    report.figure({ name: `others ${when}: ${name}`, value: percentile(milliseconds, share), unit: 'ms' });
  add('median', 0.5);
  const p99 = percentile(milliseconds, 0.99);
  report.figure({ name: `others ${when}: 99 % within`, value: p99, unit: 'ms', ...(target && { target }) });
  add('longest', 1);
}

async function measureScript(
  report: Report,
  service: RunningService,
  script: ScriptName,
  send: () => Promise<unknown>,
) {
  report.progress(`${IMPORTS} imports of ${TEXT_CHARACTERS} characters, ${script}`);
  const knowledgeBaseId = await createKnowledgeBase(service, script);
  const imports = importTexts(service, script, knowledgeBaseId);
  const others = await observe(send, { perSecond: ARRIVALS_PER_SECOND, ended: imports });
  const seconds = await imports;
  const target = { atMost: TARGET_IMPORT_SECONDS };
  report.figure({ name: `${script}: median import`, value: percentile(seconds, 0.5), unit: 's', target });
  report.figure({ name: `${script}: longest import`, value: percentile(seconds, 1), unit: 's', target });
  addOthers(report, `during ${script}`, others, { atMost: TARGET_OTHERS_MS });
}

/** Measures English (ASCII) and Chinese (three bytes a character) texts while others use the service. */
export async function measureTextImport(report: Report): Promise<void> {
  await withService(async (service) => {
    const small = await createKnowledgeBase(service, 'small');
    for (let i = 0; i < SMALL_TEXTS; i++) {
      const content = makeText('english', SMALL_TEXT_CHARACTERS, SEED - i);
      await call(service, 'importTextContent', { knowledgeBaseId: small, title: `Page ${i}`, content });
    }
    const send = createOthers(service, small);
    report.note(
      `The others: ${ARRIVALS_PER_SECOND} requests/s, getBalance and searches of ${SMALL_TEXTS} pages alternately.`,
    );
    report.progress(`the others alone for ${QUIET_SECONDS} s`);
    const quiet = { perSecond: ARRIVALS_PER_SECOND, ended: delay(QUIET_SECONDS * 1000) };
    addOthers(report, 'alone', await observe(send, quiet));
    for (const script of ['english', 'chinese'] as const) await measureScript(report, service, script, send);
  });
}
