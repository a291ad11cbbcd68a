/** Two accounts on one service: measures the second one's answers while the first one attacks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRandom, makeQuery, makeText } from '../documents/texts.ts';
import { runCommand } from '../service/command-line.ts';
import type { RunningService } from '../service/service-process.ts';
import { type Account, type Answer, call, importFile, importText } from './account.ts';

const SEED = 700;
/** Texts that the second account searches. */
const TEXTS = 100;
const TEXT_CHARACTERS = 3_000;
const QUERY_WORDS = 3;
const SMALL_TEXT = 'Thirty-two characters of a note.';
/** Pause between an answer and the next request of the same kind. */
const PAUSES_MS = { queries: 10, imports: 200, reads: 100, files: 500 };
/** The contract's longest wait. */
const WAIT_SECONDS = 30;

/** Milliseconds of each request by kind (a file: until it is processed). `refused`: all answers other than 200. */
export type Observed = Record<keyof typeof PAUSES_MS, number[]> & { refused: string[] };

/** Opens two accounts on a service, the second one with texts to search. */
export async function openAccounts(
  service: Pick<RunningService, 'address' | 'dataDirectory'>,
): Promise<{ attacker: Account; neighbour: Account }> {
  const open = async (name: string): Promise<Account> => {
    await runCommand(service.dataDirectory, 'accounts', 'create', name);
    const apiKey = await runCommand(service.dataDirectory, 'keys', 'create', '--account', name);
    const account = { address: service.address, apiKey, knowledgeBaseId: '' };
    const { data } = await call<{ id: string }>(account, 'createKnowledgeBase', { name: 'Texts' });
    return { ...account, knowledgeBaseId: data.id };
  };
  const [attacker, neighbour] = [await open('attacker'), await open('neighbour')];
  for (let i = 0; i < TEXTS; i++) await importText(neighbour, makeText('english', TEXT_CHARACTERS, SEED + i));
  return { attacker, neighbour };
}

const isFinal = ({ status }: { status: string }) => status !== 'pending' && status !== 'processing';

/** Imports a small file, and waits until it is processed. */
async function processFile(account: Account): Promise<Answer> {
  const imported = await importFile(account, { fileName: 'note.txt', bytes: Buffer.from(SMALL_TEXT) });
  const documentId = imported.data?.id;
  if (imported.status !== 200 || documentId === undefined) return imported;
  for (;;) {
    const wait = `getDocumentStatus?documentId=${documentId}&waitSeconds=${WAIT_SECONDS}`;
    const answer = await call<{ status: string }>(account, wait);
    if (answer.status !== 200) return answer;
    if (answer.data.status === 'processed') return answer;
    if (isFinal(answer.data)) return { status: 0, data: answer.data.status };
  }
}

/**
 * Searches, imports texts, reads and imports files, with one request of each kind at a time.
 * Returns the times and the refusals.
 */
export async function observe(account: Account, seconds: number): Promise<Observed> {
  const untilMs = performance.now() + 1000 * seconds;
  const random = createRandom(SEED);
  const observed: Observed = { queries: [], imports: [], reads: [], files: [], refused: [] };
  const repeat = async (kind: keyof typeof PAUSES_MS, act: () => Promise<Answer>) => {
    while (performance.now() < untilMs) {
      const sentAtMs = performance.now();
      const { status, data } = await act();
      observed[kind].push(performance.now() - sentAtMs);
      if (status !== 200) observed.refused.push(`${kind}: ${status} ${JSON.stringify(data ?? '')}`);
      await delay(PAUSES_MS[kind]);
    }
  };
  await Promise.all([
    repeat('queries', () => call(account, 'query', { query: makeQuery(QUERY_WORDS, random) })),
    repeat('imports', () => importText(account, SMALL_TEXT)),
    repeat('reads', () => call(account, `listDocuments?knowledgeBaseId=${account.knowledgeBaseId}&limit=10`)),
    repeat('files', () => processFile(account)),
  ]);
  return observed;
}

const ATTACKER = fileURLToPath(new URL('./attacker.ts', import.meta.url));
/** After this time the attack has begun. */
const HEAD_START_MS = 300;

/** Measures `neighbour` while `attacker` attacks. */
export async function observeAttack(
  name: string,
  { attacker, neighbour }: { attacker: Account; neighbour: Account },
  seconds: number,
): Promise<Observed> {
  const child = spawn(process.execPath, [ATTACKER, name, JSON.stringify(attacker), String(seconds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = once(child.stdout, 'data');
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error(`the attack ${name} has ended before it began`);
    }),
  ]);
  child.stdin.end('go');
  await delay(HEAD_START_MS);
  try {
    return await observe(neighbour, seconds);
  } finally {
    // The attacker may still wait for answers, which do not matter.
    child.kill('SIGKILL');
    await ended;
  }
}
