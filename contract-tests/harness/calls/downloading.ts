/** Gets files from download addresses, as browsers and curl do. */
import type { DownloadTicket } from '../../../generated/types.gen.ts';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { type Answer, parseJson } from '../../../src/contract-check/requests/exchange.ts';

/** `bytes`: the body as it came. */
export type DownloadAnswer = Answer & { bytes: Buffer };

/** Sends the request without a key. Rejects a refusal that violates the contract. */
export async function download(
  { downloadUrl }: Pick<DownloadTicket, 'downloadUrl'>,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<DownloadAnswer> {
  const response = await fetch(downloadUrl, { method, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: parseJson(text),
    bytes,
  };
  if (!response.ok && method !== 'HEAD') requireContract(undefined, answer);
  return answer;
}
