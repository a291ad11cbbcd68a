/** Downloads the file of a document: requests a download address, and reads the bytes from there. */
import type { DownloadTicket, PresignDownloadUrlData } from '../../generated/types.gen.ts';
import { namingOtherAddress } from './errors.ts';
import { send } from './requests/send.ts';
import { type CallOptions, type Context, TRANSFER_TIMEOUT_MS } from './settings.ts';

type Asked = PresignDownloadUrlData['query'] | string;

/** Creates the function, which downloads in its turn. `presign` requests an address. */
export function createDownloadFile(
  { semaphores, fetch, answeredOrigins, ...context }: Context,
  presign: (document: Asked, call: CallOptions) => Promise<DownloadTicket>,
) {
  const download = async (document: Asked, call: CallOptions): Promise<File> => {
    const { signal, deadlineMs = context.deadlineMs, retries = context.retries } = call;
    const { downloadUrl: address, fileName, mimeType } = await presign(document, call);
    const limits = { timeoutMs: TRANSFER_TIMEOUT_MS, deadlineMs: deadlineMs + TRANSFER_TIMEOUT_MS, retries };
    const read = () =>
      send(
        { address, method: 'GET', headers: {}, signal },
        { fetch, answeredOrigins, ...limits },
        (response) => response.blob(),
      );
    const { body } = await semaphores.requests.run(read, signal).catch((error) => {
      throw namingOtherAddress(error, address, context.baseUrl);
    });
    return new File([body], fileName, { type: mimeType });
  };
  return async (document: Asked, call: CallOptions = {}): Promise<File> =>
    await semaphores.bodies.run(() => download(document, call), call.signal);
}
