/** What a store of files may do instead of its work: nothing, too little, too much, or something else than it says. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer as a sound store would send it. */
type Reply = { status: number; headers?: Record<string, string>; body?: string | Buffer };

const ERROR = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code></Error>';

/** An answer whose bytes come one by one, or all at once again and again, until nobody listens. */
function repeat(response: ServerResponse, piece: string | Buffer, intervalMs: number): void {
  const timer = setInterval(() => void response.write(piece), intervalMs);
  response.on('close', () => clearInterval(timer));
}

/** A page of a list that leads to the next one for ever. */
const endlessPage = (names: string[]): string =>
  `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>on</NextContinuationToken>${names
    .map((name) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`)
    .join('')}</ListBucketResult>`;

const answer = (response: ServerResponse, { method }: IncomingMessage, { status, headers, body }: Reply) => {
  response.writeHead(status, headers);
  response.end(method === 'HEAD' ? undefined : body);
};

const replaceBody = (body: (sound: Buffer) => string | Buffer) => {
  return (response: ServerResponse, request: IncomingMessage, reply: Reply) => {
    const bytes = body(Buffer.from(reply.body ?? ''));
    answer(response, request, { ...reply, headers: { 'content-length': String(bytes.length) }, body: bytes });
  };
};

/** Each sends, or does not send, something in the place of `reply`. */
export const STORE_FAULTS = {
  'is silent': () => {},
  'sends a byte now and then': (response, _request, reply) => {
    response.writeHead(reply.status, reply.headers);
    repeat(response, ' ', 50);
  },
  'sends headers and no more': (response, _request, reply) => {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': '1000' });
    response.flushHeaders();
  },
  'never comes to its end': (response, _request, { headers: _length, ...reply }) => {
    response.writeHead(reply.status);
    repeat(response, Buffer.alloc(2 ** 20, 'x'), 1);
  },
  'breaks off': (response, _request, reply) => {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': '1000' });
    response.write('half', () => response.destroy());
  },
  'says 200 and means an error': (response, request, reply) =>
    answer(response, request, { ...reply, status: 200, headers: {}, body: ERROR }),
  'sends other bytes than were stored': replaceBody(() => 'not what was stored'),
  'loses the last byte': replaceBody((sound) => sound.subarray(0, -1)),
  'lists the same page again and again': (response, request, reply) =>
    answer(response, request, { ...reply, headers: {}, body: endlessPage(['a', 'b']) }),
  'lists empty pages': (response, request, reply) =>
    answer(response, request, { ...reply, headers: {}, body: endlessPage([]) }),
  'is no store': (response, request) =>
    answer(response, request, { status: 200, headers: { etag: '"x"' }, body: '<html>Welcome!</html>' }),
} satisfies Record<string, (response: ServerResponse, request: IncomingMessage, reply: Reply) => void>;

export type StoreFault = keyof typeof STORE_FAULTS;
