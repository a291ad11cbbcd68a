/** The mock: the service's own HTTP layer validates every request. Memory answers it, or Prism from the examples. */
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANY_ORIGIN } from '../../src/config/cors.ts';
import { createConsoleSessions, createKeyReader } from '../../src/http/access/console-session.ts';
import { createApp } from '../../src/http/app.ts';
import type { Backend } from '../../src/http/contract/dispatch.ts';
import type { ConsoleSignIn } from '../../src/http/routes/console/session-route.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createTelemetry, unmetered } from '../../src/telemetry/telemetry.ts';
import { clientHungUp, ServiceError, unauthorized } from '../../src/terms/errors.ts';
import { createOpenDownload, FIXED_FILE } from './downloads.ts';
import { answerFixed } from './fixed/answer.ts';
import { answerFromMemory } from './memory/answer.ts';
import { callerOf } from './memory/key-callers.ts';
import { requireOriginal } from './memory/operations/downloads.ts';
import { keepUpload, requireOpenFile } from './memory/operations/uploads.ts';
import { seed } from './memory/seed.ts';
import { createState, type State } from './memory/state.ts';
import { readPreference } from './preference.ts';
import { createPrism, type Prism } from './prism.ts';
import { createReceiveUpload } from './uploads.ts';

/** The only key that the mock refuses, so that clients can test a 401. It has the form of a real key. */
const REFUSED_KEY = `kr_${'0'.repeat(64)}`;

/** @throws UNAUTHORIZED */
type Authenticate = Backend['authenticate'];

/** Without memory, every key is one that may do everything. */
const authenticateBy =
  (state: State): Authenticate =>
  async (key) => {
    if (key === undefined || key === REFUSED_KEY) throw unauthorized();
    return callerOf(state, key);
  };

/** The id of every key in the console's cookie, which has room for real ones only. */
const CONSOLE_KEY_ID = '0'.repeat(24);

const sessions = createConsoleSessions('mock');

/** The console signs in with any key as well. Its cookie is good at every mock: it protects nothing. */
const consoleSignIn = (authenticate: Authenticate): ConsoleSignIn => ({
  sessions,
  keyOf: createKeyReader(sessions),
  authenticate: async (key) => ({ ...(await authenticate(key)), keyId: CONSOLE_KEY_ID }),
  endSession: async () => {},
  limitRate: async () => ({}),
});

/** Answers from memory, unless the header Prefer requests an example. Without `state`, always by examples. */
const createAnswer =
  (prism: Prism, state: State | undefined): Backend['answer'] =>
  async (operationId, validated, request) => {
    const { wanted, delayMs } = readPreference(request.header('prefer'), prism.answersOf(operationId));
    if (delayMs > 0)
      await sleep(delayMs, undefined, { signal: request.signal() }).catch(() => {
        throw clientHungUp();
      });
    if (state !== undefined && wanted === undefined)
      return await answerFromMemory(state, operationId, { input: validated, request });
    const example = { validated, wanted: wanted ?? { status: 200 }, origin: request.origin() };
    return await answerFixed(prism, operationId, example);
  };

const log = createLog('error');

/** Logs failures of the mock itself. The HTTP layer's own log would also contain every requested 5xx. */
const reportFaults =
  <Args extends unknown[]>(answer: (...args: Args) => Promise<object>) =>
  async (...args: Args) => {
    try {
      return await answer(...args);
    } catch (error) {
      if (!(error instanceof ServiceError)) log.error({ err: error }, 'the mock has failed');
      throw error;
    }
  };

/** Without memory, uploads are counted and discarded, in any number of attempts. */
const uploadsTo = (state: State | undefined) =>
  createReceiveUpload({
    require: (fileId) => void (state && requireOpenFile(state, fileId)),
    keep: async (fileId, bytes) => {
      if (state) await keepUpload(state, fileId, bytes);
    },
  });

/**
 * `isFixed`: nothing is stored, the examples of the spec answer. `importSeconds`: how long the import of a file takes.
 */
export type MockSettings = { isFixed: boolean; importSeconds: number };

/** The mock's application. It does not listen yet. */
export async function createMockApp({ isFixed, importSeconds }: MockSettings): Promise<RequestListener> {
  const state = isFixed ? undefined : createState({ importMs: importSeconds * 1000 });
  if (state !== undefined) seed(state);
  const authenticate = authenticateBy(state ?? createState({ importMs: 0 }));
  const receiveUpload = reportFaults(uploadsTo(state));
  const openDownload = createOpenDownload((documentId) =>
    state ? requireOriginal(state, documentId) : FIXED_FILE,
  );
  return await createApp({
    backend: {
      authenticate,
      limitRate: async () => ({}),
      answer: reportFaults(createAnswer(await createPrism(), state)),
    },
    routes: {
      baseUrl: undefined,
      isLocal: true,
      receiveUpload,
      openDownload,
      consoleSignIn: consoleSignIn(authenticate),
      requireReady: async () => ({}),
    },
    log: createLog('silent'),
    telemetry: createTelemetry(unmetered),
    corsOrigins: [ANY_ORIGIN],
    validateResponses: false,
  });
}
