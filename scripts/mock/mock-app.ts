/** The mock: the service's own HTTP layer validates every request, and Prism answers it. */
import type { RequestListener } from 'node:http';
import type { UploadTicket } from '../../generated/types.gen.ts';
import { ANY_ORIGIN } from '../../src/config/cors.ts';
import { ServiceError, unauthorized } from '../../src/errors.ts';
import { createApp } from '../../src/http/app.ts';
import type { Backend } from '../../src/http/dispatch.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createTelemetry, unmetered } from '../../src/telemetry/telemetry.ts';
import { cutPage, type PageInput, type SuccessBody } from './pages.ts';
import { readPreference } from './preference.ts';
import { createPrism, type Prism, type SpecAnswer } from './prism.ts';
import { chooseExample, haveValidForm, type RequestedIds, replaceIds } from './story.ts';
import { issueTicket, receiveUpload } from './uploads.ts';

type MockInput = RequestedIds & PageInput & { size?: number };
type ErrorBody = Pick<ServiceError, 'errorCode' | 'message' | 'data'>;

/** The refusal from the spec, with its Retry-After. */
function toRefusal({ body, headers }: SpecAnswer): ServiceError {
  const { errorCode, message, data } = body as ErrorBody; // an example of an error envelope; spec-examples.test.ts
  const retryAfter = headers['Retry-After'];
  return new ServiceError(errorCode, message, {
    data,
    ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  });
}

/** One caller for every key: any key may read the examples. */
async function authenticate(key: string | undefined) {
  if (key === undefined) throw unauthorized();
  return { accountId: 'mock', keyId: key, scope: 'write', reach: undefined } as const;
}

const createAnswer =
  (prism: Prism): Backend['answer'] =>
  async (operationId, validated, { header, origin }) => {
    const input = validated as MockInput; // validated by the spec; the mock reads these fields
    const answers = prism.answersOf(operationId);
    const { status, example } = readPreference(header('prefer'), answers);
    if (status !== 200) throw toRefusal(await prism.answer(operationId, { status, example }));
    if (!haveValidForm(input)) throw toRefusal(await prism.answer(operationId, { status: 404 }));

    const chosen = example ?? chooseExample(answers.get('200') ?? [], input, prism.successes)?.name;
    const { body } = await prism.answer(operationId, { status, example: chosen });
    const { success: _, ...shown } = body as SuccessBody & { success: true }; // an example of a success, as above
    if (operationId === 'presignUploadUrl') {
      const ticket = replaceIds(shown.data, input) as UploadTicket; // the same example with other ids
      return { data: issueTicket(ticket, { sizeBytes: input.size ?? 0, origin: origin() }) };
    }
    // An example requested by name stays unchanged.
    if (example !== undefined) return shown;
    return cutPage(operationId, { ...shown, data: replaceIds(shown.data, input) }, input);
  };

const log = createLog('error');

/** Logs failures of the mock itself. The HTTP layer's own log would also contain every requested 5xx. */
const reportFaults =
  (answer: Backend['answer']): Backend['answer'] =>
  async (...request) => {
    try {
      return await answer(...request);
    } catch (error) {
      if (!(error instanceof ServiceError)) log.error({ err: error }, 'the mock has failed');
      throw error;
    }
  };

/** The mock's application. It does not listen yet. */
export async function createMockApp(): Promise<RequestListener> {
  const answer = reportFaults(createAnswer(await createPrism()));
  return await createApp({
    backend: { authenticate, limitRate: async () => ({}), answer },
    routes: { baseUrl: undefined, receiveUpload, requireReady: async () => ({}) },
    log: createLog('silent'),
    telemetry: createTelemetry(unmetered),
    corsOrigins: [ANY_ORIGIN],
    validateResponses: false,
  });
}
