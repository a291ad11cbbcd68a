/** fetch that reports how many bytes of the request's body have been sent. */
import { hostProcess } from '../platform.ts';
import type { Context } from '../settings.ts';
import { blobReadBy } from './fetch-insides.ts';

type ReportSent = (sentBytes: number) => void;

/** The options with which a Blob is sent. */
type Sending = { method?: string; headers?: object; body?: unknown; signal?: AbortSignal | null };

/** 200 reports for the largest file. */
const PIECE_BYTES = 262_144;

/** The bytes of a Blob. Reports those that have been taken. */
function countedStream(blob: Blob, onSent: ReportSent): ReadableStream<Uint8Array> {
  let takenBytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        onSent(takenBytes);
        const piece = blob.slice(takenBytes, takenBytes + PIECE_BYTES);
        if (piece.size === 0) return controller.close();
        controller.enqueue(new Uint8Array(await piece.arrayBuffer()));
        takenBytes += piece.size;
      },
    },
    // Asked for a piece only when the piece before has been taken.
    { highWaterMark: 0 },
  );
}

/**
 * Sends a Blob whose bytes are counted when they are read. The fetch of Node and of Deno sends its size as the length.
 * Deno does not send the length of a bare stream, which stores of objects demand.
 */
const sendBlobBy =
  (fetch: Context['fetch'], onSent: ReportSent): Context['fetch'] =>
  async (address, init) => {
    const { body } = init ?? {};
    if (!(body instanceof Blob)) return await fetch(address, init);
    const counted = blobReadBy(body, () => countedStream(body, onSent));
    return await fetch(address, { ...init, body: counted });
  };

/** Sends a Blob as a stream: the fetch of Bun reads Blobs by itself, but sends the length of a stream. */
const sendStreamBy =
  (fetch: Context['fetch'], onSent: ReportSent): Context['fetch'] =>
  async (address, init) => {
    const { body, headers } = init ?? {};
    if (!(body instanceof Blob)) return await fetch(address, init);
    const described = new Headers(headers);
    if (body.type !== '' && !described.has('content-type')) described.set('content-type', body.type);
    described.set('content-length', String(body.size));
    const stream = countedStream(body, onSent);
    return await fetch(address, { ...init, headers: described, body: stream, duplex: 'half' });
  };

/** What is used of XMLHttpRequest. This code compiles without the types of the DOM. */
type Xhr = {
  open(method: string, address: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
};

type BrowserGlobals = { XMLHttpRequest?: new () => Xhr };

/** The statuses whose answers have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304]);

function toResponse(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().split('\r\n').filter(Boolean);
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name, value.join(': ')];
  });
  const body = WITHOUT_BODY.has(xhr.status) ? null : xhr.responseText;
  return new Response(body, { status: xhr.status, headers });
}

/** Sends by XMLHttpRequest. The fetch of browsers does not report progress, and streams only over HTTP/2. */
const sendXhrBy =
  (XMLHttpRequest: new () => Xhr, onSent: ReportSent): Context['fetch'] =>
  (address, init) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers = {}, body, signal } = (init ?? {}) as Sending; // what `send` passes
      const xhr = new XMLHttpRequest();
      const abort = () => {
        xhr.abort();
        reject(signal?.reason);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      xhr.open(method, String(address));
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
      xhr.onload = () => resolve(toResponse(xhr));
      xhr.onerror = () => reject(new TypeError('The request failed.'));
      xhr.send(body);
    });

/**
 * The fetch for one upload. Browsers use XMLHttpRequest. A fetch that the caller has given gets a Blob everywhere: it
 * may be one that reports nothing in between.
 */
export function countingFetch(
  { fetch, isPlatformFetch }: Pick<Context, 'fetch' | 'isPlatformFetch'>,
  onSent: ReportSent,
): Context['fetch'] {
  if (!isPlatformFetch) return sendBlobBy(fetch, onSent);
  const { XMLHttpRequest } = globalThis as BrowserGlobals; // of browsers, but not of their service workers
  if (XMLHttpRequest !== undefined) return sendXhrBy(XMLHttpRequest, onSent);
  const isBun = hostProcess()?.versions.bun !== undefined;
  return isBun ? sendStreamBy(fetch, onSent) : sendBlobBy(fetch, onSent);
}
