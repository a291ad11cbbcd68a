/** Sends raw bytes, and checks what comes back. */
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { parseAnswers, sendAndHangUp, sendSlices } from '../../harness/calls/raw-socket.ts';
import { HANG_MS, isFault, messageOf } from '../../harness/fuzz/fuzz.ts';
import { isDocumented } from '../../harness/page-answers.ts';
import type { RawRequest } from './raw-requests.ts';

/**
 * After half a request the service waits for the rest, until the client ends its side of the connection.
 * The client ends it only after this time without a byte, because Node treats the end as a hang-up.
 */
const QUIET_MS = 100;

/**
 * Sends raw bytes and returns the documented answers, or how the connection ended otherwise.
 * @throws an Error for a fault, an undocumented answer, or when the service neither answers nor hangs up
 */
export async function sendChecked(
  address: string,
  { slices, hangsUp }: RawRequest,
): Promise<Answer[] | 'hung up' | 'reset'> {
  if (hangsUp) {
    await sendAndHangUp(Buffer.concat(slices), address);
    return 'hung up';
  }
  try {
    const { received, isReset } = await sendSlices(slices, {
      address,
      timeoutMs: HANG_MS,
      quietMs: QUIET_MS,
    });
    if (isReset) return 'reset';
    const answers = parseAnswers(received);
    for (const answer of answers)
      if (isFault(answer) || !isDocumented(answer))
        throw new Error(`was answered by ${answer.status}: ${answer.text.slice(0, 500)}`);
    return answers;
  } catch (error) {
    const bytes = slices.map((slice) => Buffer.from(slice).toString('latin1').slice(0, 700));
    throw new Error(`${messageOf(error)}\n${JSON.stringify(bytes)}`, { cause: error });
  }
}
