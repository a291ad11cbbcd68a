/** Answers from the examples of the spec alone: for `--fixed`, and where a `Prefer` header requests one. */
import type { DownloadTicket, UploadTicket } from '../../../generated/types.gen.ts';
import { ServiceError } from '../../../src/terms/errors.ts';
import { FIXED_FILE, formatDownload } from '../downloads.ts';
import type { Prism, SpecAnswer, Wanted } from '../prism.ts';
import { formatTicket } from '../uploads.ts';
import { cutPage, type PageInput, type SuccessBody } from './pages.ts';
import { chooseExample, haveValidForm, type RequestedIds, replaceIds } from './story.ts';

type FixedInput = RequestedIds & PageInput & { size?: number };
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

/**
 * The example of this status and name. Without a name: the example that fits the ids of the request.
 * @throws the example as an error, if its status is none of success; NOT_FOUND errors for ids of an impossible form
 */
export async function answerFixed(
  prism: Prism,
  operationId: string,
  { validated, wanted: { status, example }, origin }: { validated: unknown; wanted: Wanted; origin: string },
): Promise<object> {
  const input = validated as FixedInput; // validated by the spec; the examples depend on these fields only
  if (status !== 200) throw toRefusal(await prism.answer(operationId, { status, example }));
  if (!haveValidForm(input)) throw toRefusal(await prism.answer(operationId, { status: 404 }));

  const examples = prism.answersOf(operationId).get('200') ?? [];
  const chosen = example ?? chooseExample(examples, input, prism.successes)?.name;
  const { body } = await prism.answer(operationId, { status, example: chosen });
  const { success: _, ...shown } = body as SuccessBody & { success: true }; // an example of a success, as above
  if (operationId === 'presignUploadUrl') {
    const ticket = replaceIds(shown.data, input) as UploadTicket; // the same example with other ids
    return { data: { ...ticket, ...formatTicket(ticket.fileId, { sizeBytes: input.size ?? 0, origin }) } };
  }
  if (operationId === 'presignDownloadUrl') {
    const { fileId } = replaceIds(shown.data, input) as DownloadTicket; // as above
    const address = { documentId: input.documentId ?? '', origin };
    return { data: { fileId, ...formatDownload(FIXED_FILE, address) } };
  }
  // An example requested by name stays unchanged.
  if (example !== undefined) return shown;
  return cutPage(operationId, { ...shown, data: replaceIds(shown.data, input) }, input);
}
