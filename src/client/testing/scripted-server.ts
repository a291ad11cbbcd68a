/** A server that answers as a test scripts it, and records the requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import {
  createKnowledgeRetrieval,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalSettings,
} from '../index.ts';

/** Answers one request, or leaves it without an answer. */
export type Respond = (response: ServerResponse) => void;
export type Request = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** `script`: the next answers, in order; the last one repeats. `requests`: all that have arrived, in order. */
export type ScriptedServer = { address: string; script: Respond[]; requests: Request[] };

async function answerNext(scripted: ScriptedServer, request: IncomingMessage, response: ServerResponse) {
  const { method = '', url = '', headers } = request;
  scripted.requests.push({ method, path: url, headers, body: await text(request) });
  const { script } = scripted;
  (script.length > 1 ? script.shift() : script[0])?.(response);
}

/** Registers a server for each test of a file. Its script is empty. */
export function useScriptedServer(): ScriptedServer {
  const scripted: ScriptedServer = { address: '', script: [], requests: [] };
  let server: Server;
  beforeEach(async () => {
    server = createServer((request, response) => answerNext(scripted, request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // listening on TCP
    Object.assign(scripted, { address: `http://127.0.0.1:${port}`, script: [], requests: [] });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  return scripted;
}

export const answer =
  (status: number, body: object | string, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'x-request-id': 'request-1', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
export const succeed = (data: object): Respond => answer(200, { success: true, data });
export const refuse = (status: number, errorCode: string, headers = {}, data = {}): Respond =>
  answer(status, { success: false, message: `It is ${errorCode}.`, errorCode, data }, headers);
export const breakOff: Respond = (response) => response.destroy();

/** A client of that server. */
export const connectTo = ({ address }: ScriptedServer, settings: Partial<KnowledgeRetrievalSettings> = {}) =>
  createKnowledgeRetrieval({ baseUrl: `${address}/`, apiKey: 'key', ...settings });

/** The error that a call has thrown. */
export async function errorOf(call: Promise<unknown>): Promise<KnowledgeRetrievalError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof KnowledgeRetrievalError) return error;
  throw new Error('no KnowledgeRetrievalError', { cause: error });
}
