/** Faults of a file store: each answers nothing, too little, too much, or something wrong. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The response that a correct store would send. */
type Reply = { status: number; headers?: Record<string, string>; body?: string | Buffer };

const ERROR = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code></Error>';

/** Writes `piece` again and again until the client disconnects. */
function repeat(response: ServerResponse, piece: string | Buffer, intervalMs: number): void {
  const timer = setInterval(() => void response.write(piece), intervalMs);
  response.on('close', () => clearInterval(timer));
}

/** A page of a list that always has a next page. */
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

/** Each function answers with its fault instead of `reply`. */
export const STORE_FAULTS = {
  'is silent': () => {},
  'sends a byte now and then': (response, _request, reply) => {
    response.writeHead(reply.status, reply.headers);
    repeat(response, ' ', 20);
  },
  'sends headers and no more': (response, _request, reply) => {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': '1000' });
    response.flushHeaders();
  },
  'never ends its response': (response, _request, { headers: _length, ...reply }) => {
    response.writeHead(reply.status);
    repeat(response, Buffer.alloc(2 ** 20, 'x'), 1);
  },
  'breaks off': (response, _request, reply) => {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': '1000' });
    response.write('half', () => response.destroy());
  },
  'answers 200 with an error': (response, request, reply) =>
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
